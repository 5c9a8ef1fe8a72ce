/** After this long without input, the operator counts as away. */
const AWAY_AFTER_MS = 60_000;

let lastActMs = Date.now();
for (const event of ['pointerdown', 'keydown', 'wheel', 'touchstart'] as const) {
  window.addEventListener(event, noteAct, { capture: true, passive: true });
}

function noteAct(): void {
  lastActMs = Date.now();
}

/**
 * Returns whether a call counts as the operator's. Automatic refreshes must not keep the session of an absent operator
 * alive: only calls by a `user` postpone the idle timeout.
 */
export function initiator(): 'user' | 'automatic' {
  return Date.now() - lastActMs < AWAY_AFTER_MS ? 'user' : 'automatic';
}
