import type { ConsoleBatch } from '@lockstep/contract/console';
import { type Column, Count, DataTable, StateBadge, type TableProps, Time } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { ApplicationLink } from './ApplicationLink.tsx';
import { BatchLink } from './BatchLink.tsx';
import { batchesWords } from './words.ts';

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
