import type { ReactNode } from 'react';
import type { Tone } from '../signs/Badge.tsx';
import { Time } from './Time.tsx';
import styles from './TimeLine.module.css';

export interface TimeLineEntry {
  key: string;
  timeMs: number;
  tone?: Tone;
  title: ReactNode;
  detail?: ReactNode;
}

/** A timeline, in the given order. */
export function TimeLine({ label, entries }: { label: string; entries: readonly TimeLineEntry[] }) {
  return (
    <ol className={styles.line} aria-label={label}>
      {entries.map(({ key, timeMs, tone = 'neutral', title, detail }) => (
        <li key={key} className={styles.entry} data-tone={tone}>
          <div className={styles.head}>
            <span className={styles.title}>{title}</span>
            <Time timeMs={timeMs} isRelative />
          </div>
          {detail !== undefined && <div className={styles.detail}>{detail}</div>}
        </li>
      ))}
    </ol>
  );
}
