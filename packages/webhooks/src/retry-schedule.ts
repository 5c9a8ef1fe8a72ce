const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The pauses after each failed attempt (rules 6.8). */
const PAUSES_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS),
];
/** How many attempts a message has (rules 6.8). */
export const MAX_ATTEMPTS = PAUSES_MS.length + 1;
/** By how much a pause may be longer, so that messages that failed together are not retried together. */
const MAX_JITTER = 0.1;

/**
 * Returns the pause after a failed attempt, in milliseconds; null if there is no further attempt (rules 6.8).
 * `attempts`: how many were made; `random`: at least 0 and less than 1.
 */
export function pauseAfter(attempts: number, random: number): number | null {
  const pauseMs = PAUSES_MS[attempts - 1];
  return pauseMs === undefined ? null : Math.round(pauseMs * (1 + MAX_JITTER * random));
}
