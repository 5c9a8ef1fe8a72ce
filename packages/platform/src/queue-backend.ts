import type { Logger } from './log.ts';

/** Where BullMQ keeps its jobs: in Redis in production, in PostgreSQL when there is no Redis (rules 9). */
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
 * How to take jobs from a queue: `concurrency` at once. A job that `process` rejects is not tried again: the sweep
 * makes up for it.
 */
export interface ConsumerOptions<Job> {
  concurrency: number;
  log: Logger;
  process: (job: Job) => Promise<void>;
}
