import { setImmediate } from 'node:timers/promises';
import type { BatchId } from '@lockstep/contract';
import type { JobProducer, Logger } from '@lockstep/platform';
import { z } from 'zod';
import type { OrderMetrics } from '../metrics.ts';

export const QUEUE_NAME = 'lockstep-orders';

/** A job: drain these lanes up to this batch. It only points to data, so it is idempotent. */
export const jobSchema = z.object({
  type: z.literal('drain'),
  version: z.literal(2),
  lanes: z.array(z.int32().min(0)),
  throughBatchId: z.string().regex(/^\d+$/),
});

export type Job = z.infer<typeof jobSchema>;

/**
 * Queues jobs for accepted batches, one at a time; batches announced meanwhile share the next job. The answer to the
 * client does not wait for it, because the orders are stored and the sweep finds those of a lost job.
 */
export class JobAnnouncer {
  readonly #producer: JobProducer<Job>;
  readonly #log: Logger;
  readonly #metrics: OrderMetrics;
  readonly #lanes = new Set<number>();
  #throughBatchId = 0n;
  #adding: Promise<void> | null = null;

  constructor(producer: JobProducer<Job>, log: Logger, metrics: OrderMetrics) {
    this.#producer = producer;
    this.#log = log;
    this.#metrics = metrics;
  }

  announce(lanes: Iterable<number>, batchId: BatchId): void {
    for (const lane of lanes) this.#lanes.add(lane);
    if (BigInt(batchId) > this.#throughBatchId) this.#throughBatchId = BigInt(batchId);
    this.#adding ??= this.#addAll();
  }

  async close(): Promise<void> {
    await this.#adding;
    await this.#producer.close();
  }

  async #addAll(): Promise<void> {
    while (this.#lanes.size > 0) {
      // Combines the batches of one statement, which are announced in one turn of the event loop.
      await setImmediate();
      const lanes = [...this.#lanes];
      this.#lanes.clear();
      try {
        await this.#producer.add({ type: 'drain', version: 2, lanes, throughBatchId: String(this.#throughBatchId) });
      } catch (error) {
        this.#metrics.enqueueFailures.inc();
        this.#log.warn({ err: error, lanes }, 'enqueue failed; sweep will take over');
      }
    }
    this.#adding = null;
  }
}
