import type { ReactNode } from 'react';
import styles from './Badge.module.css';

/** How a badge, a notice or a figure is meant. Its words say the same: nobody has to see the color. */
export type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'neutral';

/** A word on a colored ground, with contrast enough in light and dark. */
export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span className={styles.badge} data-tone={tone}>
      {children}
    </span>
  );
}
