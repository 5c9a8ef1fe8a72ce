import type { ReactNode } from 'react';
import { kitWords } from '../../words/kit.ts';
import { useWords } from '../../words/words.ts';
import { announce } from '../signs/announce.ts';
import { CopyIcon } from '../signs/icons.tsx';
import styles from './CopyId.module.css';

/**
 * An id with a copy button. `children` replace the text, for example with a link: `<CopyId id={orderId} what="order
 * ID"><Link …>{orderId}</Link></CopyId>`.
 */
export function CopyId({ id, what, children }: { id: string; what?: string; children?: ReactNode }) {
  return (
    <span className={styles.whole}>
      <span className={styles.id}>{children ?? id}</span>
      <CopyButton text={id} what={what ?? id} />
    </span>
  );
}

/** A button that copies text to the clipboard. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const words = useWords(kitWords);
  const copy = () =>
    copyText(text).then(
      () => announce('good', words.copied),
      () => announce('bad', words.copyFailed),
    );
  const label = words.copyNamed(what);
  return (
    <button type="button" className={styles.copy} onClick={() => void copy()} aria-label={label} title={label}>
      <CopyIcon />
    </button>
  );
}

/** Copies through a selection, because browsers offer the clipboard only over TLS and on localhost. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return await navigator.clipboard.writeText(text);
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (!isCopied) throw new Error('not copied');
}
