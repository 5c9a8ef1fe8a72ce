import { counted, defineAreaWords } from '../../words/define-words.ts';

const orders = (count: string) => counted(count, 'order');

/** The words of batches. */
export const batchesWords = defineAreaWords({
  lead: ['Batches of all applications, by time.', '所有应用的批次，按时间排列。'],
  channelOrderId: ['Batch number', '批次号'],
  channelOrderIdHint: ['WEB-0001 or WEB*', 'WEB-0001 或 WEB*'],
  hasFailed: ['With failed orders only', '仅看有失败订单的批次'],
  completed: ['Completed', '完成时间'],
  expected: ['Expected completion', '预计完成时间'],
  mode: ['Mode', '模式'],
  pending: ['Pending', '待处理'],
  held: ['Held', '挂起'],
  latest: ['Latest batches', '最新批次'],
  allBatches: ['All batches', '所有批次'],
  noMatchesAdvice: [
    'Clear or change a filter. A batch number matches whole; end it with * to find all that begin with it.',
    '请清除或修改筛选条件。批次编号须完整匹配；以 * 结尾可查找以其开头的所有批次。',
  ],
  noBatches: ['No batches yet', '暂无批次'],
  noBatchesAdvice: [
    'Applications send batches with operation O5 or lockstep submit.',
    '应用通过接口 O5 或 lockstep submit 提交批次。',
  ],
  batchId: ['Batch ID', '批次 ID'],
  reopened: ['Reopened', '重新打开时间'],
  progress: [
    (done: string, total: string) => `${done} of ${orders(total)} have an outcome`,
    (done, total) => `${total} 个订单中 ${done} 个已有结果`,
  ],
  ordersOf: [orders, (count) => `${count} 个订单`],
  messages: ['Messages', '错误消息'],
  showThese: [(cause: string) => `Show orders that failed with ${cause}`, (cause) => `查看因 ${cause} 失败的订单`],
  otherMessages: [
    (count: string) => `and ${count} with other messages`,
    (count) => `另有 ${count} 个订单的错误消息不同`,
  ],
  itsOrders: ['Orders of this batch', '批次的订单'],
  noOrders: ['No matching orders', '没有匹配的订单'],
  noOrdersAdvice: ['Clear the filters, or select another state.', '请清除筛选条件，或选择其他状态。'],
  cancel: ['Cancel', '取消批次'],
  cancelTitle: [
    (count: string) => `Cancel ${counted(count, 'pending order')}?`,
    (count) => `取消 ${count} 个待处理订单？`,
  ],
  cancelText: [
    'All pending orders fail with the cause cancelled, in one step. This can’t be undone.',
    '所有待处理订单将一次性失败，原因为 cancelled。此操作无法撤销。',
  ],
  cancelFinished: [
    'Orders that have taken effect stay as they are. An order in progress may still succeed.',
    '已生效的订单保持不变，正在执行的订单仍可能成功。',
  ],
  cancelConfirm: ['Cancel pending orders', '取消待处理订单'],
  cancelDismiss: ['Keep orders', '保留订单'],
  cancelled: [(count: string) => `${orders(count)} cancelled.`, (count) => `已取消 ${count} 个订单。`],
  nothingCancelled: ['No orders were pending.', '没有待处理的订单。'],
  download: ['Download failed orders', '下载失败订单'],
  downloadHint: [
    'JSON, as the orders were sent. License passwords are empty: fill them in before you send the file.',
    '订单的原始内容（JSON）。授权密码为空，提交文件前请填写。',
  ],
  resend: ['Fix and resend failed orders', '修正并重发失败订单'],
  resent: [(count: string) => `${count} resent`, (count) => `${count} 个已重发`],
  resentOrders: ['Resent', '已重发'],
  heldPart: [(count: string) => `${count} held`, (count) => `${count} 个挂起`],
  resentOf: [
    (count: string, failed: string) => `${count} of ${failed} failed orders were resent`,
    (count, failed) => `${failed} 个失败订单中 ${count} 个已重发`,
  ],
  resentBy: [(operator: string) => `by ${operator}`, (operator) => `由 ${operator} 重发`],
  resentAgain: [
    'Orders that succeeded in the new batch need no action. To resend those that failed in it, open that batch.',
    '在新批次中成功的订单已经完成。仍然失败的订单，请在新批次的页面重发。',
  ],
  together: [(prefix: string) => `All batches ${prefix} together`, (prefix) => `批次 ${prefix} 合计`],
  completedBatches: ['Completed batches', '已完成批次'],
  of: [(part: string, all: string) => `${part} of ${all}`, (part, all) => `${part} / ${all}`],
  perSecond: ['Orders/s', '订单/秒'],
  importCut: ['Only the newest batches are counted.', '仅统计最新的批次。'],
  sendThese: ['Send these again', '重发这些订单'],
  madeFrom: ['Resent from batch', '重发自批次'],
});

/** The words of the page that fixes and resends failed orders. */
export const resendWords = defineAreaWords({
  lead: [
    'Correct the failed orders, check them, and send them as a new batch of the same application.',
    '修正失败订单，检查无误后，作为同一应用的新批次提交。',
  ],
  newNumber: ['New batch number', '新批次号'],
  numberHint: ['The application must not have used it in this channel.', '不能是该应用在此渠道用过的批次号。'],
  numberMissing: ['Enter a batch number.', '请输入批次号。'],
  chosen: ['Only the orders that you chose are loaded.', '此页仅包含您选择的订单。'],
  oneCause: [
    (cause: string) => `Only the orders that failed with ${cause} are loaded.`,
    (cause) => `此页仅包含因 ${cause} 失败的订单。`,
  ],
  nothingLeft: ['All these orders were resent', '这些订单均已重发'],
  asJson: ['Edit as JSON', '以 JSON 编辑'],
  failing: ['Orders to fix', '待修正的订单'],
  fields: ['Failing fields', '相关字段'],
  noFields: ['Sent unchanged, unless you edit it as JSON', '原样重发，可在 JSON 中修改'],
  takeTypes: [
    (count: string) => `Use the license type of the asset in ${orders(count)}`,
    (count) => `将 ${count} 个订单的授权类型改为资产的类型`,
  ],
  leaveOut: ['Leave out', '不重发'],
  leaveThese: [
    (count: string) => (count === '1' ? 'Leave out this order' : `Leave out these ${count} orders`),
    (count) => `不重发这 ${count} 个订单`,
  ],
  allOrders: ['Load all failed orders of the batch', '载入该批次的全部失败订单'],
  orders: ['Orders (JSON)', '订单（JSON）'],
  ordersHint: [
    'The failed orders as they were sent. Remove those that you don’t want to resend.',
    '失败订单的原始内容。请删去无需重发的订单。',
  ],
  hidden: [(count: string) => `Hidden license passwords: ${count}`, (count) => `已隐藏的授权密码：${count}`],
  hiddenAdvice: [
    'The service restores them when you check and send, but only if the sequence, customer, asset numbers and product are unchanged.',
    '检查和提交时会自动还原，但仅限序号、客户、资产编号和产品均未改动的订单。',
  ],
  notJson: ['Invalid JSON', 'JSON 无效'],
  notList: ['Must be a list of orders: [ … ]', '必须是订单列表：[ … ]'],
  check: ['Check', '检查'],
  checkFirst: ['Check the orders before you send them.', '提交前请先检查订单。'],
  outcome: ['If sent now', '现在提交的结果'],
  wouldSucceed: [
    (count: string, total: string) => `${count} of ${orders(total)} would succeed.`,
    (count, total) => `${total} 个订单中有 ${count} 个会成功。`,
  ],
  wouldFail: [
    (count: string) => `${count} would fail. Fix or remove them.`,
    (count) => `${count} 个会失败，请修正或删除。`,
  ],
  allGood: ['Nothing changes until you send them.', '提交之前不会产生任何变更。'],
  changedSince: ['You changed the orders after the check. Check them again.', '检查后内容有改动，请重新检查。'],
  send: ['Send', '提交'],
  sendTitle: [(count: string) => `Send ${orders(count)}?`, (count) => `提交 ${count} 个订单？`],
  sendText: [
    (application: string) =>
      `The orders become a new batch of ${application} and are applied in sequence. An order that has taken effect can’t be cancelled.`,
    (application) => `这些订单将成为 ${application} 的新批次，并按序号依次执行。已生效的订单无法取消。`,
  ],
  sendFailing: [
    (count: string) => `If sent now, ${count} would fail.`,
    (count) => `现在提交，其中 ${count} 个会失败。`,
  ],
  sent: [(count: string) => `${orders(count)} sent.`, (count) => `已提交 ${count} 个订单。`],
  leaveTitle: ['Leave without sending?', '不提交就离开？'],
  leaveText: ['Your changes will be lost.', '您所做的修改将丢失。'],
  leave: ['Leave', '离开'],
  stay: ['Stay', '留在此页'],
  state: ['Outcome', '结果'],
});
