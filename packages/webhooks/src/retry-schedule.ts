const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** How long after each failed attempt the next one is made (rules 6.8). */
const PAUSES_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS),
];
/** The attempts that a message has; after the last one nothing follows (rules 6.8). */
export const MAX_ATTEMPTS = PAUSES_MS.length + 1;
/** What a pause gets longer by at most, so that messages that failed together do not come together again. */
const MAX_JITTER = 0.1;

/**
 * How long to wait after a failed attempt, in milliseconds; null when there is no further attempt (rules 6.8).
 * `attempts`: how many were made; `random`: at least 0 and less than 1.
 */
export function pauseAfter(attempts: number, random: number): number | null {
  const pauseMs = PAUSES_MS[attempts - 1];
  return pauseMs === undefined ? null : Math.round(pauseMs * (1 + MAX_JITTER * random));
}
