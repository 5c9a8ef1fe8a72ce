import type { ReactNode } from 'react';
import type { Tone } from './Badge.tsx';
import styles from './Notice.module.css';

/** Something that the reader should see: what it is, and below it what to do about it. */
export function Notice({ tone, title, children }: { tone: Tone; title: string; children?: ReactNode }) {
  return (
    <div className={styles.notice} data-tone={tone}>
      <p className={styles.title}>{title}</p>
      {children !== undefined && <div className={styles.advice}>{children}</div>}
    </div>
  );
}
