import { hostname } from 'node:os';
import { type Job, WaitingError } from 'bullmq';
import type { Logger } from '../process/log.ts';
import { GivenBack } from './backend.ts';

/** How long a producer waits for Redis or PostgreSQL. */
export const PRODUCER_TIMEOUT_MS = 2_000;

const LOG_EVERY_MS = 1_000;
const LOG_SAME_EVERY_MS = 60_000;

/**
 * The newest job comes first: a job only asks for work, which has an order of its own, and so many jobs that come at
 * once keep no other waiting. A failed job is not tried again (see ConsumerOptions); the latest are kept for people to
 * see.
 */
export const JOB_OPTIONS = { lifo: true, removeOnComplete: true, removeOnFail: 100, attempts: 1 };

/** The name by which operators see the workers of this process. */
export const WORKER_OPTIONS = { name: `${hostname()}:${process.pid}` };

/** Returns how BullMQ has a job processed: what `process` gives back waits again, as if nobody had taken it. */
export function processing<Data>(process: (data: Data) => Promise<void>) {
  return async (job: Job<Data, void>, token?: string): Promise<void> => {
    try {
      await process(job.data);
    } catch (error) {
      if (!(error instanceof GivenBack)) throw error;
      await job.moveToWait(token);
      throw new WaitingError();
    }
  };
}

/** Rejects when the work takes longer than `timeoutMs`. */
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

/**
 * Returns a function that logs a queue's connection errors: one a second at most, and the same one once a minute. When
 * Redis or PostgreSQL is away, connections fail many times a second.
 */
export function createErrorLogger(log: Logger, queue: string): (error: Error) => void {
  let quietUntilMs = 0;
  let last = { message: '', untilMs: 0 };
  return (error) => {
    const nowMs = performance.now();
    if (nowMs < quietUntilMs || (error.message === last.message && nowMs < last.untilMs)) return;
    quietUntilMs = nowMs + LOG_EVERY_MS;
    last = { message: error.message, untilMs: nowMs + LOG_SAME_EVERY_MS };
    log.warn({ err: error, queue }, 'queue connection failed');
  };
}
