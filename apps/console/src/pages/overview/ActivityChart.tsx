import type { Overview, OverviewSpan } from '@lockstep/contract/console';
import { useMemo } from 'react';
import { Chart, Empty } from '../../kit/index.ts';
import { useNumberFormat } from '../../words/formats.ts';
import { useWords } from '../../words/words.ts';
import { perSecond, sumOf } from './rates.ts';
import { SPANS } from './spans.ts';
import { overviewWords } from './words.ts';

type Props = Pick<Overview, 'pieces' | 'pieceSeconds' | 'time'> & { span: OverviewSpan };

/** Orders a second over the span, and how many it were in all. */
export function ActivityChart({ pieces, pieceSeconds, time, span }: Props) {
  const words = useWords(overviewWords);
  const write = useNumberFormat();
  const [timesMs, series] = useMemo(
    () => [
      pieces.map(({ startTime }) => startTime),
      [
        { tone: 'busy' as const, label: words.accepted, values: perSecond(pieces, 'accepted', pieceSeconds, time) },
        { tone: 'good' as const, label: words.succeeded, values: perSecond(pieces, 'succeeded', pieceSeconds, time) },
        { tone: 'bad' as const, label: words.failed, values: perSecond(pieces, 'failed', pieceSeconds, time) },
      ].map((line) => ({ ...line, label: words.aSecond(line.label) })),
    ],
    [pieces, pieceSeconds, time, words],
  );
  const [accepted, succeeded, failed] = (['accepted', 'succeeded', 'failed'] as const).map((key) => sumOf(pieces, key));
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
