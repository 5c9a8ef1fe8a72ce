/** How an endpoint responds, and how many messages may therefore be in flight to it (rules 6.8). A pure rule. */

/** An endpoint that responds within this time keeps its full share, in milliseconds. */
export const PROMPT_MS = 2_000;
/**
 * An endpoint that responds within this time may get more messages at once, in milliseconds. One that handles messages
 * one at a time is slowed down to this, but no further.
 */
export const QUICK_MS = 500;
/** How many messages all workers together may have in flight to one endpoint. */
export const MOST_AT_ONCE = 64;

export interface Standing {
  /** How many messages all workers together may have in flight to it. */
  atOnce: number;
  /** Whether the last attempt was delivered promptly; null before the first attempt. */
  isPrompt: boolean | null;
  /** When the first of the consecutive failed attempts started; null if the last attempt succeeded. */
  failingSince: Date | null;
}

export interface Answered {
  isDelivered: boolean;
  startedTime: Date;
  durationMs: number;
}

/**
 * Returns what is known of an endpoint after another attempt. A quick response allows one more message at once; a
 * failure or a late response reduces the limit to one.
 */
export function nextStanding(standing: Standing, { isDelivered, startedTime, durationMs }: Answered): Standing {
  const isPrompt = isDelivered && durationMs < PROMPT_MS;
  const grown = durationMs < QUICK_MS ? standing.atOnce + 1 : standing.atOnce;
  return {
    atOnce: isPrompt ? Math.min(grown, MOST_AT_ONCE) : 1,
    isPrompt,
    failingSince: isDelivered ? null : earlier(standing.failingSince, startedTime),
  };
}

export function earlier(one: Date | null, other: Date): Date {
  return one === null || other < one ? other : one;
}
