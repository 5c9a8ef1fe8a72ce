import type { Overview, OverviewSpan } from '@lockstep/contract/console';
import { useMemo } from 'react';
import { Chart, Empty } from '../../kit/index.ts';
import { useNumberFormat } from '../../words/formats.ts';
import { useWords } from '../../words/words.ts';
import { SPANS } from './spans.ts';
import { overviewWords } from './words.ts';

type Props = Pick<Overview, 'pieces' | 'pieceSeconds'> & { span: OverviewSpan };

const LINES = [
  { count: 'accepted', tone: 'busy' },
  { count: 'succeeded', tone: 'good' },
  { count: 'failed', tone: 'bad' },
] as const;

/** Charts how many orders were accepted, succeeded and failed over a span, and states the totals. */
export function ActivityChart({ pieces, pieceSeconds, span }: Props) {
  const words = useWords(overviewWords);
  const write = useNumberFormat();
  const timesMs = useMemo(() => pieces.map(({ startTime }) => startTime), [pieces]);
  // Draws counts, not rates: the last piece is incomplete, so its rate would be a guess.
  const series = useMemo(
    () =>
      LINES.map(({ count, tone }) => ({
        tone,
        label: words[count],
        values: pieces.map((each) => each[count]),
      })),
    [pieces, words],
  );
  const [accepted, succeeded, failed] = LINES.map(({ count }) => pieces.reduce((sum, piece) => sum + piece[count], 0));
  if (accepted === 0 && succeeded === 0 && failed === 0) {
    return <Empty title={words.nothingDone}>{words.nothingDoneAdvice}</Empty>;
  }
  const sums = [write(accepted!), write(succeeded!), write(failed!)] as const;
  return (
    <>
      <p>
        {words.totals(...sums)}
        {words.gap}
        {words.intervals(pieceSeconds)}
      </p>
      <Chart label={words.chart(...sums, words[SPANS[span]] as string)} timesMs={timesMs} series={series} />
    </>
  );
}
