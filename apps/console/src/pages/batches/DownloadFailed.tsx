import type { ConsoleBatchDetail } from '@lockstep/contract/console';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { CallFailure, downloadOperation } from '../../api/index.ts';
import { Dialog, Failure } from '../../kit/index.ts';
import { kitWords } from '../../words/kit.ts';
import { useWords } from '../../words/words.ts';
import { batchesWords } from './words.ts';

/** Saves the failed orders of a batch as a file, or shows why that failed. */
export function DownloadFailed({ batch: { batchId, channelOrderId } }: { batch: ConsoleBatchDetail }) {
  const words = useWords(batchesWords);
  const shared = useWords(kitWords);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<CallFailure>();
  const download = async () => {
    setBusy(true);
    try {
      saveFile(
        await downloadOperation('downloadFailedOrders', { params: { batchId } }),
        `failed-${channelOrderId}.json`,
      );
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error;
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  const close = () => setFailure(undefined);
  return (
    <>
      <Button variant="default" loading={isBusy} title={words.downloadHint} onClick={() => void download()}>
        {words.download}
      </Button>
      {failure !== undefined && (
        <Dialog
          title={words.download}
          onClose={close}
          actions={
            <Button variant="default" onClick={close}>
              {shared.close}
            </Button>
          }
        >
          <Failure failure={failure} />
        </Dialog>
      )}
    </>
  );
}

/** Saves a blob as a file. The URL can be revoked right after the click. */
function saveFile(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
