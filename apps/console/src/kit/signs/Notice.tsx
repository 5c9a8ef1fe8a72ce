import type { ReactNode } from 'react';
import type { Tone } from './Badge.tsx';
import styles from './Notice.module.css';

/** A highlighted message: a title, and below it what to do. */
export function Notice({ tone, title, children }: { tone: Tone; title: string; children?: ReactNode }) {
  return (
    <div className={styles.notice} data-tone={tone}>
      <p className={styles.title}>{title}</p>
      {children !== undefined && <div className={styles.advice}>{children}</div>}
    </div>
  );
}
