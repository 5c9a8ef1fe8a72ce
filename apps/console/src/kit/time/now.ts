import { useSyncExternalStore } from 'react';

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
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => nowMs);
}
