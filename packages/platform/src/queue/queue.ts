import type { Logger } from '../process/log.ts';
import type { ConsumerOptions, JobConsumer, JobProducer, QueueBackend } from './backend.ts';
import { openPostgresConsumer, openPostgresProducer } from './postgres.ts';
import { openRedisConsumer, openRedisProducer } from './redis.ts';

/**
 * Opens the producing end of a queue. When the backend is away, it logs that, `isReachable` is false, and it
 * reconnects.
 */
export function openProducer<Job extends { type: string }>(
  backend: QueueBackend,
  name: string,
  log: Logger,
): JobProducer<Job> {
  return backend.kind === 'redis'
    ? openRedisProducer(backend, name, log)
    : openPostgresProducer(backend.url, name, log);
}

/** Starts to take jobs. It waits while the backend is away, and reconnects. */
export function openConsumer<Job>(backend: QueueBackend, name: string, options: ConsumerOptions<Job>): JobConsumer {
  return backend.kind === 'redis'
    ? openRedisConsumer(backend, name, options)
    : openPostgresConsumer(backend.url, name, options);
}
