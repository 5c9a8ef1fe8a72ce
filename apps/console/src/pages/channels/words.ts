import { defineAreaWords } from '../../words/define-words.ts';

/** The words of channels. */
export const channelsWords = defineAreaWords({
  intro: [
    'Backlog and throughput of each channel. A paused channel waits until you resume it.',
    '各渠道的积压和处理速度。已暂停的渠道在您恢复前不会处理订单。',
  ],
  search: ['Code contains', '渠道代码包含'],
  estimate: ['Expected completion', '预计完成'],
  noneTitle: ['No channels', '暂无渠道'],
  noneYet: [
    'A channel appears here once O1 or O2 creates a customer in it.',
    '渠道有了客户（接口 O1、O2），就会显示在这里。',
  ],
  pausedTitle: [(code: string) => `Channel ${code} is paused`, (code) => `渠道 ${code} 已暂停`],
  openChannel: ['Open the channel', '查看渠道'],
  pausedBy: [(name: string) => `by ${name}`, (name) => `由 ${name} 暂停`],
  pausedHelp: [
    'Its orders are accepted and stay pending. Sync calls that touch its customers are refused. Resume the channel once the reason no longer applies.',
    '其订单仍会受理，但保持待处理；涉及其客户的同步调用会被拒绝。暂停原因消除后，请恢复渠道。',
  ],
  holdingTitle: ['This channel has held orders', '该渠道有挂起订单'],
  holdingHelp: [
    'They can’t be applied; later orders of the same customers wait behind them. Other customers’ orders continue.',
    '这些订单无法执行，同一客户的后续订单须等待。其他客户的订单不受影响。',
  ],
  pendingWithHeld: ['Pending and held orders', '待处理及挂起订单'],
  behindTitle: ['This channel is behind', '该渠道处理滞后'],
  behindHelp: [
    'Its oldest order has been pending for at least 30 seconds. If orders are being applied, the workers can’t keep up: start another one. If not, check the overview for stalled lanes and held orders.',
    '最早的订单已等待至少 30 秒。如果订单仍在执行，说明 Worker 处理能力不足，请再启动一个；否则请在概览中查看停滞的通道和挂起的订单。',
  ],
  noApplications: ['No applications', '没有应用'],
  noApplicationsHelp: [
    'No application has pending orders in this channel or is bound to it.',
    '没有应用绑定此渠道，也没有应用在此渠道有待处理订单。',
  ],
  moreApplications: ['Only the first 50 are shown.', '仅显示前 50 个。'],
  bound: ['Bound', '已绑定'],
  yes: ['Yes', '是'],
  no: ['No', '否'],
  changes: ['Changes to this channel', '该渠道的变更'],
  pauseTitle: [(code: string) => `Pause channel ${code}?`, (code) => `暂停渠道 ${code}？`],
  pauseSays: [
    'Its orders stay pending until you resume it, whichever application sent them. Other channels continue. Sync calls that touch its customers are refused. Pausing can take a few seconds, until work in progress finishes.',
    '无论由哪个应用提交，其订单都将保持待处理，直到您恢复渠道；其他渠道不受影响。涉及其客户的同步调用会被拒绝。暂停可能需要几秒，待进行中的处理结束后生效。',
  ],
  pauseDone: [
    (code: string) => `Channel ${code} is paused. Its orders no longer take effect.`,
    (code) => `渠道 ${code} 已暂停，其订单不再生效。`,
  ],
  stillRuns: [
    (code: string) =>
      `Channel ${code} is paused, but a drain or call in progress still applies its orders. To wait for it, run lockstep channel pause.`,
    (code) => `渠道 ${code} 已暂停，但进行中的处理仍在执行其订单。如需等待其结束，请运行 lockstep channel pause。`,
  ],
  resumeTitle: [(code: string) => `Resume channel ${code}?`, (code) => `恢复渠道 ${code}？`],
  resumeSays: [
    'Workers apply its pending orders, oldest first, within seconds.',
    'Worker 将在几秒内从最早的订单开始，执行其待处理订单。',
  ],
  resumeDone: [(code: string) => `Channel ${code} resumed.`, (code) => `渠道 ${code} 已恢复。`],
  delayed: ['Channels behind, paused or with held orders', '滞后、已暂停或有挂起订单的渠道'],
  allHolding: [(count: string) => `All with held orders: ${count}`, (count) => `全部有挂起订单的渠道：${count}`],
  allBehind: [(count: string) => `All channels behind: ${count}`, (count) => `全部滞后渠道：${count}`],
  allPaused: [(count: string) => `All paused channels: ${count}`, (count) => `全部已暂停渠道：${count}`],
});
