import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { kitWords } from '../../words/kit.ts';
import { useWords } from '../../words/words.ts';
import { Notice } from '../signs/Notice.tsx';
import { CopyId } from '../values/CopyId.tsx';
import { type Field, Fields } from '../values/Fields.tsx';
import { Dialog } from './Dialog.tsx';

/** Shows a password or secret once, until the reader confirms that they saved it. */
export function OneTimeSecret({
  title,
  secrets,
  onClose,
  children,
}: {
  title: string;
  /** Labels and values. Each value can be copied. */
  secrets: readonly { label: string; value: string }[];
  onClose: () => void;
  children?: ReactNode;
}) {
  const words = useWords(kitWords);
  const fields: Field[] = secrets.map(({ label, value }) => ({ label, value: <CopyId id={value} what={label} /> }));
  return (
    <Dialog title={title} onClose={onClose} mustAnswer actions={<Button onClick={onClose}>{words.saved}</Button>}>
      <Notice tone="warn" title={words.shownOnce} />
      <Fields fields={fields} />
      {children}
    </Dialog>
  );
}
