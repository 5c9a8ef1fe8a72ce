import type { RecordEntry } from '@lockstep/contract/console';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useMay, useOperation } from '../../api/index.ts';
import {
  type Column,
  CopyId,
  DataTable,
  Empty,
  type FilterField,
  Filters,
  NothingMatches,
  optionsOf,
  Page,
  Query,
  Time,
} from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { ACTIONS, useActionWords } from './action-words.ts';
import { Changed } from './Changed.tsx';
import { recordWords } from './record-words.ts';
import { Target } from './Target.tsx';

const route = getRouteApi('/record');

/** What operators changed, newest first. */
export function RecordPage() {
  const words = useWords(recordWords);
  const actionWords = useActionWords();
  const { operator, action, target, cursor } = route.useSearch();
  const navigate = route.useNavigate();
  const filters = { operator, action, target };
  const record = useOperation('listRecord', { query: { ...filters, cursor } }, { keepsPrevious: true });
  const columns = useColumns();
  const fields: FilterField<keyof typeof filters>[] = [
    { name: 'operator', label: words.operator, kind: 'text' },
    { name: 'action', label: words.action, kind: 'select', options: optionsOf(ACTIONS, actionWords) },
    { name: 'target', label: words.target, kind: 'text', placeholder: words.targetExample },
  ];
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  return (
    <Page title={words.title} lead={words.intro}>
      <Filters fields={fields} value={filters} onChange={(next) => void navigate({ search: next })} />
      <Query of={record}>
        {({ entries, nextCursor }) => (
          <DataTable
            label={words.title}
            columns={columns}
            rows={entries}
            rowKey={({ entryId }) => entryId}
            isStale={record.isPlaceholderData}
            empty={isFiltered ? <NothingMatches /> : <Empty title={words.none}>{words.noneHelp}</Empty>}
            paging={{ cursor, nextCursor, onCursor: (next) => void navigate({ search: { ...filters, cursor: next } }) }}
          />
        )}
      </Query>
    </Page>
  );
}

function useColumns(): readonly Column<RecordEntry>[] {
  const words = useWords(recordWords);
  const actionWords = useActionWords();
  const may = useMay();
  const isAdmin = may('admin');
  return useMemo(
    () => [
      { id: 'time', header: words.time, cell: ({ time }) => <Time timeMs={time} /> },
      {
        id: 'operator',
        header: words.operator,
        width: '8rem',
        cell: ({ operator }) =>
          operator === null ? (
            words.command
          ) : isAdmin ? (
            <Link to="/operators/$name" params={{ name: operator }}>
              {operator}
            </Link>
          ) : (
            operator
          ),
      },
      {
        id: 'action',
        header: words.action,
        width: '9rem',
        cell: ({ action }) => <span title={action}>{actionWords(action)}</span>,
      },
      { id: 'target', header: words.target, width: '11rem', cell: (entry) => <Target of={entry} /> },
      { id: 'changed', header: words.changed, width: '16rem', cell: (entry) => <Changed of={entry} /> },
      {
        id: 'requestId',
        header: words.requestId,
        isMinor: true,
        cell: ({ requestId }) => <CopyId id={requestId} what={words.requestId} />,
      },
    ],
    [words, actionWords, isAdmin],
  );
}
