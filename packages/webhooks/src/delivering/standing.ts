/**
 * How an endpoint answers, and so how many messages may be on the way to it (rules 6.8). A pure rule.
 */

/** How soon an endpoint answers that keeps its full share, in milliseconds. */
export const PROMPT_MS = 2_000;
/**
 * How soon an endpoint answers that may get more at once. One that takes one message at a time slows down to this and
 * no further.
 */
export const QUICK_MS = 500;
/** Messages that are on the way to one endpoint at most, from all workers. */
export const MOST_AT_ONCE = 64;

/** What is known of an endpoint. */
export interface Standing {
  /** Messages that may be on the way to it, from all workers. */
  atOnce: number;
  /** Whether the last attempt was delivered promptly; null before the first one. */
  isPrompt: boolean | null;
  /** When the first of the attempts began that failed in a row; null unless the last one failed. */
  failingSince: Date | null;
}

/** What an attempt tells of an endpoint. */
export interface Answered {
  isDelivered: boolean;
  startedTime: Date;
  durationMs: number;
}

/**
 * Returns what is known of an endpoint after one more attempt: a quick answer lets it have one more at once, a failure
 * or a late one only one.
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
