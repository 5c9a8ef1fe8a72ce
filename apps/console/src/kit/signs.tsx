import { type ReactNode, useSyncExternalStore } from 'react';
import { type KnownState, stateWords } from '../words/codes.ts';
import { useWords } from '../words/words.ts';
import badgeStyles from './Badge.module.css';
import noticeStyles from './Notice.module.css';

/** The meaning of a badge, notice or figure. The words must say the same, for readers who can't see the color. */
export type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'neutral';

/** A word on a colored background, with sufficient contrast in light and dark. */
export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span className={badgeStyles.badge} data-tone={tone}>
      {children}
    </span>
  );
}

const TONES: Record<KnownState, Tone> = {
  accepted: 'busy',
  processing: 'busy',
  completed: 'good',
  pending: 'busy',
  succeeded: 'good',
  failed: 'bad',
  cancelled: 'neutral',
  active: 'good',
  inactive: 'neutral',
  revoked: 'neutral',
  enabled: 'good',
  disabled: 'bad',
  failing: 'warn',
  unsent: 'busy',
  delivered: 'good',
  unapproved: 'busy',
  approved: 'good',
  suspended: 'warn',
  current: 'good',
  behind: 'warn',
  paused: 'warn',
};

/** A state as a colored badge. `pending` names what a pending thing waits for. */
export function StateBadge({ state, pending = 'pending' }: { state: KnownState; pending?: KnownState }) {
  const words = useWords(stateWords);
  return <Badge tone={TONES[state]}>{words[state === 'pending' ? pending : state]}</Badge>;
}

/** The words of states, for the options of filters. */
export function useStateWords(): Record<KnownState, string> {
  return useWords(stateWords);
}

/** A highlighted message: a title, and below it what to do. */
export function Notice({ tone, title, children }: { tone: Tone; title: string; children?: ReactNode }) {
  return (
    <div className={noticeStyles.notice} data-tone={tone}>
      <p className={noticeStyles.title}>{title}</p>
      {children !== undefined && <div className={noticeStyles.advice}>{children}</div>}
    </div>
  );
}

/** An empty state: what is missing, and what to do about it. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={noticeStyles.empty}>
      <p className={noticeStyles.title}>{title}</p>
      {children !== undefined && <div className={noticeStyles.advice}>{children}</div>}
    </div>
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

function Icon({ children }: { children: ReactNode }) {
  return (
    <svg
      width="16"
      height="16"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {children}
    </svg>
  );
}

export function CopyIcon() {
  return (
    <Icon>
      <rect x="9" y="9" width="11" height="11" rx="2" />
      <path d="M5 15V6a2 2 0 0 1 2-2h8" />
    </Icon>
  );
}

export function SearchIcon() {
  return (
    <Icon>
      <circle cx="11" cy="11" r="7" />
      <path d="m20 20-4-4" />
    </Icon>
  );
}

export function MenuIcon() {
  return (
    <Icon>
      <path d="M4 6h16M4 12h16M4 18h16" />
    </Icon>
  );
}

export function CloseIcon() {
  return (
    <Icon>
      <path d="M6 6l12 12M18 6 6 18" />
    </Icon>
  );
}

export function FoldIcon() {
  return (
    <Icon>
      <path d="m9 6 6 6-6 6" />
    </Icon>
  );
}
