import type { Logger } from './log.ts';

/** How long a producer waits for its backend. */
export const PRODUCER_TIMEOUT_MS = 2_000;

const LOG_EVERY_MS = 60_000;

/** Finished jobs are of no use: the outcome stands in the ledger. A failed one is made up for by the sweep. */
export const JOB_OPTIONS = { removeOnComplete: true, removeOnFail: true, attempts: 1 };

/** Rejects where the work takes longer, by default than a producer waits. */
export async function withTimeout<Result>(work: Promise<Result>, timeoutMs = PRODUCER_TIMEOUT_MS): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const error = new Error(`The queue did not answer in ${timeoutMs} ms`);
    timer = setTimeout(() => reject(error), timeoutMs);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Logs a queue's connection errors, one a minute at most: a backend that is away fails many times a second. */
export function connectionErrorLogger(log: Logger, queue: string): (error: Error) => void {
  let quietUntilMs = 0;
  return (error) => {
    if (performance.now() < quietUntilMs) return;
    quietUntilMs = performance.now() + LOG_EVERY_MS;
    log.warn({ err: error, queue }, 'queue connection failed');
  };
}
