import { hostname } from 'node:os';
import type { Queue } from 'bullmq';
import type { Logger } from '../process/log.ts';

/** Where BullMQ stores its jobs: Redis in production, PostgreSQL when there is no Redis. */
export type QueueBackend = { kind: 'redis'; url: string; prefix?: string } | { kind: 'postgres'; url: string };

/** Adds jobs to a queue. */
export interface JobProducer<Job> {
  /** Rejects within seconds if the backend is unreachable. */
  add(job: Job): Promise<void>;
  /** Whether the backend is reachable now. */
  isReachable(): Promise<boolean>;
  close(): Promise<void>;
}

/** Processes jobs of a queue until it is closed. Closing waits for the jobs in progress. */
export interface JobConsumer {
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

/** How long a producer waits for Redis or PostgreSQL. */
export const PRODUCER_TIMEOUT_MS = 2_000;

const LOG_EVERY_MS = 1_000;
const LOG_SAME_EVERY_MS = 60_000;

/** Failed jobs are not retried (see ConsumerOptions); the latest are kept for operators. */
const JOB_OPTIONS = { removeOnComplete: true, removeOnFail: 100, attempts: 1 };

/** The name under which operators see the workers of this process. */
export const WORKER_OPTIONS = { name: `${hostname()}:${process.pid}` };

/** Rejects if the work takes longer than `timeoutMs`. */
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
 * Returns a function that logs a queue's connection errors, at most one per second, and the same error once per minute.
 * While Redis or PostgreSQL is unavailable, connections fail many times a second.
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

/** The part of BullMQ's queue that a producer needs, with either backend. */
export interface OpenedQueue {
  queue: Pick<Queue, 'add' | 'getMeta'>;
  close: () => Promise<void>;
}

/**
 * Returns the producing end of a queue. A BullMQ queue (6.7) whose first connection fails never recovers, and a client
 * of a Redis Cluster may not either. So the first call opens a queue, and after a failure the next call opens another
 * one. The failed one is closed, and none of its jobs is sent later.
 */
export function reopeningProducer<Job extends { type: string }>(
  open: (logError: (error: Error) => void) => OpenedQueue,
  name: string,
  log: Logger,
): JobProducer<Job> {
  const logError = createErrorLogger(log, name);
  let opened: OpenedQueue | undefined;
  const attempt = async (work: (queue: OpenedQueue['queue']) => Promise<unknown>) => {
    opened ??= open(logError);
    const used = opened;
    try {
      await withTimeout(work(used.queue));
    } catch (error) {
      if (opened === used) {
        opened = undefined;
        used.close().catch(logError);
      }
      throw error;
    }
  };
  return {
    add: (job) => attempt((queue) => queue.add(job.type, job, JOB_OPTIONS)),
    // Reads a key of the queue, because a node of a cluster may answer while the queue's slot has no owner.
    isReachable: () =>
      attempt((queue) => queue.getMeta()).then(
        () => true,
        () => false,
      ),
    async close() {
      if (opened === undefined) return;
      await withTimeout(opened.close()).catch((error: unknown) =>
        log.warn({ err: error }, 'queue close failed; disconnecting'),
      );
    },
  };
}
