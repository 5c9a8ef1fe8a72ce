import type { SearchHit } from '@lockstep/contract/console';
import { getRouteApi, Link, Navigate } from '@tanstack/react-router';
import { useOperation } from '../../api/operations.ts';
import { Page, Query } from '../../kit/page.tsx';
import { Empty } from '../../kit/signs.tsx';
import { type Column, DataTable } from '../../kit/table.tsx';
import { defineAreaWords } from '../../words/define-words.ts';
import { useWords } from '../../words/words.ts';
import { pageOf } from '../links.tsx';

const route = getRouteApi('/search');

/** Search results. A single exact match opens directly. */
export function SearchPage() {
  const words = useWords(searchWords);
  const { text = '' } = route.useSearch();
  const found = useOperation('search', { query: { text } }, { isEnabled: text !== '' });
  return (
    <Page title={words.search} lead={text === '' ? words.ask : words.lead(text)}>
      {text !== '' && <Query of={found}>{({ hits }) => <Hits hits={hits} text={text} />}</Query>}
    </Page>
  );
}

const pageOfHit = ({ kind, id }: SearchHit) => pageOf[kind === 'customer' || kind === 'employee' ? 'enterprise' : kind](id);

function Hits({ hits, text }: { hits: readonly SearchHit[]; text: string }) {
  const words = useWords(searchWords);
  const columns: Column<SearchHit>[] = [
    { header: words.kind, width: '4.5rem', cell: ({ kind }) => words[kind] },
    { header: words.name, cell: (hit) => <Link {...pageOfHit(hit)}>{hit.name}</Link> },
    { header: words.detail, cell: ({ detail }) => detail ?? '' },
  ];
  const [hit] = hits;
  if (hit !== undefined && hits.length === 1 && (hit.id === text || hit.name === text)) {
    // Replaces this page in the history, so that Back returns to where the operator searched.
    return <Navigate {...pageOfHit(hit)} replace />;
  }
  return (
    <DataTable
      label={words.search}
      columns={columns}
      rows={hits}
      rowKey={({ kind, id, detail }) => `${kind} ${id} ${detail ?? ''}`}
      empty={<Empty title={words.nothing}>{words.nothingAdvice}</Empty>}
    />
  );
}

/** The words of the search results. */
const searchWords = defineAreaWords({
  search: ['Search', '搜索'],
  lead: [(text: string) => `Results for “${text}”`, (text) => `“${text}”的搜索结果`],
  nothing: ['No results', '没有结果'],
  nothingAdvice: [
    'Orders, batches and assets match by their full ID or number. Enterprises, customers and applications also match by the start of their name. For more filters, use the lists.',
    '订单、批次和资产须输入完整的 ID 或编号；企业、客户和应用也可按名称开头搜索。各列表提供更多筛选条件。',
  ],
  ask: ['Enter an ID, number or name in the search box at the top.', '请在顶部搜索框中输入 ID、编号或名称。'],
  kind: ['Type', '类型'],
  webhook: ['Webhook', 'Webhook'],
  operator: ['Operator', '操作员'],
  detail: ['Details', '详情'],
});
