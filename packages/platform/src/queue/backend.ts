import { hostname } from 'node:os';
import type { Queue } from 'bullmq';
import type { Logger } from '../process/log.ts';

/** Where BullMQ stores its jobs: Redis in production, PostgreSQL when there is no Redis. */
export type QueueBackend = { kind: 'redis'; url: string; prefix?: string } | { kind: 'postgres'; url: string };

/** A queue of BullMQ, with its own connections. Each command or query has a time limit. */
export interface OpenedQueue {
  queue: Queue;
  close(): Promise<void>;
}

/**
 * How to process jobs: `concurrency` at once. A job that `process` rejects is not retried: the producer looks for
 * work that was not done.
 */
export interface ConsumerOptions<Job> {
  concurrency: number;
  log: Logger;
  process: (job: Job) => Promise<void>;
}

/** How long producers and operators wait for Redis or PostgreSQL. */
export const TIMEOUT_MS = 2_000;

const LOG_EVERY_MS = 10_000;

/** How long a worker waits before it asks for jobs again after a connection failure. BullMQ's default is 15 s. */
export const RETRY_MS = 1_000;

/** The options of workers, and the name under which operators see those of this process. */
export const WORKER_OPTIONS = { name: `${hostname()}:${process.pid}`, runRetryDelay: RETRY_MS };

/** Rejects if the work takes longer than TIMEOUT_MS. */
export async function withTimeout<Result>(work: Promise<Result>): Promise<Result> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`The queue did not answer in ${TIMEOUT_MS} ms`)), TIMEOUT_MS);
  return await Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}

/**
 * Returns a function that logs connection errors of a queue, one in ten seconds: while Redis or PostgreSQL is
 * unavailable, connections fail many times a second.
 */
export function createErrorLogger(log: Logger, queue: string): (error: Error) => void {
  let quietUntilMs = 0;
  return (error) => {
    if (performance.now() < quietUntilMs) return;
    quietUntilMs = performance.now() + LOG_EVERY_MS;
    log.warn({ err: error, queue }, 'queue connection failed');
  };
}

/** Closes a queue. A queue whose Redis or PostgreSQL is away may never close; then its connections are cut. */
export async function closeInTime(closing: Promise<unknown>, log: Logger): Promise<void> {
  await withTimeout(closing).catch((error: unknown) => log.warn({ err: error }, 'queue close failed; disconnecting'));
}
