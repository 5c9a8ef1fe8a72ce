import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useWords } from '../words/words.ts';
import { CopyId } from './CopyId.tsx';
import { Dialog } from './Dialog.tsx';
import { type Field, Fields } from './Fields.tsx';
import { Notice } from './Notice.tsx';
import { kitWords } from './words.ts';

/** Shows a password or a secret that nobody can read again, until the reader says that they have it. */
export function OneTimeSecret({
  title,
  secrets,
  onClose,
  children,
}: {
  title: string;
  /** What is shown, by its name; each can be copied. */
  secrets: readonly { label: string; value: string }[];
  onClose: () => void;
  children?: ReactNode;
}) {
  const words = useWords(kitWords);
  const fields: Field[] = secrets.map(({ label, value }) => ({ label, value: <CopyId id={value} what={label} /> }));
  return (
    <Dialog title={title} onClose={onClose} mustAnswer actions={<Button onClick={onClose}>{words.haveKept}</Button>}>
      <Notice tone="warn" title={words.shownOnce} />
      <Fields fields={fields} />
      {children}
    </Dialog>
  );
}
