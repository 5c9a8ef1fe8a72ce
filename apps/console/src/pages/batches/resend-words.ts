import { defineAreaWords } from '../../words/define-words.ts';

const countOrders = (count: string) => (count === '1' ? '1 order' : `${count} orders`);

/** The words of the page that fixes and resends failed orders. */
export const resendWords = defineAreaWords({
  lead: [
    'Correct the failed orders, check them, and send them as a new batch of the same application.',
    '修正失败订单，检查无误后，作为同一应用的新批次提交。',
  ],
  newNumber: ['New batch number', '新批次号'],
  numberHint: ['The application must not have used it in this channel.', '不能是该应用在此渠道用过的批次号。'],
  numberMissing: ['Enter a batch number.', '请输入批次号。'],
  oneOrder: ['Only the order that you came from is loaded.', '此页仅包含您刚才查看的订单。'],
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
    (count: string, total: string) => `${count} of ${countOrders(total)} would succeed.`,
    (count, total) => `${total} 个订单中有 ${count} 个会成功。`,
  ],
  wouldFail: [
    (count: string) => `${count} would fail. Fix or remove them.`,
    (count) => `${count} 个会失败，请修正或删除。`,
  ],
  allGood: ['Nothing changes until you send them.', '提交之前不会产生任何变更。'],
  changedSince: ['You changed the orders after the check. Check them again.', '检查后内容有改动，请重新检查。'],
  send: ['Send', '提交'],
  sendTitle: [(count: string) => `Send ${countOrders(count)}?`, (count) => `提交 ${count} 个订单？`],
  sendText: [
    (application: string) =>
      `The orders become a new batch of ${application} and are applied in sequence. An order that has taken effect can’t be cancelled.`,
    (application) => `这些订单将成为 ${application} 的新批次，并按序号依次执行。已生效的订单无法取消。`,
  ],
  sendFailing: [
    (count: string) => `If sent now, ${count} would fail.`,
    (count) => `现在提交，其中 ${count} 个会失败。`,
  ],
  sent: [(count: string) => `${countOrders(count)} sent.`, (count) => `已提交 ${count} 个订单。`],
  leaveTitle: ['Leave without sending?', '不提交就离开？'],
  leaveText: ['Your changes will be lost.', '您所做的修改将丢失。'],
  leave: ['Leave', '离开'],
  stay: ['Stay', '留在此页'],
  state: ['Outcome', '结果'],
  effect: ['Effect or failure', '变更或失败原因'],
});
