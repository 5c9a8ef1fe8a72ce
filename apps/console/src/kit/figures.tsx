import { Fragment, lazy, type ReactNode, Suspense, useSyncExternalStore } from 'react';
import { kitWords } from '../words/kit.ts';
import { isTime, writeTime } from '../words/times.ts';
import { useNumberFormat, useRelativeTime, useWords } from '../words/words.ts';
import countStyles from './Count.module.css';
import type { ChartProps } from './LineChart.tsx';
import progressBarStyles from './ProgressBar.module.css';
import type { Tone } from './signs.tsx';
import timeStyles from './Time.module.css';
import timeLineStyles from './TimeLine.module.css';

/** A number in the format of the current language. */
export function Count({ value }: { value: number }) {
  const write = useNumberFormat();
  return <span className={countStyles.count}>{write(value)}</span>;
}

/** A labeled figure for the top of a page. */
export function Figure({ label, value, tone = 'neutral' }: { label: string; value: number | string; tone?: Tone }) {
  const write = useNumberFormat();
  return (
    <div className={countStyles.figure} data-tone={tone}>
      <dt className={countStyles.label}>{label}</dt>
      <dd className={countStyles.value}>{typeof value === 'number' ? write(value) : value}</dd>
    </div>
  );
}

/** A row of figures that wraps. */
export function Figures({ children }: { children: React.ReactNode }) {
  return <dl className={countStyles.figures}>{children}</dl>;
}

/** A bar of succeeded and failed parts of a total. `label` describes it to screen readers. */
export function ProgressBar({
  label,
  total,
  succeeded,
  failed,
}: {
  label: string;
  total: number;
  succeeded: number;
  failed: number;
}) {
  const percent = (count: number) => `${total === 0 ? 0 : (100 * count) / total}%`;
  return (
    <div
      className={progressBarStyles.bar}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuenow={succeeded + failed}
    >
      <div className={progressBarStyles.good} style={{ width: percent(succeeded) }} />
      <div className={progressBarStyles.bad} style={{ width: percent(failed) }} />
    </div>
  );
}

const LineChart = lazy(() => import('./LineChart.tsx'));

/** A chart of values over time. Loads its library on first use. State what matters in text beside it. */
export function Chart(props: ChartProps) {
  return (
    <Suspense fallback={<div style={{ height: 220 }} />}>
      <LineChart {...props} />
    </Suspense>
  );
}

interface TimeOptions {
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
  if (timeMs === null) return <span className={timeStyles.beside}>–</span>;
  const utc = `${writeTime(timeMs, 'utc')} ${words.utc}`;
  return (
    <time
      dateTime={isTime(timeMs) ? new Date(timeMs).toISOString() : undefined}
      title={utc}
      className={timeStyles.time}
    >
      {writeTime(timeMs, 'local')
        .split(' ')
        .map((part, place) => (
          <Fragment key={part}>
            {place > 0 && ' '}
            <span className={timeStyles.part}>{part}</span>
          </Fragment>
        ))}
      {isRelative && (
        <>
          {words.gap}
          <Age timeMs={timeMs} />
        </>
      )}
      {withUtc && <span className={timeStyles.utc}>{utc}</span>}
    </time>
  );
}

function Age({ timeMs }: { timeMs: number }) {
  const words = useWords(kitWords);
  const nowMs = useNow();
  const write = useRelativeTime();
  return <span className={`${timeStyles.part} ${timeStyles.beside}`}>{words.aside(write(timeMs, nowMs))}</span>;
}

interface TimeLineEntry {
  key: string;
  timeMs: number;
  tone?: Tone;
  title: ReactNode;
  detail?: ReactNode;
}

/** A timeline, in the given order. */
export function TimeLine({ label, entries }: { label: string; entries: readonly TimeLineEntry[] }) {
  return (
    <ol className={timeLineStyles.line} aria-label={label}>
      {entries.map(({ key, timeMs, tone = 'neutral', title, detail }) => (
        <li key={key} className={timeLineStyles.entry} data-tone={tone}>
          <div className={timeLineStyles.head}>
            <span className={timeLineStyles.title}>{title}</span>
            <Time timeMs={timeMs} isRelative />
          </div>
          {detail !== undefined && <div className={timeLineStyles.detail}>{detail}</div>}
        </li>
      ))}
    </ol>
  );
}

const TICK_MS = 5_000;

const listeners = new Set<() => void>();
let nowMs = Date.now();
let timer: number | undefined;

/** One clock for all relative times. It stops while nothing uses it. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) {
    // The clock may have been stopped for long.
    nowMs = Date.now();
    timer = window.setInterval(() => {
      nowMs = Date.now();
      for (const each of listeners) each();
    }, TICK_MS);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    window.clearInterval(timer);
    timer = undefined;
  };
}

/** Returns the current time in milliseconds, updated every five seconds. */
function useNow(): number {
  return useSyncExternalStore(subscribe, () => nowMs);
}
