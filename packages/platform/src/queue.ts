import type { Logger } from './log.ts';
import { openPostgresConsumer, openPostgresProducer } from './queue-postgres.ts';
import { openRedisConsumer, openRedisProducer } from './queue-redis.ts';

/** Where BullMQ keeps its jobs: Redis in production, PostgreSQL where there is no Redis (decisions 9). */
export type QueueBackend = { kind: 'redis'; url: string; prefix?: string } | { kind: 'postgres'; url: string };

/** Puts jobs into a queue. */
export interface JobProducer<Job> {
  /** Rejects within seconds where the backend cannot be reached. */
  add(job: Job): Promise<void>;
  /** Whether the backend answers now. */
  isReachable(): Promise<boolean>;
  close(): Promise<void>;
}

/** Takes jobs out of a queue until closed; closing waits for the jobs that run. */
export interface JobConsumer {
  close(): Promise<void>;
}

/** How a queue is consumed. A job that `process` rejects is dropped: the sweep makes up for it. */
export interface ConsumerOptions<Job> {
  concurrency: number;
  log: Logger;
  process: (job: Job) => Promise<void>;
}

/** The backend that the configuration names: REDIS_URL, or else the database itself. */
export function queueBackendOf(config: { REDIS_URL?: string | undefined }, databaseUrl: string): QueueBackend {
  return config.REDIS_URL === undefined
    ? { kind: 'postgres', url: databaseUrl }
    : { kind: 'redis', url: config.REDIS_URL };
}

/** Opens the producing end of a queue. A backend that is away is logged and shows in `isReachable`; it reconnects. */
export function openProducer<Job extends { type: string }>(
  backend: QueueBackend,
  name: string,
  log: Logger,
): JobProducer<Job> {
  return backend.kind === 'redis'
    ? openRedisProducer(backend, name, log)
    : openPostgresProducer(backend.url, name, log);
}

/** Starts to take jobs, `concurrency` at once. It waits for a backend that is away, and reconnects. */
export function openConsumer<Job>(backend: QueueBackend, name: string, options: ConsumerOptions<Job>): JobConsumer {
  return backend.kind === 'redis'
    ? openRedisConsumer(backend, name, options)
    : openPostgresConsumer(backend.url, name, options);
}
