import type { ConsoleBatchDetail } from '@lockstep/contract/console';
import { useChange } from '../../api/index.ts';
import { announce, ConfirmButton } from '../../kit/index.ts';
import { useNumberFormat } from '../../words/formats.ts';
import { useWords } from '../../words/words.ts';
import { batchesWords } from './words.ts';

/** Cancels what is pending of a batch, after it has said how much that is. */
export function CancelBatch({ batch: { batchId, pending } }: { batch: ConsoleBatchDetail }) {
  const words = useWords(batchesWords);
  const write = useNumberFormat();
  const cancel = useChange('cancelBatch');
  return (
    <ConfirmButton
      label={words.cancel}
      title={words.cancelTitle(write(pending))}
      confirmLabel={words.cancelConfirm}
      isDangerous
      onConfirm={async () => {
        const { cancelled } = await cancel.mutateAsync({ params: { batchId } });
        if (cancelled === 0) announce('good', words.nothingCancelled);
        else announce('good', words.cancelled(write(cancelled)));
      }}
    >
      <p>{words.cancelText}</p>
      <p>{words.cancelFinished}</p>
    </ConfirmButton>
  );
}
