/** A reader who has done nothing for this long is taken to be away. */
const AWAY_AFTER_MS = 60_000;

let lastActMs = Date.now();
for (const event of ['pointerdown', 'keydown', 'wheel', 'touchstart'] as const) {
  window.addEventListener(event, noteAct, { capture: true, passive: true });
}

function noteAct(): void {
  lastActMs = Date.now();
}

/**
 * Says whose doing a call is. Pages refresh themselves, and that must not keep the session of a reader who has left
 * alive: the server counts only the calls of a `user` against the idle end.
 */
export function whoseDoing(): 'user' | 'automatic' {
  return Date.now() - lastActMs < AWAY_AFTER_MS ? 'user' : 'automatic';
}
