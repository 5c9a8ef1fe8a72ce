import type { ConsoleBatch } from '@lockstep/contract/console';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { type CallOf, useOperation } from '../../api/index.ts';
import {
  type Column,
  Count,
  DataTable,
  Empty,
  Filters,
  NothingMatches,
  optionsOf,
  Page,
  Query,
  StateBadge,
  type TableProps,
  Time,
  useStateWords,
} from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { BatchLink } from './BatchLink.tsx';
import { SenderLink } from './SenderLink.tsx';
import { batchesWords } from './words.ts';

const REFRESH_MS = 5_000;
const STATES = ['accepted', 'processing', 'completed'] as const;
const route = getRouteApi('/batches');

/** Batches of all applications, with filters. The first page follows what comes. */
export function BatchesPage() {
  const words = useWords(batchesWords);
  const stateWords = useStateWords();
  const { cursor, ...filters } = route.useSearch();
  const navigate = route.useNavigate();
  // The server checks what stands in the address.
  const query = { ...filters, cursor } as CallOf<'listAllBatches'>['query'];
  const found = useOperation(
    'listAllBatches',
    { query },
    { keepsPrevious: true, refreshMs: cursor === undefined ? REFRESH_MS : false },
  );
  return (
    <Page title={words.batches} lead={words.lead}>
      <Filters
        fields={[
          { name: 'channelOrderId', label: words.channelOrderId, kind: 'text', placeholder: words.channelOrderIdHint },
          { name: 'appKey', label: words.appKey, kind: 'text' },
          { name: 'channelCode', label: words.channel, kind: 'text' },
          { name: 'state', label: words.state, kind: 'select', options: optionsOf(STATES, stateWords) },
          { name: 'acceptedFrom', label: words.acceptedFrom, kind: 'time' },
          { name: 'acceptedTo', label: words.acceptedTo, kind: 'time' },
          { name: 'hasFailed', label: words.hasFailed, kind: 'flag' },
        ]}
        value={filters}
        onChange={(next) => void navigate({ search: next })}
      />
      <Query of={found}>
        {({ batches, nextCursor }) => (
          <BatchTable
            rows={batches}
            isStale={found.isPlaceholderData}
            empty={<NoBatches isMore={nextCursor !== null} isFiltered={Object.keys(filters).length > 0} />}
            paging={{ cursor, nextCursor, onCursor: (next) => void navigate({ search: { ...filters, cursor: next } }) }}
          />
        )}
      </Query>
    </Page>
  );
}

function BatchTable(props: Omit<TableProps<ConsoleBatch>, 'label'>) {
  const words = useWords(batchesWords);
  const columns = useMemo<Column<ConsoleBatch>[]>(
    () => [
      {
        id: 'channelOrderId',
        header: words.channelOrderId,
        width: '16rem',
        cell: (batch) => <BatchLink batch={batch} />,
      },
      { id: 'state', header: words.state, cell: ({ state }) => <StateBadge state={state} /> },
      { id: 'total', header: words.orders, align: 'end', cell: ({ total }) => <Count value={total} /> },
      { id: 'failed', header: words.failed, align: 'end', cell: ({ failed }) => <Count value={failed} /> },
      { id: 'pending', header: words.pending, align: 'end', cell: ({ pending }) => <Count value={pending} /> },
      { id: 'application', header: words.application, width: '10rem', cell: (batch) => <SenderLink sender={batch} /> },
      { id: 'channel', header: words.channel, isMinor: true, cell: ({ channelCode }) => channelCode },
      {
        id: 'accepted',
        header: words.accepted,
        cell: ({ acceptedTime }) => <Time timeMs={acceptedTime} />,
      },
    ],
    [words],
  );
  return <DataTable label={words.batches} columns={columns} rowKey={({ batchId }) => batchId} {...props} />;
}

/** What to do where nothing was found: by filters, so far, or at all. */
function NoBatches({ isMore, isFiltered }: { isMore: boolean; isFiltered: boolean }) {
  const words = useWords(batchesWords);
  if (isMore) return <Empty title={words.nothingSoFar}>{words.nothingSoFarAdvice}</Empty>;
  return isFiltered ? <NothingMatches /> : <Empty title={words.noBatches}>{words.noBatchesAdvice}</Empty>;
}
