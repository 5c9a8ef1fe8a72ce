import type { ConsoleBatch, TracedBatch } from '@lockstep/contract/console';
import { getRouteApi } from '@tanstack/react-router';
import { type CallOf, useOperation } from '../../api/index.ts';
import {
  type Column,
  Count,
  DataTable,
  Filters,
  NoRows,
  Notice,
  optionsOf,
  Page,
  Query,
  StateBadge,
  type TableProps,
  Time,
  useStateWords,
} from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { ApplicationLink, BatchLink } from '../links.tsx';
import { batchesWords } from './words.ts';

const REFRESH_MS = 5_000;
const STATES = ['accepted', 'processing', 'completed'] as const;
const route = getRouteApi('/batches');

/** Batches of all applications, with filters. The first page refreshes. */
export function BatchesPage() {
  const words = useWords(batchesWords);
  const stateWords = useStateWords();
  const { cursor, ...filters } = route.useSearch();
  // The service validates the address.
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
      />
      <Query of={found}>
        {({ batches, nextCursor }) => (
          <BatchTable
            label={words.batches}
            rows={batches}
            isStale={found.isPlaceholderData}
            empty={
              <NoRows isMore={nextCursor !== null} title={words.noBatches}>
                {words.noBatchesAdvice}
              </NoRows>
            }
            nextCursor={nextCursor}
          />
        )}
      </Query>
    </Page>
  );
}

/** A table of batches. */
export function BatchTable(props: TableProps<ConsoleBatch>) {
  const words = useWords(batchesWords);
  const columns: Column<ConsoleBatch>[] = [
    { header: words.channelOrderId, width: '14rem', cell: (batch) => <BatchLink batch={batch} /> },
    { header: words.state, cell: ({ state }) => <StateBadge state={state} /> },
    { header: words.orders, align: 'end', cell: ({ total }) => <Count value={total} /> },
    { header: words.failed, align: 'end', cell: ({ failed }) => <Count value={failed} /> },
    { header: words.pending, align: 'end', cell: ({ pending }) => <Count value={pending} /> },
    { header: words.application, width: '10rem', cell: (batch) => <ApplicationLink of={batch} /> },
    { header: words.channel, isMinor: true, cell: ({ channelCode }) => channelCode },
    { header: words.accepted, cell: ({ acceptedTime }) => <Time timeMs={acceptedTime} isRelative /> },
  ];
  return <DataTable columns={columns} rowKey={({ batchId }) => batchId} {...props} />;
}

/** Lists the batches as which failed orders were resent, with operator and time. Renders nothing if there are none. */
export function Resends({ resends }: Pick<TracedBatch, 'resends'>) {
  const words = useWords(batchesWords);
  if (resends.length === 0) return null;
  return (
    <Notice tone="warn" title={words.resentAs}>
      {resends.map((batch) => (
        <div key={batch.batchId}>
          <BatchLink batch={batch} /> {words.resentBy(batch.operator ?? words.command)}{' '}
          <Time timeMs={batch.time} isRelative />
        </div>
      ))}
      {words.resentAgain}
    </Notice>
  );
}
