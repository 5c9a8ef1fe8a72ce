import { useInterval } from '@mantine/hooks';
import { Fragment, lazy, type ReactNode, Suspense, useId, useState } from 'react';
import { kitWords } from '../words/kit.ts';
import { isTime, writeTime } from '../words/times.ts';
import { useNumberFormat, useRelativeTime, useWords } from '../words/words.ts';
import type { ChartProps } from './LineChart.tsx';
import { announce, Icon, type Tone } from './signs.tsx';
import styles from './values.module.css';

/** A label and a value. Undefined hides the field; null shows a dash. */
export interface Field {
  label: string;
  value: ReactNode;
}

/** A list of labels and values. */
export function Fields({ fields }: { fields: readonly Field[] }) {
  return (
    <dl className={styles.fields}>
      {fields
        .filter(({ value }) => value !== undefined)
        .map(({ label, value }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value === null || value === '' ? '–' : value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** A value after its label, on a line of its own. */
export function Line({ label, value }: Field) {
  return (
    <div>
      {label} {value}
    </div>
  );
}

/**
 * An id with a copy button. `children` replace the text, for example with a link: `<CopyId id={orderId} what="order
 * ID"><Link …>{orderId}</Link></CopyId>`.
 */
export function CopyId({ id, what = id, children = id }: { id: string; what?: string; children?: ReactNode }) {
  return (
    <span className={styles.whole}>
      <span className={`mono ${styles.id}`}>{children}</span>
      <CopyButton text={id} what={what} />
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
      <Icon name="copy" />
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

/** A value as JSON, with a copy button. `label` names it. */
export function JsonView({ value, label }: { value: unknown; label: string }) {
  const text = JSON.stringify(value, null, 2) ?? 'null';
  return (
    <div className={styles.json}>
      <span>
        <CopyButton text={text} what={label} />
      </span>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard. */}
      {/* biome-ignore lint/a11y/useSemanticElements: a section would be a second landmark of its name. */}
      <div className="box" role="group" tabIndex={0} aria-label={label}>
        <pre>{text}</pre>
      </div>
    </div>
  );
}

/** A number in the format of the current language. */
export function Count({ value }: { value: number }) {
  const write = useNumberFormat();
  return <span className={styles.digits}>{write(value)}</span>;
}

/** A row of figures that wraps. */
export function Figures({ children }: { children: ReactNode }) {
  return <dl className={styles.figures}>{children}</dl>;
}

/** A labeled figure for the top of a page. */
export function Figure({ label, value, tone = 'neutral' }: { label: string; value: number | string; tone?: Tone }) {
  const write = useNumberFormat();
  return (
    <div className="box" data-tone={tone}>
      <dt className="small">{label}</dt>
      <dd>{typeof value === 'number' ? write(value) : value}</dd>
    </div>
  );
}

interface Progress {
  /** Describes the bar to screen readers. */
  label: string;
  total: number;
  succeeded: number;
  failed: number;
}

/** A bar of succeeded and failed parts of a total. */
export function ProgressBar({ label, total, succeeded, failed }: Progress) {
  const percent = (count: number) => `${total === 0 ? 0 : (100 * count) / total}%`;
  return (
    <div
      className={styles.bar}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuenow={succeeded + failed}
    >
      <div data-tone="good" style={{ width: percent(succeeded) }} />
      <div data-tone="bad" style={{ width: percent(failed) }} />
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
  if (timeMs === null) return <span className="dimmed">–</span>;
  const utc = `${writeTime(timeMs, 'utc')} ${words.utc}`;
  return (
    <time dateTime={isTime(timeMs) ? new Date(timeMs).toISOString() : undefined} title={utc} className={styles.digits}>
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

const TICK_MS = 5_000;

function Age({ timeMs }: { timeMs: number }) {
  const words = useWords(kitWords);
  const write = useRelativeTime();
  const [nowMs, setNow] = useState(Date.now);
  useInterval(() => setNow(Date.now()), TICK_MS, { autoInvoke: true });
  return <span className={`dimmed ${styles.part}`}>{words.aside(write(timeMs, nowMs))}</span>;
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
    <ol className={`plain ${styles.line}`} aria-label={label}>
      {entries.map(({ key, timeMs, tone = 'neutral', title, detail }) => (
        <li key={key} data-tone={tone}>
          <strong>{title}</strong> <Time timeMs={timeMs} isRelative />
          {detail !== undefined && <div>{detail}</div>}
        </li>
      ))}
    </ol>
  );
}

export interface TreeNode {
  key: string;
  label: ReactNode;
  /** Shown below the label. */
  detail?: ReactNode;
  nodes?: readonly TreeNode[];
}

/** A tree of collapsible nested lists. */
export function Tree({ nodes, label }: { nodes: readonly TreeNode[]; label?: string }) {
  return (
    <ul className={styles.tree} aria-label={label}>
      {nodes.map((node) => (
        <Branch key={node.key} node={node} />
      ))}
    </ul>
  );
}

/** A button collapses it, not `<summary>`, because the label may contain links and buttons. */
function Branch({ node: { label, detail, nodes = [] } }: { node: TreeNode }) {
  const [isOpen, setOpen] = useState(true);
  const nameId = useId();
  const isLeaf = nodes.length === 0;
  const fold = { 'aria-expanded': isOpen, 'aria-labelledby': nameId, onClick: () => setOpen(!isOpen) };
  return (
    <li>
      {!isLeaf && (
        <button type="button" className={styles.fold} {...fold}>
          <Icon name="fold" />
        </button>
      )}
      <div id={nameId} style={{ fontWeight: isLeaf ? undefined : 600 }}>
        {label}
      </div>
      {detail !== undefined && <div className="small">{detail}</div>}
      {!isLeaf && isOpen && <Tree nodes={nodes} />}
    </li>
  );
}
