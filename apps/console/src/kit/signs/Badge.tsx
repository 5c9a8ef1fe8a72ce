import type { ReactNode } from 'react';
import styles from './Badge.module.css';

/** The meaning of a badge, notice or figure. The words must say the same, for readers who can't see the color. */
export type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'neutral';

/** A word on a colored background, with sufficient contrast in light and dark. */
export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span className={styles.badge} data-tone={tone}>
      {children}
    </span>
  );
}
