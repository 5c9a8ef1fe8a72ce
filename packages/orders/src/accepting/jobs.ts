import { setImmediate } from 'node:timers/promises';
import type { BatchId } from '@lockstep/contract';
import type { JobQueue, Logger } from '@lockstep/platform';
import { z } from 'zod';
import type { OrderMetrics } from '../metrics.ts';

export const QUEUE_NAME = 'lockstep-orders';

/** A job: orders wait, up to this batch. It only rings, so any worker may process it at any time. */
export const jobSchema = z.object({
  type: z.literal('drain'),
  version: z.literal(3),
  throughBatchId: z.string().regex(/^\d+$/),
});

export type Job = z.infer<typeof jobSchema>;

/**
 * Queues jobs for accepted batches, one at a time; batches announced meanwhile share the next job. The answer to the
 * client does not wait for it, because the orders are stored and the sweep finds those of a lost job.
 */
export class JobAnnouncer {
  readonly #queue: JobQueue<Job>;
  readonly #log: Logger;
  readonly #metrics: OrderMetrics;
  /** The newest batch that no job has announced; null if there is none. */
  #throughBatchId: BatchId | null = null;
  #adding: Promise<void> | null = null;

  constructor(queue: JobQueue<Job>, log: Logger, metrics: OrderMetrics) {
    this.#queue = queue;
    this.#log = log;
    this.#metrics = metrics;
  }

  announce(batchId: BatchId): void {
    if (this.#throughBatchId === null || BigInt(batchId) > BigInt(this.#throughBatchId)) this.#throughBatchId = batchId;
    this.#adding ??= this.#addAll();
  }

  async close(): Promise<void> {
    await this.#adding;
    await this.#queue.close();
  }

  async #addAll(): Promise<void> {
    while (this.#throughBatchId !== null) {
      // Combines the batches of one statement, which are announced in one turn of the event loop.
      await setImmediate();
      const throughBatchId = this.#throughBatchId;
      this.#throughBatchId = null;
      try {
        await this.#queue.add({ type: 'drain', version: 3, throughBatchId });
      } catch (error) {
        this.#metrics.enqueueFailures.inc();
        this.#log.warn({ err: error, throughBatchId }, 'enqueue failed; sweep will take over');
      }
    }
    this.#adding = null;
  }
}
