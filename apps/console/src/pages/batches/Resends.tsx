import type { TracedBatch } from '@lockstep/contract/console';
import { Notice, Time } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { BatchLink } from './BatchLink.tsx';
import { batchesWords } from './words.ts';

/** Lists the batches as which failed orders were resent, with operator and time. Renders nothing if there are none. */
export function Resends({ resends }: Pick<TracedBatch, 'resends'>) {
  const words = useWords(batchesWords);
  if (resends.length === 0) return null;
  return (
    <Notice tone="warn" title={words.resentAs}>
      {resends.map((batch) => (
        <div key={batch.batchId}>
          <BatchLink batch={batch} /> {words.resentBy(batch.operator ?? words.command)}{' '}
          <Time timeMs={batch.time} isRelative />
        </div>
      ))}
      {words.resentAgain}
    </Notice>
  );
}
