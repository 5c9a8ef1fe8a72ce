import type { SearchHit } from '@lockstep/contract/console';
import { getRouteApi, Link, Navigate } from '@tanstack/react-router';
import { useOperation } from '../../api/index.ts';
import { type Column, DataTable, Empty, Page, Query } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { hitAddress } from './hit-address.ts';
import { searchWords } from './words.ts';

const route = getRouteApi('/search');

/** Search results. A single exact match opens directly. */
export default function SearchPage() {
  const words = useWords(searchWords);
  const { text = '' } = route.useSearch();
  const found = useOperation('search', { query: { text } }, { isEnabled: text !== '' });
  return (
    <Page title={words.search} lead={text === '' ? words.ask : words.lead(text)}>
      {text !== '' && <Query of={found}>{({ hits }) => <Hits hits={hits} text={text} />}</Query>}
    </Page>
  );
}

function Hits({ hits, text }: { hits: readonly SearchHit[]; text: string }) {
  const words = useWords(searchWords);
  const columns: Column<SearchHit>[] = [
    { header: words.kind, width: '4.5rem', cell: ({ kind }) => words[kind] },
    { header: words.name, cell: (hit) => <Link {...hitAddress(hit)}>{hit.name}</Link> },
    { header: words.detail, cell: ({ detail }) => detail ?? '' },
  ];
  const [hit] = hits;
  if (hit !== undefined && hits.length === 1 && (hit.id === text || hit.name === text)) {
    // Replaces this page in the history, so that Back returns to where the operator searched.
    return <Navigate {...hitAddress(hit)} replace />;
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
