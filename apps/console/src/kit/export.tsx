import type { ConsoleOperationId } from '@lockstep/contract/console';
import { Button, type ButtonProps } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { CallFailure, type CallOf, exportOperation } from '../api/calls.ts';
import { kitWords as words } from '../words/kit.ts';
import { Dialog } from './dialogs.tsx';
import { Failure } from './page.tsx';
import { announce } from './signs.tsx';

interface Save extends ButtonProps {
  children: ReactNode;
  title?: string;
  failedTitle: string;
  fetchFile: () => Promise<{ file: Blob; name: string }>;
}

/** A button that saves a file, or shows why that failed. The download continues when the reader opens another page. */
export function SaveButton({ children, failedTitle, fetchFile, ...button }: Save) {
  // Null once the reader has left the page.
  const here = useRef<HTMLButtonElement>(null);
  const save = useMutation<void, CallFailure>({
    mutationFn: async () => {
      const { file, name } = await fetchFile();
      saveFile(file, name);
    },
    onError: ({ message }) => {
      if (here.current === null) announce('bad', `${failedTitle}${words.colon}${message}`);
    },
    throwOnError: (error) => !(error instanceof CallFailure),
  });
  return (
    <>
      <Button
        ref={here}
        variant="default"
        disabled={save.isPending}
        aria-live="polite"
        onClick={() => save.mutate()}
        {...button}
      >
        {children}
      </Button>
      {save.error !== null && (
        <Dialog title={failedTitle} onClose={save.reset}>
          <Failure failure={save.error} />
        </Dialog>
      )}
    </>
  );
}

interface Export<Id extends ConsoleOperationId> {
  operation: Id;
  call: CallOf<Id>;
  label?: string;
}

/** Saves all entries of a list as CSV. */
export function ExportButton<Id extends ConsoleOperationId>({ operation, call, label }: Export<Id>) {
  const [kilobytes, setKilobytes] = useState<number>();
  const fetchFile = async () => {
    const onBytes = (bytes: number) => setKilobytes(Math.round(bytes / 1_000));
    onBytes(0);
    return await exportOperation(operation, call, onBytes).finally(() => setKilobytes(undefined));
  };
  return (
    <SaveButton size="compact-sm" failedTitle={words.exportFailed} fetchFile={fetchFile}>
      {kilobytes === undefined ? (label ?? words.exportCsv) : words.exporting(kilobytes)}
    </SaveButton>
  );
}

/** Saves a file as a download of the browser. */
function saveFile(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
