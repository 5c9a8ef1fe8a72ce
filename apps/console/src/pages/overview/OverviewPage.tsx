import type { Overview, OverviewSpan } from '@lockstep/contract/console';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMe, useOperation } from '../../api/operations.ts';
import { Choice, optionsOf } from '../../kit/inputs.tsx';
import { Page, Query, Section } from '../../kit/page.tsx';
import { Empty, Notice } from '../../kit/signs.tsx';
import { type Column, DataTable } from '../../kit/table.tsx';
import { Chart, CopyButton, CopyId, Count, Figure, Figures, Time } from '../../kit/values.tsx';
import { useCauseWords } from '../../words/causes.ts';
import { useDuration, useNumberFormat, useRate, useWords } from '../../words/words.ts';
import { useBatchTable } from '../batches/Batches.tsx';
import { batchesWords } from '../batches/words.ts';
import { DelayedChannels } from '../channels/Channels.tsx';
import { pageOf } from '../links.tsx';
import { useWebhookTable } from '../webhooks/Webhooks.tsx';
import { HealthSection } from './HealthSection.tsx';
import { overviewWords } from './words.ts';

const REFRESH_MS = 5_000;

const route = getRouteApi('/');

/** Activity, backlog and health of the service. */
export function OverviewPage() {
  const words = useWords(overviewWords);
  const span = readSpan(route.useSearch().span);
  const write = useNumberFormat();
  const { channels } = useMe();
  const webhookTable = useWebhookTable();
  const overview = useOperation('getOverview', { query: { span } }, { refreshMs: REFRESH_MS, keepsPrevious: true });
  return (
    <Page title={words.overview} lead={channels === null ? words.lead : words.leadOf(channels.join(words.comma))}>
      <Query of={overview}>
        {({ time, now, intervals, intervalSeconds, failures, backlog, delayed, webhooks, checks, demo }) => (
          <>
            {demo !== null && <DemoNotice {...demo} />}
            <HealthSection checks={checks} time={time} />
            <NowFigures now={now} backlog={backlog} time={time} isBehind={delayed.behind > 0} />
            <DelayedChannels delayed={delayed} />
            {channels === null && (
              <Section title={words.activity} actions={<SpanChoice span={span} />}>
                <ActivityChart intervals={intervals} intervalSeconds={intervalSeconds} span={span} />
              </Section>
            )}
            <Section title={words.latestBatches}>
              <LatestBatches />
            </Section>
            {channels === null && (
              <Section title={words.failures}>
                <FailureCauses failures={failures} />
              </Section>
            )}
            <Section title={words.failingWebhooks}>
              <DataTable
                label={words.webhooksTable}
                rows={webhooks.unhealthy}
                {...webhookTable}
                empty={<Empty title={words.noFailingWebhooks(write(webhooks.active))} />}
              />
            </Section>
          </>
        )}
      </Query>
    </Page>
  );
}

function SpanChoice({ span }: { span: OverviewSpan }) {
  const words = useWords(overviewWords);
  const navigate = route.useNavigate();
  return (
    <Choice
      aria-label={words.span}
      options={optionsOf(SPANS, (each) => words[`span${each}`])}
      value={span}
      onChange={(chosen) => void navigate({ search: { span: chosen } })}
    />
  );
}

/** Tells a newcomer that this is the demo, what is in it, and what to do next; nothing once the reader goes further. */
function DemoNotice({ appKey, submitCommand }: NonNullable<Overview['demo']>) {
  const words = useWords(overviewWords);
  const { data } = useOperation('listAllBatches', LATEST_BATCHES, { keepsPrevious: true });
  if (data === undefined) return null;
  const steps = [
    { does: words.demoFirst, file: 'first-batch.json' },
    { does: words.demoMixed, file: 'mixed-batch.json' },
  ];
  if (data.batches.length > steps.length) return null;
  const step = steps[data.batches.length];
  const command = step && `${submitCommand} examples/${step.file}`;
  return (
    <Notice tone="neutral" title={step?.does ?? words.demoTutorial}>
      {command !== undefined && (
        <p>
          <code>{command}</code> <CopyButton text={command} what={words.demoCommand} />
        </p>
      )}
      {words.demoData}
      {words.gap}
      <Link to="/enterprises">{words.demoEnterprises}</Link>
      {words.comma}
      <Link {...pageOf.application(appKey)}>{words.demoApplication}</Link>
      {words.comma}
      {words.demoGuide}
    </Notice>
  );
}

type NowProps = Pick<Overview, 'now' | 'backlog' | 'time'> & { isBehind: boolean };

/** Current throughput and backlog. If a channel is behind, the oldest order is highlighted. */
function NowFigures({ now, backlog, time, isBehind }: NowProps) {
  const words = useWords(overviewWords);
  const write = useNumberFormat({ maximumFractionDigits: 0 });
  const writeRate = useRate();
  const writeDuration = useDuration();
  const rate = (orders: number) => writeRate(orders / now.seconds);
  const { oldest, pendingOrders, pausedOrders, heldOrders } = backlog;
  const age = oldest === null ? null : writeDuration(Math.max(0, time - oldest.acceptedTime));
  return (
    <Section title={words.now} actions={<span>{words.ofLastSeconds(write(now.seconds))}</span>}>
      <Figures>
        <Figure label={words.acceptedRate} value={rate(now.accepted)} tone="busy" />
        <Figure label={words.succeededRate} value={rate(now.succeeded)} tone="good" />
        <Figure label={words.failedRate} value={rate(now.failed)} tone={now.failed > 0 ? 'bad' : 'neutral'} />
        <Figure label={words.pendingOrders} value={pendingOrders} tone="neutral" />
        <Figure label={words.oldestPending} value={age ?? words.nothingPending} tone={isBehind ? 'warn' : 'neutral'} />
        {pausedOrders > 0 && <Figure label={words.pausedOrders} value={pausedOrders} tone="warn" />}
        {heldOrders > 0 && <Figure label={words.heldOrders} value={heldOrders} tone="warn" />}
      </Figures>
      {oldest !== null && isBehind && (
        <p>
          {words.oldestBatch(age ?? '')}{' '}
          <CopyId id={oldest.batchId} what={words.batchNumber(oldest.batchId)}>
            <Link {...pageOf.batch(oldest.batchId)}>{words.batchNumber(oldest.batchId)}</Link>
          </CopyId>
        </p>
      )}
    </Section>
  );
}

type Props = Pick<Overview, 'intervals' | 'intervalSeconds'> & { span: OverviewSpan };

const LINES = [
  { count: 'accepted', tone: 'busy' },
  { count: 'succeeded', tone: 'good' },
  { count: 'failed', tone: 'bad' },
] as const;

/** Charts how many orders were accepted, succeeded and failed over a span, and states the totals. */
function ActivityChart({ intervals, intervalSeconds, span }: Props) {
  const words = useWords(overviewWords);
  const write = useNumberFormat();
  const timesMs = intervals.map(({ startTime }) => startTime);
  // Draws counts, not rates: the last interval is incomplete, so its rate would be a guess.
  const series = LINES.map(({ count, tone }) => ({
    tone,
    label: words[count],
    values: intervals.map((each) => each[count]),
  }));
  const [accepted, succeeded, failed] = LINES.map(({ count }) => intervals.reduce((sum, each) => sum + each[count], 0));
  if (accepted === 0 && succeeded === 0 && failed === 0) {
    return <Empty title={words.nothingDone}>{words.nothingDoneAdvice}</Empty>;
  }
  const sums = [write(accepted!), write(succeeded!), write(failed!)] as const;
  return (
    <>
      <p>
        {words.totals(...sums)}
        {words.gap}
        {words.intervals(intervalSeconds)}
      </p>
      <Chart label={words.chart(...sums, words[`span${span}`])} timesMs={timesMs} series={series} />
    </>
  );
}

/** The call that reads the latest batches. */
const LATEST_BATCHES = { query: { limit: '5' } };

/** The latest batches of all applications. */
function LatestBatches() {
  const words = useWords(overviewWords);
  const ofBatches = useWords(batchesWords);
  const table = useBatchTable();
  const found = useOperation('listAllBatches', LATEST_BATCHES, { keepsPrevious: true, refreshMs: REFRESH_MS });
  return (
    <Query of={found}>
      {({ batches }) => (
        <DataTable
          label={words.latestBatchesTable}
          rows={batches}
          {...table}
          empty={<Empty title={ofBatches.noBatches}>{ofBatches.noBatchesAdvice}</Empty>}
          footer={<Link to="/batches">{words.allBatches}</Link>}
        />
      )}
    </Query>
  );
}

/** Failures by cause, linked to the orders. */
function FailureCauses({ failures }: Pick<Overview, 'failures'>) {
  const words = useWords(overviewWords);
  const causeWords = useCauseWords();
  const columns: Column<Overview['failures'][number]>[] = [
    {
      header: words.cause,
      cell: ({ cause }) => (
        <>
          <Link {...pageOf.orders({ state: 'failed', cause })}>
            <code>{cause}</code>
          </Link>
          {causeWords({ cause, message: null }) !== cause && <> {causeWords({ cause, message: null })}</>}
        </>
      ),
    },
    { header: words.orders, align: 'end', cell: ({ failed }) => <Count value={failed} /> },
    { header: words.last, isMinor: true, cell: ({ lastTime }) => <Time timeMs={lastTime} /> },
  ];
  return (
    <DataTable
      label={words.failuresTable}
      columns={columns}
      rows={failures}
      rowKey={({ cause }) => cause}
      empty={<Empty title={words.noFailures} />}
    />
  );
}

const SPANS: readonly OverviewSpan[] = ['1h', '6h', '24h', '7d', '14d'];

/** Returns the period named in the address; 6 hours if there is none or it is unknown. */
function readSpan(text: string | undefined): OverviewSpan {
  return SPANS.find((span) => span === text) ?? '6h';
}
