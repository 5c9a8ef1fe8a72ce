import { Fragment } from 'react';
import { useRelativeTime } from '../../words/formats.ts';
import { kitWords } from '../../words/kit.ts';
import { useWords } from '../../words/words.ts';
import { isTime, writeTime } from '../../words/write-time.ts';
import { useNow } from './now.ts';
import styles from './Time.module.css';

export interface TimeOptions {
  /** Milliseconds since 1970; null if it has not happened. */
  timeMs: number | null;
  /** Adds the relative time: `(3 min ago)`. */
  isRelative?: boolean;
  /** Adds the time in UTC below. The tooltip always has it. */
  withUtc?: boolean;
}

/** A time in the reader's time zone, with UTC in the tooltip. */
export function Time({ timeMs, isRelative = false, withUtc = false }: TimeOptions) {
  const words = useWords(kitWords);
  if (timeMs === null) return <span className={styles.beside}>–</span>;
  const utc = `${writeTime(timeMs, 'utc')} ${words.utc}`;
  return (
    <time dateTime={isTime(timeMs) ? new Date(timeMs).toISOString() : undefined} title={utc} className={styles.time}>
      {writeTime(timeMs, 'local')
        .split(' ')
        .map((part, place) => (
          <Fragment key={part}>
            {place > 0 && ' '}
            <span className={styles.part}>{part}</span>
          </Fragment>
        ))}
      {isRelative && (
        <>
          {words.gap}
          <Age timeMs={timeMs} />
        </>
      )}
      {withUtc && <span className={styles.utc}>{utc}</span>}
    </time>
  );
}

function Age({ timeMs }: { timeMs: number }) {
  const words = useWords(kitWords);
  const nowMs = useNow();
  const write = useRelativeTime();
  return <span className={`${styles.part} ${styles.beside}`}>{words.aside(write(timeMs, nowMs))}</span>;
}
