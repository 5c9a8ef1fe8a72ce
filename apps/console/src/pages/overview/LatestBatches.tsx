import type { ConsoleBatch } from '@lockstep/contract/console';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useOperation } from '../../api/index.ts';
import { type Column, Count, DataTable, Empty, Query, StateBadge, Time } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { BatchLink } from '../batches/BatchLink.tsx';
import { batchesWords } from '../batches/words.ts';
import { overviewWords } from './words.ts';

const SHOWN = '5';

/** The batches that came last, of all applications, with links to them. */
export function LatestBatches({ refreshMs }: { refreshMs: number }) {
  const words = useWords(overviewWords);
  const ofBatches = useWords(batchesWords);
  const found = useOperation('listAllBatches', { query: { limit: SHOWN } }, { keepsPrevious: true, refreshMs });
  const columns = useMemo<Column<ConsoleBatch>[]>(
    () => [
      {
        id: 'channelOrderId',
        header: ofBatches.channelOrderId,
        width: '14rem',
        cell: (batch) => <BatchLink batch={batch} />,
      },
      { id: 'state', header: ofBatches.state, cell: ({ state }) => <StateBadge state={state} /> },
      { id: 'total', header: ofBatches.orders, align: 'end', cell: ({ total }) => <Count value={total} /> },
      { id: 'failed', header: ofBatches.failed, align: 'end', cell: ({ failed }) => <Count value={failed} /> },
      { id: 'pending', header: ofBatches.pending, align: 'end', cell: ({ pending }) => <Count value={pending} /> },
      {
        id: 'accepted',
        header: ofBatches.accepted,
        isMinor: true,
        cell: ({ acceptedTime }) => <Time timeMs={acceptedTime} isRelative />,
      },
    ],
    [ofBatches],
  );
  return (
    <Query of={found}>
      {({ batches }) => (
        <DataTable
          label={words.latestBatchesTable}
          columns={columns}
          rows={batches}
          rowKey={({ batchId }) => batchId}
          empty={<Empty title={ofBatches.noBatches}>{ofBatches.noBatchesAdvice}</Empty>}
          footer={<Link to="/batches">{words.allBatches}</Link>}
        />
      )}
    </Query>
  );
}
