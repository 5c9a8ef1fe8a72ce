import type { SearchHit } from '@lockstep/contract/console';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useOperation } from '../../api/index.ts';
import { type Column, DataTable, Empty, Page, Query } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { HitLink } from './HitLink.tsx';
import { searchWords } from './words.ts';

const route = getRouteApi('/search');

/** What the text of the search box names. */
export function SearchPage() {
  const words = useWords(searchWords);
  const { text = '' } = route.useSearch();
  const found = useOperation('search', { query: { text } }, { isEnabled: text !== '' });
  return (
    <Page title={words.search} lead={text === '' ? words.ask : words.lead(text)}>
      {text !== '' && <Query of={found}>{({ hits }) => <Hits hits={hits} />}</Query>}
    </Page>
  );
}

function Hits({ hits }: { hits: readonly SearchHit[] }) {
  const words = useWords(searchWords);
  const columns = useMemo<Column<SearchHit>[]>(
    () => [
      { id: 'kind', header: words.kind, cell: ({ kind }) => words[kind] },
      { id: 'name', header: words.name, cell: (hit) => <HitLink hit={hit} /> },
      { id: 'detail', header: words.detail, cell: ({ detail }) => detail ?? '' },
    ],
    [words],
  );
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
