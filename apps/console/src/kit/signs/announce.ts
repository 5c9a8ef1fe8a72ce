import { useSyncExternalStore } from 'react';
import type { Tone } from './Badge.tsx';

/** An outcome shown for a few seconds and read out by screen readers. */
export interface Announcement {
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
