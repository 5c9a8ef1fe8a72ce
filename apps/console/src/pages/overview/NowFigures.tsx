import type { Overview } from '@lockstep/contract/console';
import { Link } from '@tanstack/react-router';
import { CopyId, Figure, Figures, Section } from '../../kit/index.ts';
import { useDuration, useNumberFormat, useRate } from '../../words/formats.ts';
import { useWords } from '../../words/words.ts';
import { overviewWords } from './words.ts';

/** An order pending for longer is highlighted. */
const LONG_MS = 30_000;

/** Current throughput and backlog. */
export function NowFigures({ now, backlog, time }: Pick<Overview, 'now' | 'backlog' | 'time'>) {
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
