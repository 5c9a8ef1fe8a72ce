import type { Overview, OverviewSpan } from '@lockstep/contract/console';
import { Button, Group } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { REFRESH_MS, useMe, useOperation } from '../../api/operations.ts';
import { lastNight } from '../../kit/filters.tsx';
import { Choice, optionsOf, useAddress } from '../../kit/inputs.tsx';
import { Page, Section } from '../../kit/page.tsx';
import { Empty, Notice } from '../../kit/signs.tsx';
import { type Column, DataTable } from '../../kit/table.tsx';
import { Bar, CopyButton, Figure, Figures, Time } from '../../kit/values.tsx';
import { explainCause } from '../../words/causes.ts';
import { writeDuration, writeRate } from '../../words/formats.ts';
import { writeTime } from '../../words/times.ts';
import { LATEST, LatestBatches } from '../batches/Batches.tsx';
import { DelayedChannels } from '../channels/Channels.tsx';
import { pageOf } from '../links.tsx';
import { webhookTable } from '../webhooks/Webhooks.tsx';
import { HealthSection } from './HealthSection.tsx';
import { overviewWords as words } from './words.ts';

const LineChart = lazy(() => import('../../kit/LineChart.tsx'));

/** Health, backlog and activity of the service. */
export function OverviewPage() {
  const [address] = useAddress();
  const span = SPANS.find((each) => each === address.span) ?? '6h';
  const { channels } = useMe();
  const overview = useOperation('getOverview', { query: { span } }, { refreshMs: REFRESH_MS, keepsPrevious: true });
  return (
    <Page title={words.overview} lead={words.lead} of={overview}>
      {({ delayed, webhooks, checks, demo, ...data }) => (
        <>
          {demo !== null && <DemoNotice {...demo} />}
          <HealthSection checks={checks} time={data.time} />
          <NowFigures {...data} isBehind={delayed.behind > 0} />
          <DelayedChannels delayed={delayed} />
          {webhooks.unhealthy.length > 0 && (
            <Section title={words.failingWebhooks}>
              <DataTable label={words.webhooksTable} rows={webhooks.unhealthy} {...webhookTable} />
            </Section>
          )}
          {channels === null && <Activity {...data} span={span} />}
          <LatestBatches of={{}} />
        </>
      )}
    </Page>
  );
}

/** Tells a newcomer that this is the demo, what is in it, and what to do next; nothing once the reader goes further. */
function DemoNotice({ appKey, submitCommand }: NonNullable<Overview['demo']>) {
  const { data } = useOperation('listAllBatches', { query: LATEST }, { keepsPrevious: true });
  if (data === undefined) return null;
  const steps = [[words.demoFirst, 'first-batch.json'] as const, [words.demoMixed, 'mixed-batch.json'] as const];
  if (data.batches.length > steps.length) return null;
  const [title = words.demoTutorial, file] = steps[data.batches.length] ?? [];
  const command = file && `${submitCommand} examples/${file}`;
  return (
    <Notice tone="neutral" title={title}>
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

type NowProps = Pick<Overview, 'now' | 'backlog' | 'time' | 'intervals'> & { isBehind: boolean };

/** Current throughput and backlog, linked to the orders. If a channel is behind, the oldest order is highlighted. */
function NowFigures({ now, backlog, time, intervals, isBehind }: NowProps) {
  const rate = (orders: number) => writeRate(orders / now.seconds);
  const { oldest, pendingOrders, pausedOrders, heldOrders } = backlog;
  const failedSince: Record<string, string> = intervals[0] ? { acceptedFrom: String(intervals[0].startTime) } : {};
  return (
    <>
      <Figures>
        <Figure label={words.acceptedRate} value={rate(now.accepted)} tone="busy" />
        <Figure label={words.succeededRate} value={rate(now.succeeded)} tone="good" />
        <Figure
          label={words.failedRate}
          value={rate(now.failed)}
          tone={now.failed > 0 ? 'bad' : 'neutral'}
          link={pageOf.orders({ state: 'failed', ...failedSince })}
        />
        <Figure label={words.pendingOrders} value={pendingOrders} link={pageOf.orders({ state: 'pending' })} />
        <Figure
          label={words.oldestPending}
          value={oldest === null ? words.none : writeDuration(Math.max(0, time - oldest.acceptedTime))}
          tone={isBehind ? 'warn' : 'neutral'}
          {...(oldest && { link: pageOf.batch(oldest.batchId) })}
        />
        {pausedOrders > 0 && (
          <Figure
            label={words.pausedOrders}
            value={pausedOrders}
            tone="warn"
            link={pageOf.channels({ state: 'paused' })}
          />
        )}
        {heldOrders > 0 && <Figure label={words.heldOrders} value={heldOrders} tone="warn" link={{ to: '/holds' }} />}
      </Figures>
      <div className="small">{words.ofLastSeconds(Math.round(now.seconds))}</div>
    </>
  );
}

type ActivityProps = Pick<Overview, 'intervals' | 'intervalSeconds' | 'failures' | 'failedChannels'> & {
  span: OverviewSpan;
};

const SERIES = [
  { count: 'accepted', tone: 'busy' },
  { count: 'succeeded', tone: 'good' },
  { count: 'failed', tone: 'bad' },
  { count: 'pending', tone: 'warn', isLevel: true },
] as const;

/**
 * Charts how many orders were accepted, succeeded, failed and were pending over a period, and why they failed. Nothing
 * tells how old the pending ones were: channels and customers get on at their own pace.
 */
function Activity({ intervals, intervalSeconds, failures, failedChannels, span }: ActivityProps) {
  const nightMs = lastNight();
  const [{ from, to }, change] = useAddress();
  const part = from && to ? { acceptedFrom: from, acceptedTo: to } : null;
  const intervalMs = 1_000 * intervalSeconds;
  const shown = intervals.filter(
    ({ startTime }) => part === null || (startTime >= Number(from) && startTime <= Number(to)),
  );
  // Draws counts, not rates: the last interval is incomplete, so its rate would be a guess.
  const series = SERIES.map(({ count, ...line }) => ({
    ...line,
    label: words[count],
    values: shown.map((each) => each[count]),
  }));
  const sums = SERIES.map(({ count }) =>
    shown.reduce((sum, each) => (count === 'pending' ? each.pending : sum + each[count]), 0),
  );
  const period = part === null ? words[`span${span}`] : writePart(part);
  const zoomTo = (fromMs: number, toMs: number) => {
    // Whole intervals, and at least two, between which there is something to draw.
    const [first, last] = [fromMs, toMs].map((timeMs) => Math.floor(timeMs / intervalMs)) as [number, number];
    const end = (Math.max(last, first + 1) + 1) * intervalMs - 1;
    change({ from: String(first * intervalMs), to: String(end) });
  };
  return (
    <>
      <Section
        title={words.activity}
        actions={
          <Group>
            <Link
              {...pageOf.orders({ state: 'failed', acceptedFrom: String(nightMs[0]), acceptedTo: String(nightMs[1]) })}
            >
              {words.failedLastNight}
            </Link>
            <Choice
              aria-label={words.span}
              options={optionsOf(SPANS, (each) => words[`span${each}`])}
              value={span}
              onChange={(chosen) => change({ span: chosen, ...WHOLE })}
            />
          </Group>
        }
      >
        {part !== null && <Zoom part={part} onClear={() => change(WHOLE)} />}
        {sums.every((sum) => sum === 0) ? (
          <Empty title={words.nothingDone}>{words.nothingDoneAdvice}</Empty>
        ) : (
          <Suspense fallback={<div style={{ height: 460 }} />}>
            <LineChart
              label={words.chart(...(sums as [number, number, number, number]), period)}
              period={period}
              timesMs={shown.map(({ startTime }) => startTime)}
              panels={[series.slice(2, 3), series.slice(0, 2), series.slice(3)]}
              onZoom={zoomTo}
            />
          </Suspense>
        )}
        <div className="small">{words.intervals({ seconds: intervalSeconds })}</div>
      </Section>
      {failures.length > 0 && (
        <Section title={words.failures}>
          {part !== null && <div className="small">{words.wholePeriod(words[`span${span}`])}</div>}
          <FailureCauses failures={failures} search={part ?? {}} />
          {failedChannels.length > 0 && (
            <DataTable
              label={words.failedChannels}
              rows={failedChannels}
              rowKey={({ channelCode }) => channelCode}
              columns={[
                {
                  header: words.channel,
                  cell: ({ channelCode }) => (
                    <Link {...pageOf.orders({ state: 'failed', channelCode, ...part })}>{channelCode}</Link>
                  ),
                },
                failedColumn(words.orders, failedChannels),
              ]}
            />
          )}
        </Section>
      )}
    </>
  );
}

/** A part of the period: the parameters by which lists find what was accepted then. */
type Part = { acceptedFrom: string; acceptedTo: string };
/** The parameters of the address for the whole period. */
const WHOLE = { from: undefined, to: undefined };

const writePart = (part: Part) =>
  [part.acceptedFrom, part.acceptedTo].map((timeMs) => writeTime(Number(timeMs), 'local').slice(0, 16)).join(' – ');

/** The part of the period that the chart shows, with links to the orders and batches of that time. */
function Zoom({ part, onClear }: { part: Part; onClear: () => void }) {
  return (
    <Group gap="md">
      <Button
        size="compact-sm"
        variant="light"
        radius="xl"
        rightSection={<IconX size={14} />}
        title={words.clearZoom}
        onClick={onClear}
      >
        {writePart(part)}
      </Button>
      <Link {...pageOf.orders(part)}>{words.acceptedThen}</Link>
      <Link {...pageOf.orders({ ...part, state: 'failed' })}>{words.failedThen}</Link>
      <Link {...pageOf.batches(part)}>{words.batchesThen}</Link>
    </Group>
  );
}

type CausesProps = Pick<Overview, 'failures'> & { search: { [name: string]: string } };

/** Failures by cause, linked to the orders that `search` finds. */
function FailureCauses({ failures, search }: CausesProps) {
  const columns: Column<Overview['failures'][number]>[] = [
    {
      header: words.cause,
      cell: ({ cause }) => (
        <>
          <Link {...pageOf.orders({ state: 'failed', cause, ...search })}>
            <code>{cause}</code>
          </Link>
          {explainCause({ cause, message: null }) !== cause && <> {explainCause({ cause, message: null })}</>}
        </>
      ),
    },
    failedColumn(words.orders, failures),
    { header: words.last, isMinor: true, cell: ({ lastTime }) => <Time timeMs={lastTime} /> },
  ];
  return <DataTable label={words.failuresTable} columns={columns} rows={failures} rowKey={({ cause }) => cause} />;
}

/** The column of failed orders. Its bars compare the rows with the first one, which has the most. */
const failedColumn = (header: string, [first]: readonly { failed: number }[]): Column<{ failed: number }> => ({
  header,
  align: 'end',
  width: '12rem',
  cell: ({ failed }) => <Bar value={failed} most={first!.failed} tone="bad" />,
});

const SPANS: readonly OverviewSpan[] = ['1h', '6h', '24h', '7d', '14d'];
