import type { Overview } from '@lockstep/contract/console';
import { Link } from '@tanstack/react-router';
import { CopyId, Figure, Figures, Section } from '../../kit/index.ts';
import { useDuration, useNumberFormat } from '../../words/formats.ts';
import { useWords } from '../../words/words.ts';
import { overviewWords } from './words.ts';

/** An order that waits for longer is worth a look. */
const LONG_MS = 30_000;

/** What is done each second, and what waits. */
export function NowFigures({ now, backlog, time }: Pick<Overview, 'now' | 'backlog' | 'time'>) {
  const words = useWords(overviewWords);
  const write = useNumberFormat({ maximumSignificantDigits: 3 });
  const writeDuration = useDuration();
  const rate = (orders: number) => write(orders / now.seconds);
  const { oldest, pendingOrders } = backlog;
  const age = oldest === null ? null : writeDuration(Math.max(0, time - oldest.acceptedTime));
  const isLong = oldest !== null && time - oldest.acceptedTime >= LONG_MS;
  const beside = words.ofLastSeconds(write(Math.round(now.seconds)));
  return (
    <Section title={words.now}>
      <Figures>
        <Figure label={words.acceptedNow} value={rate(now.accepted)} tone="busy" beside={beside} />
        <Figure label={words.succeededNow} value={rate(now.succeeded)} tone="good" beside={beside} />
        <Figure
          label={words.failedNow}
          value={rate(now.failed)}
          tone={now.failed > 0 ? 'bad' : 'neutral'}
          beside={beside}
        />
        <Figure label={words.pending} value={pendingOrders ?? words.pendingUnknown} tone="neutral" />
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
