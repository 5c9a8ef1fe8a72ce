import { ActionIcon, Box, DataList, Group, Progress, SimpleGrid, Timeline, VisuallyHidden } from '@mantine/core';
import { IconCopy } from '@tabler/icons-react';
import { Link, type LinkProps } from '@tanstack/react-router';
import { type ReactNode, useSyncExternalStore } from 'react';
import { writeNumber } from '../words/formats.ts';
import { kitWords as words } from '../words/kit.ts';
import { TAG } from '../words/language.ts';
import { isTime, writeRelativeTime, writeTime } from '../words/times.ts';
import { announce, COLORS, type Tone } from './signs.tsx';
import styles from './values.module.css';

/** A list of labels and values. Labels must be unique. Undefined hides the field; null shows a dash. */
export function Fields({ fields }: { fields: Readonly<Record<string, ReactNode>> }) {
  return (
    <DataList className={styles.fields} orientation="vertical">
      {Object.entries(fields)
        .filter(([, value]) => value !== undefined)
        .map(([label, value]) => (
          <DataList.Item key={label}>
            <DataList.ItemLabel>{label}</DataList.ItemLabel>
            <DataList.ItemValue>{value === null || value === '' ? '–' : value}</DataList.ItemValue>
          </DataList.Item>
        ))}
    </DataList>
  );
}

interface Field {
  label: string;
  value: ReactNode;
}

/** A value after its label and a colon, in a sentence. */
export function Labeled({ label, value }: Field) {
  return (
    <>
      {label}
      {words.colon}
      {value}
    </>
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
    <span className={styles.id}>
      <span className="mono">{children}</span>
      <CopyButton text={id} what={what} />
    </span>
  );
}

/** A button that copies text to the clipboard. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const copy = () =>
    copyText(text).then(
      () => announce('good', words.copied),
      () => announce('bad', words.copyFailed),
    );
  const label = words.copyNamed(what);
  return (
    <ActionIcon
      className={styles.copy}
      size={24}
      variant="subtle"
      color="gray"
      aria-label={label}
      title={label}
      onClick={() => void copy()}
    >
      <IconCopy size={14} />
    </ActionIcon>
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
    <Box pos="relative" miw={0}>
      <Box component="span" pos="absolute" top="0.25rem" right="0.5rem">
        <CopyButton text={text} what={label} />
      </Box>
      <Box
        className="box"
        p="0.75rem 2.5rem 0.75rem 0.75rem"
        mah="30rem"
        bg="var(--ls-raised)"
        style={{ overflow: 'auto' }}
        role="group"
        tabIndex={0}
        aria-label={label}
      >
        <Box component="pre" m={0}>
          {text}
        </Box>
      </Box>
    </Box>
  );
}

/** A number in the format of the current language: grey if it is 0, otherwise in the color of its tone. */
export function Count({ value, tone = 'neutral' }: { value: number; tone?: Tone }) {
  const text = writeNumber(value);
  return value === 0 ? <span className="dimmed">{text}</span> : <span style={{ color: textColor(tone) }}>{text}</span>;
}

const textColor = (tone: Tone) => (tone === 'neutral' ? undefined : `var(--mantine-color-${COLORS[tone]}-light-color)`);

/** A row of figures that wraps. */
export function Figures({ children }: { children: ReactNode }) {
  return (
    <SimpleGrid component="dl" className={styles.figures} minColWidth="8rem" autoFlow="auto-fit" spacing="md" m={0}>
      {children}
    </SimpleGrid>
  );
}

interface FigureProps {
  label: string;
  /** Numbers are written in the current language. */
  value: ReactNode;
  tone?: Tone;
  /** The page that lists what the figure counts. */
  link?: LinkProps;
}

/** A labeled figure for the top of a page. If it is 0, it has no color. */
export function Figure({ label, value, tone = 'neutral', link }: FigureProps) {
  const text = typeof value === 'number' ? writeNumber(value) : value;
  return (
    <div className="box">
      <dt className="small">{label}</dt>
      <dd style={{ color: textColor(text === '0' ? 'neutral' : tone) }}>
        {link === undefined ? text : <Link {...link}>{text}</Link>}
      </dd>
    </div>
  );
}

/** A count, with a bar that compares it to the largest count beside it. */
export function Bar({ value, most, tone }: { value: number; most: number; tone: Tone }) {
  return (
    <Group component="span" gap="sm" wrap="nowrap">
      <Progress.Root flex={1}>
        <Progress.Section withAria={false} value={(100 * value) / Math.max(1, most)} color={COLORS[tone]} />
      </Progress.Root>
      <Box component="span" miw="4rem">
        <Count value={value} />
      </Box>
    </Group>
  );
}

interface Parts {
  /** Describes the bar to screen readers. */
  label: string;
  total: number;
  succeeded: number;
  failed: number;
}

/** A bar of succeeded and failed parts of a total. */
export function ProgressBar({ label, total, succeeded, failed }: Parts) {
  const percent = (count: number) => (total === 0 ? 0 : (100 * count) / total);
  return (
    <Progress.Root role="progressbar" aria-label={label} aria-valuenow={Math.round(percent(succeeded + failed))}>
      <Progress.Section withAria={false} value={percent(succeeded)} color="var(--ls-line-good)" />
      <Progress.Section withAria={false} value={percent(failed)} color="var(--ls-line-bad)" />
    </Progress.Root>
  );
}

interface TimeOptions {
  /** Milliseconds since 1970; null if it has not happened. */
  timeMs: number | null;
  /** Shows the exact time, with the age behind it. Otherwise only the tooltip has it, and what the reader copies. */
  isExact?: boolean;
}

const TICK_MS = 5_000;
/** One clock for all times of a page. */
const readClock = () => Math.floor(Date.now() / TICK_MS) * TICK_MS;
const watchers = new Set<() => void>();
setInterval(() => {
  for (const tell of watchers) tell();
}, TICK_MS);
const watchClock = (tell: () => void) => {
  watchers.add(tell);
  return () => watchers.delete(tell);
};

/** How long ago a time is, or how far ahead; the tooltip has it in the reader's time zone and in UTC. */
export function Time({ timeMs, isExact = false }: TimeOptions) {
  const nowMs = useSyncExternalStore(watchClock, readClock);
  if (timeMs === null) return <span className="dimmed">–</span>;
  if (!isTime(timeMs)) return <span>{timeMs}</span>;
  const exact = writeTime(timeMs, 'local');
  const age = writeRelativeTime(TAG, timeMs, nowMs);
  // Invisible beside an age, but part of what the reader copies.
  const aside = `${words.gap}${words.aside(isExact ? age : exact)}`;
  return (
    <time
      className={styles.time}
      dateTime={new Date(timeMs).toISOString()}
      title={`${exact} · ${writeTime(timeMs, 'utc')} ${words.utc}`}
    >
      {isExact ? exact : age}
      {isExact ? <span className="dimmed">{aside}</span> : <VisuallyHidden>{aside}</VisuallyHidden>}
    </time>
  );
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
    <Timeline role="list" aria-label={label} active={entries.length} bulletSize={12} lineWidth={2}>
      {entries.map(({ key, timeMs, tone = 'neutral', title, detail }) => (
        <Timeline.Item key={key} role="listitem" color={`var(--mantine-color-${COLORS[tone]}-light-color)`}>
          <strong>{title}</strong> <Time timeMs={timeMs} isExact />
          {detail !== undefined && <div>{detail}</div>}
        </Timeline.Item>
      ))}
    </Timeline>
  );
}
