import { defineAreaWords } from '../../words/define-words.ts';

/** The words of the search results. */
export const searchWords = defineAreaWords({
  search: ['Search', '搜索'],
  lead: [(text: string) => `Results for “${text}”`, (text) => `“${text}”的搜索结果`],
  nothing: ['No results', '没有结果'],
  nothingAdvice: [
    'Orders, batches and assets match by their full ID or number. Enterprises, customers and applications also match by the start of their name. For more filters, use the lists.',
    '订单、批次和资产须输入完整的 ID 或编号；企业、客户和应用也可按名称开头搜索。各列表提供更多筛选条件。',
  ],
  ask: ['Enter an ID, number or name in the search box at the top.', '请在顶部搜索框中输入 ID、编号或名称。'],
  kind: ['Type', '类型'],
  detail: ['Details', '详情'],
});
