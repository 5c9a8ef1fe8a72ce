import { useSyncExternalStore } from 'react';

const TICK_MS = 5_000;

const listeners = new Set<() => void>();
let nowMs = Date.now();
let timer: number | undefined;

/** One clock for all that is shown relative to now, which stands still while nothing is. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) {
    // It may have stood still for long.
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

/** The time now, which moves on every few seconds. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => nowMs);
}
