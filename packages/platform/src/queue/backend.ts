import { hostname } from 'node:os';
import { type Job, type Queue, WaitingError } from 'bullmq';
import type { Logger } from '../process/log.ts';

/** Where BullMQ keeps its jobs: in Redis in production, in PostgreSQL when there is no Redis. */
export type QueueBackend = { kind: 'redis'; url: string; prefix?: string } | { kind: 'postgres'; url: string };

/** Puts jobs into a queue. */
export interface JobProducer<Job> {
  /** Rejects within seconds when the backend cannot be reached. */
  add(job: Job): Promise<void>;
  /** Whether the backend can be reached now. */
  isReachable(): Promise<boolean>;
  close(): Promise<void>;
}

/** Takes jobs from a queue until it is closed; closing waits for the jobs that run. */
export interface JobConsumer {
  close(): Promise<void>;
}

/**
 * Work was not begun because its process stops. A job that `process` rejects with it goes to another consumer at once.
 */
export class GivenBack extends Error {
  constructor() {
    super('this process stops; another one takes the work');
  }
}

/**
 * How to take jobs from a queue: `concurrency` at once. A job that `process` rejects is not tried again, but for a
 * GivenBack: who adds jobs looks for work that was not done.
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

/**
 * The newest job comes first: a job only asks for work, which has an order of its own, and so many jobs that come at
 * once keep no other waiting. A failed job is not tried again (see ConsumerOptions); the latest are kept for people to
 * see.
 */
const JOB_OPTIONS = { lifo: true, removeOnComplete: true, removeOnFail: 100, attempts: 1 };

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

/** What a producer needs of BullMQ's queue, whatever that keeps jobs in. */
export interface OpenedQueue {
  queue: Pick<Queue, 'add' | 'getMeta'>;
  close: () => Promise<void>;
}

/**
 * The producing end of a queue. A queue of BullMQ (6.7) whose first connection fails stays broken for good, and a
 * client of a Redis Cluster may. So the first call opens a queue, and after a failure the next call opens another one.
 * What was given up is closed, and nothing of it is left to be sent later.
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
    // Reads a key of the queue: a node of a cluster may answer while nobody has the queue's slot.
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
