import type { ConsoleBatchDetail } from '@lockstep/contract/console';
import { ConfirmButton } from '../../kit/index.ts';
import { useNumberFormat } from '../../words/formats.ts';
import { useWords } from '../../words/words.ts';
import { batchesWords } from './words.ts';

/** Cancels the pending orders of a batch after confirmation. */
export function CancelBatch({ batch: { batchId, pending } }: { batch: ConsoleBatchDetail }) {
  const words = useWords(batchesWords);
  const write = useNumberFormat();
  return (
    <ConfirmButton
      operation="cancelBatch"
      call={{ params: { batchId } }}
      label={words.cancel}
      title={words.cancelTitle(write(pending))}
      confirmLabel={words.cancelConfirm}
      dismissLabel={words.cancelDismiss}
      isDangerous
      done={({ cancelled }) => (cancelled === 0 ? words.nothingCancelled : words.cancelled(write(cancelled)))}
    >
      <p>{words.cancelText}</p>
      <p>{words.cancelFinished}</p>
    </ConfirmButton>
  );
}
