import type { Overview, OverviewSpan } from '@lockstep/contract/console';
import { useMemo } from 'react';
import { Chart, Empty } from '../../kit/index.ts';
import { useNumberFormat } from '../../words/formats.ts';
import { useWords } from '../../words/words.ts';
import { chooseUnit, perUnit, sumOf } from './rates.ts';
import { SPANS } from './spans.ts';
import { overviewWords } from './words.ts';

type Props = Pick<Overview, 'pieces' | 'pieceSeconds' | 'time'> & { span: OverviewSpan };

const LINES = [
  { count: 'accepted', tone: 'busy' },
  { count: 'succeeded', tone: 'good' },
  { count: 'failed', tone: 'bad' },
] as const;

/** How many orders there were over the span, and how many it were in all. */
export function ActivityChart({ pieces, pieceSeconds, time, span }: Props) {
  const words = useWords(overviewWords);
  const write = useNumberFormat();
  const timesMs = useMemo(() => pieces.map(({ startTime }) => startTime), [pieces]);
  const series = useMemo(() => {
    const unit = chooseUnit(pieces, pieceSeconds);
    return LINES.map(({ count, tone }) => ({
      tone,
      label: words[unit.word](words[count]),
      values: perUnit(pieces, count, unit, { pieceSeconds, time }),
    }));
  }, [pieces, pieceSeconds, time, words]);
  const [accepted, succeeded, failed] = LINES.map(({ count }) => sumOf(pieces, count));
  if (accepted === 0 && succeeded === 0 && failed === 0) {
    return <Empty title={words.nothingDone}>{words.nothingDoneAdvice}</Empty>;
  }
  const sums = [write(accepted!), write(succeeded!), write(failed!)] as const;
  return (
    <>
      <p>{words.totals(...sums)}</p>
      <Chart label={words.chart(...sums, words[SPANS[span]] as string)} timesMs={timesMs} series={series} />
    </>
  );
}
