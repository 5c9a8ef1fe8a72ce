import type { Logger } from '../process/log.ts';

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
