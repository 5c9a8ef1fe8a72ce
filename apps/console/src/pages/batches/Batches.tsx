import type { ConsoleBatch, Import, TracedBatch } from '@lockstep/contract/console';
import { Link } from '@tanstack/react-router';
import type { CallOf } from '../../api/calls.ts';
import { REFRESH_MS, useOperation } from '../../api/operations.ts';
import { optionsOf, useAddress } from '../../kit/inputs.tsx';
import { Page, Section } from '../../kit/page.tsx';
import { Empty, Notice, StateBadge, type Tone } from '../../kit/signs.tsx';
import { type Column, DataTable, List, type Table } from '../../kit/table.tsx';
import { Count, Time } from '../../kit/values.tsx';
import { stateWords } from '../../words/codes.ts';
import { writeRate } from '../../words/formats.ts';
import { ApplicationLink, BatchLink, pageOf } from '../links.tsx';
import { batchesWords as words } from './words.ts';

const STATES = ['accepted', 'processing', 'completed'] as const;

/** Batches of all applications, with filters. */
export function BatchesPage() {
  return (
    <Page title={words.batches} lead={words.lead}>
      <Imports />
      <List
        label={words.batches}
        operation="listAllBatches"
        refreshMs={REFRESH_MS}
        filters={[
          { name: 'channelOrderId', label: words.channelOrderId, kind: 'text', placeholder: words.channelOrderIdHint },
          { name: 'appKey', label: words.appKey, kind: 'text' },
          { name: 'channelCode', label: words.channel, kind: 'text' },
          { name: 'state', label: words.state, kind: 'select', options: optionsOf(STATES, stateWords) },
          { name: 'acceptedFrom', until: 'acceptedTo', label: words.acceptedTime, kind: 'past' },
          { name: 'hasFailed', label: words.hasFailed, kind: 'flag' },
        ]}
        {...batchTable(true)}
        none={[words.noBatches, words.noBatchesAdvice]}
        noMatches={<Empty title={words.noMatches}>{words.noMatchesAdvice}</Empty>}
      />
    </Page>
  );
}

/** How far the batches with the prefix in the address are. Renders nothing unless the filter is a prefix. */
function Imports() {
  const [{ channelOrderId = '', appKey, channelCode }] = useAddress();
  const query = { channelOrderId, appKey, channelCode } as CallOf<'listImports'>['query'];
  const isEnabled = channelOrderId.endsWith('*') && channelOrderId !== '*';
  const found = useOperation('listImports', { query }, { refreshMs: REFRESH_MS, keepsPrevious: true, isEnabled });
  if (!isEnabled) return null;
  const columns: Column<Import>[] = [
    { header: words.channel, cell: (each) => each.channelCode },
    { header: words.completedBatches, cell: (each) => words.of(each.completed, each.batches) },
    { header: words.orders, align: 'end', cell: ({ total }) => <Count value={total} /> },
    { header: words.succeeded, align: 'end', cell: ({ succeeded }) => <Count value={succeeded} /> },
    { header: words.failed, align: 'end', cell: ({ failed }) => <Count value={failed} /> },
    { header: words.pending, align: 'end', cell: ({ pending, held }) => <Count value={pending - held} /> },
    { header: words.held, align: 'end', cell: ({ held }) => <Count value={held} /> },
    { header: words.perSecond, align: 'end', cell: ({ perSecond }) => writeRate(perSecond) },
    { header: words.completed, cell: ({ completedTime }) => <Time timeMs={completedTime} /> },
    { header: words.expected, cell: ({ estimatedCompletionTime: time }) => <Time timeMs={time} /> },
  ];
  return (
    <Section title={words.together(channelOrderId)} of={found}>
      {({ imports, isCut }) => (
        <DataTable
          label={words.completedBatches}
          columns={columns}
          rows={imports}
          rowKey={(each) => each.channelCode}
          footer={isCut && <p>{words.importCut}</p>}
        />
      )}
    </Section>
  );
}

/** The query of the latest batches. */
export const LATEST = { limit: '5' } as const;

/** The latest batches, or those of an application or a channel, with a link to all of them. */
export function LatestBatches({ of }: { of: { [filter: string]: string } }) {
  const query = { ...of, ...LATEST };
  const empty = <Empty title={words.noBatches}>{words.noBatchesAdvice}</Empty>;
  const found = useOperation('listAllBatches', { query }, { refreshMs: REFRESH_MS, keepsPrevious: true });
  return (
    <Section title={words.latest} actions={<Link {...pageOf.batches(of)}>{words.allBatches}</Link>} of={found}>
      {({ batches }) => <DataTable label={words.latest} rows={batches} {...batchTable()} empty={empty} />}
    </Section>
  );
}

/** The table of batches. `isOrder`: whether the reader can turn their order around. */
const batchTable = (isOrder = false): Table<ConsoleBatch> => ({
  rowKey: ({ batchId }) => batchId,
  columns: [
    { header: words.channelOrderId, width: '14rem', isWide: true, cell: (batch) => <BatchLink batch={batch} /> },
    { header: words.state, cell: ({ state }) => <StateBadge state={state} /> },
    { header: words.orders, align: 'end', cell: ({ total }) => <Count value={total} /> },
    {
      header: words.failed,
      align: 'end',
      cell: ({ failed, resent }) => splitCount(failed - resent, resent, words.resent, 'bad'),
    },
    {
      header: words.pending,
      align: 'end',
      cell: ({ pending, held }) => splitCount(pending - held, held, words.heldPart),
    },
    { header: words.application, width: '10rem', cell: (batch) => <ApplicationLink of={batch} /> },
    {
      header: words.channel,
      isMinor: true,
      cell: ({ channelCode: id }) => <Link {...pageOf.channel(id)}>{id}</Link>,
    },
    { header: words.acceptedTime, isOrder, cell: ({ acceptedTime }) => <Time timeMs={acceptedTime} /> },
  ],
});

/** A count, and beside it a part that is not in it, if there is any: `1 · 2 resent`. */
const splitCount = (rest: number, part: number, name: (count: number) => string, tone: Tone = 'neutral') => (
  <>
    <Count value={rest} tone={tone} />
    {part > 0 && ` · ${name(part)}`}
  </>
);

/** Lists the batches as which failed orders were resent, with operator and time. Renders nothing if there are none. */
export function Resends({ batch: { resends, resent, failed } }: { batch: TracedBatch }) {
  if (resends.length === 0) return null;
  return (
    <Notice tone="neutral" title={words.resentOf(resent, failed)}>
      {resends.map((batch) => (
        <div key={batch.batchId}>
          <BatchLink batch={batch} /> {words.resentBy(batch.operator ?? words.command)} <Time timeMs={batch.time} />
        </div>
      ))}
      {words.resentAgain}
    </Notice>
  );
}
