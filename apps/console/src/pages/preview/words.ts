import { counted, defineAreaWords } from '../../words/define-words.ts';

/** The words of the preview. */
export const previewWords = defineAreaWords({
  lead: [
    'Paste or drop a batch to see what each of its orders would do now. Nothing changes.',
    '粘贴或拖入批次，预览各订单现在执行会产生的变更。预览不会更改任何数据。',
  ],
  application: ['Preview as', '预览身份'],
  anyApplication: ['An application with all channels', '不限渠道的应用'],
  applicationHint: [
    'An application bound to channels sees only their customers.',
    '绑定了渠道的应用只能看到这些渠道的客户。',
  ],
  dropHere: ['Drop a file here, or', '将文件拖到此处，或'],
  chooseFile: ['Choose file', '选择文件'],
  orPaste: ['Or paste the batch', '或粘贴批次'],
  pasteHint: [
    'JSON with channelCode, channelOrderId, syncMode and orderList, up to 4 MiB.',
    '包含 channelCode、channelOrderId、syncMode 和 orderList 的 JSON，最大 4 MiB。',
  ],
  chosen: [(name: string, size: string) => `${name} (${size})`, (name, size) => `${name}（${size}）`],
  pastedText: ['Pasted text', '粘贴的文本'],
  tooLarge: [
    (size: string) => `The batch is ${size}; the limit is 4 MiB. Split it.`,
    (size) => `批次大小为 ${size}，上限为 4 MiB，请拆分。`,
  ],
  replace: ['Choose another', '重新选择'],
  nothingGiven: ['Paste a batch or choose a file first.', '请先粘贴批次或选择文件。'],
  outcome: ['Outcome', '预览结果'],
  wouldSucceed: ['Would succeed', '会成功'],
  wouldFail: ['Would fail', '会失败'],
  noneOfSync: [
    (count: string) => `${counted(count, 'order')} would fail. Because the batch is sync, no order would take effect.`,
    (count) => `${count} 个订单会失败。由于是同步批次，所有订单都不会生效。`,
  ],
  ignored: ['Unknown fields, which the service ignores', '以下字段未知，将被忽略'],
  all: ['All', '全部'],
  filter: ['Show', '显示'],
  state: ['Outcome', '结果'],
  succeed: ['Succeeds', '成功'],
  fail: ['Fails', '失败'],
  beside: ['Compare', '对比'],
  besideOf: [
    (sequence: string) => `Compare order ${sequence} with the current state`,
    (sequence) => `将订单 ${sequence} 与当前状态对比`,
  ],
  effects: [
    (assets: string, products: string) => `Assets: ${assets}, products: ${products}`,
    (assets, products) => `资产：${assets}，产品：${products}`,
  ],
  order: [(sequence: string) => `Order ${sequence}`, (sequence) => `订单 ${sequence}`],
  would: ['Effect', '变更'],
  newNumber: [
    (assetNum: string) => `No active asset has the number ${assetNum}`,
    (assetNum) => `没有编号为 ${assetNum} 的有效资产`,
  ],
  newNumberAdvice: [
    'A purchase creates the asset. A revocation fails, unless an earlier order of the batch buys the asset.',
    '购买订单会创建该资产；撤销订单会失败，除非同一批次中前面的订单购买了它。',
  ],
});
