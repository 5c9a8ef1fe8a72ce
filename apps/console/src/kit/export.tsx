import type { ConsoleOperationId } from '@lockstep/contract/console';
import { Button, type ButtonProps } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { CallFailure, type CallOf, exportOperation } from '../api/calls.ts';
import { kitWords } from '../words/kit.ts';
import { useNumberFormat, useWords } from '../words/words.ts';
import { Dialog } from './dialogs.tsx';
import { Failure } from './page.tsx';
import { saveFile } from './save-file.ts';

interface Save extends ButtonProps {
  children: ReactNode;
  title?: string;
  failedTitle: string;
  fetchFile: (signal: AbortSignal) => Promise<{ file: Blob; name: string }>;
}

/** A button that saves a file, or shows why that failed. Leaving the page ends the download. */
export function SaveButton({ children, failedTitle, fetchFile, ...button }: Save) {
  const words = useWords(kitWords);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<CallFailure>();
  const leaving = useRef(new AbortController());
  useEffect(() => {
    leaving.current = new AbortController();
    return () => leaving.current.abort();
  }, []);
  const save = async () => {
    const { signal } = leaving.current;
    setBusy(true);
    try {
      const { file, name } = await fetchFile(signal);
      saveFile(file, name);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof CallFailure)) throw error;
      setFailure(error);
    } finally {
      setBusy(false);
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
      <Button variant="default" disabled={isBusy} aria-live="polite" onClick={() => void save()} {...button}>
        {children}
      </Button>
      {failure !== undefined && (
        <Dialog title={failedTitle} onClose={close} actions={closeButton}>
          <Failure failure={failure} />
        </Dialog>
      )}
    </>
  );
}

/** Saves all entries of a list as CSV. */
export function ExportButton<Id extends ConsoleOperationId>({ operation, call }: { operation: Id; call: CallOf<Id> }) {
  const words = useWords(kitWords);
  const write = useNumberFormat();
  const [kilobytes, setKilobytes] = useState<number>();
  const fetchFile = async (signal: AbortSignal) => {
    const onBytes = (bytes: number) => setKilobytes(Math.round(bytes / 1_000));
    onBytes(0);
    return await exportOperation(operation, call, { signal, onBytes }).finally(() => setKilobytes(undefined));
  };
  return (
    <SaveButton size="compact-sm" failedTitle={words.exportFailed} fetchFile={fetchFile}>
      {kilobytes === undefined ? words.exportCsv : words.exporting(write(kilobytes))}
    </SaveButton>
  );
}
