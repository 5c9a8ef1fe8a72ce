import type { Overview, OverviewSpan } from '@lockstep/contract/console';
import { useMemo } from 'react';
import { Chart, Empty } from '../../kit/index.ts';
import { useNumberFormat } from '../../words/formats.ts';
import { useWords } from '../../words/words.ts';
import { SPANS } from './spans.ts';
import { overviewWords } from './words.ts';

type Props = Pick<Overview, 'intervals' | 'intervalSeconds'> & { span: OverviewSpan };

const LINES = [
  { count: 'accepted', tone: 'busy' },
  { count: 'succeeded', tone: 'good' },
  { count: 'failed', tone: 'bad' },
] as const;

/** Charts how many orders were accepted, succeeded and failed over a span, and states the totals. */
export function ActivityChart({ intervals, intervalSeconds, span }: Props) {
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
