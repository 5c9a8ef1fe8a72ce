import { type ReactNode, useSyncExternalStore } from 'react';
import { type KnownState, stateWords } from '../words/codes.ts';
import { useWords } from '../words/words.ts';
import styles from './kit.module.css';

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

/** The states of each tone. The other states are neutral. */
const STATES: readonly (readonly [Tone, ...KnownState[]])[] = [
  ['good', 'completed', 'succeeded', 'active', 'enabled', 'delivered', 'approved', 'current'],
  ['busy', 'accepted', 'processing', 'pending', 'unsent', 'unapproved'],
  ['warn', 'failing', 'suspended', 'held', 'holding', 'behind', 'paused'],
  ['bad', 'failed', 'disabled'],
];

/** A state as a colored badge. `pending` names what a pending thing waits for. */
export function StateBadge({ state, pending = 'pending' }: { state: KnownState; pending?: KnownState }) {
  const words = useStateWords();
  const [tone = 'neutral'] = STATES.find(([, ...states]) => states.includes(state)) ?? [];
  return <Badge tone={tone}>{words[state === 'pending' ? pending : state]}</Badge>;
}

/** The words of states, for the options of filters. */
export function useStateWords(): Record<KnownState, string> {
  return useWords(stateWords);
}

interface Message {
  title: string;
  children?: ReactNode;
}

/** A highlighted message: a title, and below it what to do. */
export function Notice({ tone, ...message }: Message & { tone: Tone }) {
  return (
    <div className={styles.notice} data-tone={tone}>
      <Text {...message} />
    </div>
  );
}

/** An empty state: what is missing, and what to do about it. */
export function Empty(message: Message) {
  return (
    <div className={styles.empty}>
      <Text {...message} />
    </div>
  );
}

function Text({ title, children }: Message) {
  return (
    <>
      <p className={styles.title}>{title}</p>
      {children !== undefined && <div className={styles.advice}>{children}</div>}
    </>
  );
}

/** An outcome shown for a few seconds and read out by screen readers. */
interface Announcement {
  id: number;
  tone: Tone;
  text: string;
}

const SHOWN_MS = 8_000;
const MAX_SHOWN = 4;

const listeners = new Set<() => void>();
let shown: readonly Announcement[] = [];
let lastId = 0;

/** Shows an outcome in a corner for a few seconds; screen readers read it out. */
export function announce(tone: Tone, text: string): void {
  lastId += 1;
  const announcement = { id: lastId, tone, text };
  change([...shown, announcement].slice(-MAX_SHOWN));
  setTimeout(() => dismiss(announcement.id), SHOWN_MS);
}

export function dismiss(id: number): void {
  change(shown.filter((each) => each.id !== id));
}

function change(next: readonly Announcement[]): void {
  shown = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The current announcements, oldest first. */
export function useAnnouncements(): readonly Announcement[] {
  return useSyncExternalStore(subscribe, () => shown);
}

/** The strokes of each icon. */
const ICONS = {
  close: 'M6 6l12 12M18 6 6 18',
  copy: 'M11 9h7a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2h-7a2 2 0 0 1-2-2v-7a2 2 0 0 1 2-2zM5 15V6a2 2 0 0 1 2-2h8',
  fold: 'm9 6 6 6-6 6',
  menu: 'M4 6h16M4 12h16M4 18h16',
  search: 'M4 11a7 7 0 1 0 14 0 7 7 0 1 0-14 0m16 9-4-4',
};

/** An icon beside a word or in a button that has a label. */
export function Icon({ name }: { name: keyof typeof ICONS }) {
  const stroke = { stroke: 'currentColor', strokeWidth: 2, strokeLinecap: 'round', strokeLinejoin: 'round' } as const;
  return (
    <svg width="16" height="16" viewBox="0 0 24 24" fill="none" aria-hidden="true" {...stroke}>
      <path d={ICONS[name]} />
    </svg>
  );
}
