import { defineAreaWords } from '../../words/define-words.ts';

const SECONDS_PER_MINUTE = 60;
const SECONDS_PER_HOUR = 3_600;

/** A length of time in its largest whole unit: `3-minute`. */
function writeLength(seconds: number, [hour, minute, second]: readonly [string, string, string]): string {
  if (seconds % SECONDS_PER_HOUR === 0) return `${seconds / SECONDS_PER_HOUR}${hour}`;
  if (seconds % SECONDS_PER_MINUTE === 0) return `${seconds / SECONDS_PER_MINUTE}${minute}`;
  return `${seconds}${second}`;
}

/** The words of the overview. Those of the health checks are in check-words.ts. */
export const overviewWords = defineAreaWords({
  lead: ['Activity, backlog and health. Updates automatically.', '业务量、积压和健康状况，自动刷新。'],
  demoFirst: [
    'This is a demo. Send your first batch, in a second shell in the same directory:',
    '这是演示环境。请在同一目录下另开一个终端，提交第一个批次：',
  ],
  demoMixed: [
    'This is a demo. Send a batch in which three of 16 orders fail, then open it to see why:',
    '这是演示环境。请提交一个批次（16 个订单中有 3 个会失败），再打开它查看原因：',
  ],
  demoTutorial: ['This is a demo. Continue with the tutorial.', '这是演示环境。接下来请按教程操作。'],
  demoCommand: ['the command', '命令'],
  demoData: [
    'Two enterprises with three customers buy in the channel demo, through one application. Look around:',
    '演示数据：两个企业、三个客户，通过一个应用在 demo 渠道下单。您可以查看：',
  ],
  demoEnterprises: ['enterprises and customers', '企业与客户'],
  demoApplication: ['application', '应用'],
  demoGuide: ['the tutorial in docs/tutorial.md', '教程 docs/tutorial.md（英文）'],
  ofLastSeconds: [(seconds: string) => `Average of the last ${seconds} s`, (seconds) => `最近 ${seconds} 秒平均值`],
  span: ['Period', '时间范围'],
  span1h: ['Last hour', '最近 1 小时'],
  span6h: ['Last 6 hours', '最近 6 小时'],
  span24h: ['Last 24 hours', '最近 24 小时'],
  span7d: ['Last 7 days', '最近 7 天'],
  span14d: ['Last 14 days', '最近 14 天'],
  accepted: ['Accepted', '受理'],
  pending: ['Without outcome', '未完成'],
  chart: [
    (accepted: string, succeeded: string, failed: string, pending: string, span: string) =>
      `Orders over time. ${span}: ${accepted} accepted, ${succeeded} succeeded, ${failed} failed, ${pending} without an outcome at its end.`,
    (accepted, succeeded, failed, pending, span) =>
      `订单趋势（${span}）：受理 ${accepted}，成功 ${succeeded}，失败 ${failed}，期末未完成 ${pending}。`,
  ],
  intervals: [
    ({ seconds }: { seconds: number }) =>
      `${writeLength(seconds, ['-hour', '-minute', '-second'])} intervals; the last is incomplete. Orders without an outcome are those at an interval's end, held and paused ones included. Drag to zoom in.`,
    ({ seconds }) =>
      `统计间隔为 ${writeLength(seconds, [' 小时', ' 分钟', ' 秒'])}，最后一个间隔尚未结束。“未完成”为间隔结束时的订单数，含挂起订单和已暂停渠道的订单。拖动可放大。`,
  ],
  clearZoom: ['Show the whole period', '显示整个时间范围'],
  acceptedThen: ['Orders accepted then', '此间受理的订单'],
  failedThen: ['Failed ones', '其中失败的订单'],
  batchesThen: ['Batches accepted then', '此间受理的批次'],
  nothingDone: ['No orders in this period', '此时间范围内没有订单'],
  nothingDoneAdvice: [
    'Send a batch with lockstep submit, or select a longer period.',
    '请用 lockstep submit 提交批次，或选择更长的时间范围。',
  ],
  failedChannels: ['Channels of the latest failures', '最近失败订单的渠道'],
  failedLastNight: ['Failed last night', '昨夜失败的订单'],
  wholePeriod: [
    (period: string) => `Counts of the whole period: ${period}. The links lead to orders of the part shown.`,
    (period) => `数量为整个时间范围（${period}）的统计，链接仅指向所选部分的订单。`,
  ],
  failuresTable: ['List of causes', '失败原因列表'],
  activity: ['Orders', '订单'],
  orders: ['Orders', '订单数'],
  last: ['Latest', '最近一次'],
  failingWebhooks: ['Failing webhooks', '异常 Webhook'],
  webhooksTable: ['List of failing webhooks', '异常 Webhook 列表'],
  health: ['Health', '健康状况'],
  seeThem: ['See them', '查看'],
  pausedOrders: ['In paused channels', '已暂停渠道的订单'],
  allWell: ['All systems healthy', '一切正常'],
  someChecks: [
    (count: string) => (count === '1' ? '1 needs attention' : `${count} need attention`),
    (count) => `${count} 项需要关注`,
  ],
  allChecks: ['All checks', '全部检查项'],
  whatToDo: ['What to do', '处理方法'],
  ok: ['OK', '正常'],
  warning: ['Warning', '警告'],
  error: ['Critical', '严重'],
});
