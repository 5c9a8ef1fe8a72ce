import type { ReactNode } from 'react';
import styles from './Notice.module.css';

/** An empty state: what is missing, and what to do about it. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={styles.empty}>
      <p className={styles.title}>{title}</p>
      {children !== undefined && <div className={styles.advice}>{children}</div>}
    </div>
  );
}
