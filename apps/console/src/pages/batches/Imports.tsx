import type { Import } from '@lockstep/contract/console';
import type { CallOf } from '../../api/calls.ts';
import { useOperation } from '../../api/operations.ts';
import { useAddress } from '../../kit/inputs.tsx';
import { Query, Section } from '../../kit/page.tsx';
import { type Column, DataTable } from '../../kit/table.tsx';
import { Count, Time } from '../../kit/values.tsx';
import { useRate, useWords } from '../../words/words.ts';
import { batchesWords } from './words.ts';

const REFRESH_MS = 5_000;

/** How far the batches with the prefix in the address are. Renders nothing unless the filter is a prefix. */
export function Imports() {
  const words = useWords(batchesWords);
  const [{ channelOrderId = '', appKey, channelCode }] = useAddress();
  if (!channelOrderId.endsWith('*') || channelOrderId === '*') return null;
  const query = { channelOrderId, appKey, channelCode } as CallOf<'listImports'>['query'];
  return (
    <Section title={words.together(channelOrderId)}>
      <ImportTable query={query} />
    </Section>
  );
}

function ImportTable({ query }: { query: CallOf<'listImports'>['query'] }) {
  const words = useWords(batchesWords);
  const rate = useRate();
  const found = useOperation('listImports', { query }, { refreshMs: REFRESH_MS, keepsPrevious: true });
  const columns: Column<Import>[] = [
    { header: words.channel, cell: ({ channelCode }) => channelCode },
    { header: words.completedBatches, cell: (each) => words.of(each.completed, each.batches) },
    { header: words.orders, align: 'end', cell: ({ total }) => <Count value={total} /> },
    { header: words.succeeded, align: 'end', cell: ({ succeeded }) => <Count value={succeeded} /> },
    { header: words.failed, align: 'end', cell: ({ failed }) => <Count value={failed} /> },
    { header: words.pending, align: 'end', cell: ({ pending, held }) => <Count value={pending - held} /> },
    { header: words.held, align: 'end', cell: ({ held }) => <Count value={held} /> },
    { header: words.perSecond, align: 'end', cell: ({ perSecond }) => rate(perSecond) },
    { header: words.completed, cell: ({ completedTime }) => <Time timeMs={completedTime} /> },
    { header: words.expected, cell: ({ estimatedCompletionTime: time }) => <Time timeMs={time} /> },
  ];
  return (
    <Query of={found}>
      {({ imports, isCut }) => (
        <DataTable
          label={words.completedBatches}
          columns={columns}
          rows={imports}
          rowKey={({ channelCode }) => channelCode}
          footer={isCut && <p>{words.importCut}</p>}
        />
      )}
    </Query>
  );
}
