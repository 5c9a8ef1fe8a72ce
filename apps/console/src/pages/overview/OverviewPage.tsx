import type { Overview, OverviewSpan } from '@lockstep/contract/console';
import { NativeSelect } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useOperation } from '../../api/index.ts';
import {
  Chart,
  type Column,
  CopyButton,
  CopyId,
  Count,
  DataTable,
  Empty,
  Figure,
  Figures,
  Notice,
  Page,
  Query,
  Section,
  Time,
} from '../../kit/index.ts';
import { useCauseWords } from '../../words/causes.ts';
import { useDuration, useNumberFormat, useRate, useWords } from '../../words/words.ts';
import { BatchTable } from '../batches/Batches.tsx';
import { batchesWords } from '../batches/words.ts';
import { DelayedChannels } from '../channels/Channels.tsx';
import { WebhookTable } from '../webhooks/Webhooks.tsx';
import { HealthSection } from './HealthSection.tsx';
import { overviewWords } from './words.ts';

const REFRESH_MS = 5_000;

const route = getRouteApi('/');

/** Activity, backlog and health of the service. */
export function OverviewPage() {
  const words = useWords(overviewWords);
  const span = readSpan(route.useSearch().span);
  const write = useNumberFormat();
  const overview = useOperation('getOverview', { query: { span } }, { refreshMs: REFRESH_MS, keepsPrevious: true });
  return (
    <Page title={words.overview} lead={words.lead}>
      <Query of={overview}>
        {({ time, now, intervals, intervalSeconds, failures, backlog, delayed, webhooks, checks, demo }) => (
          <>
            {demo !== null && <DemoNotice {...demo} />}
            <HealthSection checks={checks} time={time} />
            <NowFigures now={now} backlog={backlog} time={time} />
            <DelayedChannels delayed={delayed} />
            <Section title={words.activity} actions={<SpanChoice span={span} />}>
              <ActivityChart intervals={intervals} intervalSeconds={intervalSeconds} span={span} />
            </Section>
            <Section title={words.latestBatches}>
              <LatestBatches refreshMs={REFRESH_MS} />
            </Section>
            <Section title={words.failures}>
              <FailureCauses failures={failures} />
            </Section>
            <Section title={words.failingWebhooks}>
              <WebhookTable
                label={words.webhooksTable}
                rows={webhooks.unhealthy}
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
  const options = Object.entries(SPANS).map(([value, word]) => ({ value, label: words[word] as string }));
  return (
    <NativeSelect
      aria-label={words.span}
      data={options}
      value={span}
      onChange={({ currentTarget }) => void navigate({ search: { span: currentTarget.value } })}
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
      <Link to="/applications/$appKey" params={{ appKey }}>
        {words.demoApplication}
      </Link>
      {words.comma}
      <a href={new URL('../guides/tutorial', document.baseURI).href}>{words.demoGuide}</a>
    </Notice>
  );
}

/** An order pending for longer is highlighted. */
const LONG_MS = 30_000;

/** Current throughput and backlog. */
function NowFigures({ now, backlog, time }: Pick<Overview, 'now' | 'backlog' | 'time'>) {
  const words = useWords(overviewWords);
  const write = useNumberFormat({ maximumFractionDigits: 0 });
  const writeRate = useRate();
  const writeDuration = useDuration();
  const rate = (orders: number) => writeRate(orders / now.seconds);
  const { oldest, pendingOrders } = backlog;
  const age = oldest === null ? null : writeDuration(Math.max(0, time - oldest.acceptedTime));
  const isLong = oldest !== null && time - oldest.acceptedTime >= LONG_MS;
  return (
    <Section title={words.now} actions={<span>{words.ofLastSeconds(write(now.seconds))}</span>}>
      <Figures>
        <Figure label={words.acceptedNow} value={rate(now.accepted)} tone="busy" />
        <Figure label={words.succeededNow} value={rate(now.succeeded)} tone="good" />
        <Figure label={words.failedNow} value={rate(now.failed)} tone={now.failed > 0 ? 'bad' : 'neutral'} />
        <Figure label={words.pending} value={pendingOrders} tone="neutral" />
        <Figure label={words.oldest} value={age ?? words.nothingPending} tone={isLong ? 'warn' : 'neutral'} />
      </Figures>
      {oldest !== null && isLong && (
        <p>
          {words.oldestBatch(age ?? '')}{' '}
          <CopyId id={oldest.batchId} what={words.batchNumber(oldest.batchId)}>
            <Link to="/batches/$batchId" params={{ batchId: oldest.batchId }}>
              {words.batchNumber(oldest.batchId)}
            </Link>
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
  const timesMs = useMemo(() => intervals.map(({ startTime }) => startTime), [intervals]);
  // Draws counts, not rates: the last interval is incomplete, so its rate would be a guess.
  const series = useMemo(
    () =>
      LINES.map(({ count, tone }) => ({
        tone,
        label: words[count],
        values: intervals.map((each) => each[count]),
      })),
    [intervals, words],
  );
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
      <Chart label={words.chart(...sums, words[SPANS[span]] as string)} timesMs={timesMs} series={series} />
    </>
  );
}

/** The call that reads the latest batches. */
const LATEST_BATCHES = { query: { limit: '5' } };

/** The latest batches of all applications. */
function LatestBatches({ refreshMs }: { refreshMs: number }) {
  const words = useWords(overviewWords);
  const ofBatches = useWords(batchesWords);
  const found = useOperation('listAllBatches', LATEST_BATCHES, { keepsPrevious: true, refreshMs });
  return (
    <Query of={found}>
      {({ batches }) => (
        <BatchTable
          label={words.latestBatchesTable}
          rows={batches}
          empty={<Empty title={ofBatches.noBatches}>{ofBatches.noBatchesAdvice}</Empty>}
          footer={<Link to="/batches">{words.allBatches}</Link>}
        />
      )}
    </Query>
  );
}

type Failure = Overview['failures'][number];

/** Failures by cause, linked to the orders. */
function FailureCauses({ failures }: Pick<Overview, 'failures'>) {
  const words = useWords(overviewWords);
  const causeWords = useCauseWords();
  const columns: Column<Failure>[] = [
    {
      header: words.cause,
      cell: ({ cause }) => {
        const meaning = causeWords(cause, null);
        return (
          <>
            <Link to="/orders" search={{ state: 'failed', cause }}>
              <code>{cause}</code>
            </Link>
            {meaning !== cause && <> {meaning}</>}
          </>
        );
      },
    },
    { header: words.orders, align: 'end', cell: ({ failed }) => <Count value={failed} /> },
    { header: words.last, isMinor: true, cell: ({ lastTime }) => <Time timeMs={lastTime} isRelative /> },
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

/** The periods of the overview, with the keys of their words. */
const SPANS: Record<OverviewSpan, keyof typeof overviewWords.en> = {
  '1h': 'span1h',
  '6h': 'span6h',
  '24h': 'span24h',
  '7d': 'span7d',
  '14d': 'span14d',
};

const DEFAULT_SPAN: OverviewSpan = '6h';

/** Returns the period named in the address; 6 hours if there is none or it is unknown. */
function readSpan(text: string | undefined): OverviewSpan {
  return text !== undefined && Object.hasOwn(SPANS, text) ? (text as OverviewSpan) : DEFAULT_SPAN;
}
