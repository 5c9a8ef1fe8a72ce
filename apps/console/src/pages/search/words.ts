import { defineAreaWords } from '../../words/define-words.ts';

/** The words of this area. */
export const searchWords = defineAreaWords({
  en: {
    search: 'Search',
    lead: (text: string) => `What is called ${text}`,
    nothing: 'Nothing has this id, number or name',
    nothingAdvice:
      'An order, a batch and an asset are found by their whole id or number; an enterprise, a customer and an application also by the beginning of the name. See the lists for more filters.',
    ask: 'Write an id, a number or a name into the field at the top.',
    kind: 'What it is',
    detail: 'Which one',
  },
  zh: {
    search: '查找',
    lead: (text) => `名为 ${text} 的内容`,
    nothing: '没有这样的标识、编号或名称',
    nothingAdvice: '订单、批次和资产按完整标识或编号查找；企业、客户和应用也可按名称开头查找。各列表有更多筛选条件。',
    ask: '请在顶部的输入框中填写标识、编号或名称。',
    kind: '种类',
    detail: '说明',
  },
});
