import type { ConsoleOperationId } from '@lockstep/contract/console';
import { Button } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { CallFailure, type CallOf, exportOperation } from '../api/calls.ts';
import { kitWords } from '../words/kit.ts';
import { useNumberFormat, useWords } from '../words/words.ts';
import { Dialog } from './dialogs.tsx';
import { Failure } from './page.tsx';
import { saveFile } from './save-file.ts';

/** Saves all entries of a list as CSV, or shows why that failed. Leaving the page ends the export. */
export function ExportButton<Id extends ConsoleOperationId>({ operation, call }: { operation: Id; call: CallOf<Id> }) {
  const words = useWords(kitWords);
  const write = useNumberFormat();
  const [kilobytes, setKilobytes] = useState<number>();
  const [failure, setFailure] = useState<CallFailure>();
  const leaving = useRef(new AbortController());
  useEffect(() => {
    leaving.current = new AbortController();
    return () => leaving.current.abort();
  }, []);
  const save = async () => {
    const { signal } = leaving.current;
    setKilobytes(0);
    try {
      const onBytes = (bytes: number) => setKilobytes(Math.round(bytes / 1_000));
      const { file, name } = await exportOperation(operation, call, { signal, onBytes });
      saveFile(file, name);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof CallFailure)) throw error;
      setFailure(error);
    } finally {
      setKilobytes(undefined);
    }
  };
  const close = () => setFailure(undefined);
  const closeButton = (
    <Button variant="default" onClick={close}>
      {words.close}
    </Button>
  );
  return (
    <>
      <Button
        variant="default"
        size="compact-md"
        disabled={kilobytes !== undefined}
        aria-live="polite"
        onClick={() => void save()}
      >
        {kilobytes === undefined ? words.exportCsv : words.exporting(write(kilobytes))}
      </Button>
      {failure !== undefined && (
        <Dialog title={words.exportFailed} onClose={close} actions={closeButton}>
          <Failure failure={failure} />
        </Dialog>
      )}
    </>
  );
}
