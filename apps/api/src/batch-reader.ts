import { BatchRefusal, type Order, readBatchOrder } from '@lockstep/contract';
import { type PreparedBatch, prepareBatch } from '@lockstep/orders/prepare';
import Tinypool from 'tinypool';
import { type BatchAnswer, type BatchTask, readOrders } from './batch-task.ts';

/** Checked on the event loop: some milliseconds. */
const MAX_BYTES_AT_ONCE = 256 * 1024;
/** Checked on a thread beside the one for what is larger, which takes seconds for one. */
const MAX_MEDIUM_BYTES = 4 * 1024 * 1024;

/** A third more than the largest batches take there. A thread that needs more ends, and its call with a fault. */
const MAX_THREAD_HEAP_MB = 320;
/** A thread that has nothing to do ends, and gives its memory back. */
const IDLE_TIMEOUT_MS = 10_000;

/** A batch that was checked and prepared. */
export interface ReadBatch {
  prepared: PreparedBatch;
  /** Its orders in the order of orderList, for what carries them out or looks at them at once. */
  orders: () => Promise<Order[]>;
}

/**
 * Checks and prepares the bodies of O5 and of its preview: small ones at once, large ones off the event loop, one at a
 * time of each size. What waits for its turn is bounded by the room for bodies.
 */
export class BatchReader {
  readonly #medium = openThread();
  readonly #large = openThread();

  /** Throws a Refusal: what readBatchOrder throws. */
  async read(applicationId: string, bytes: Buffer, { isPreview }: { isPreview: boolean }): Promise<ReadBatch> {
    if (bytes.length <= MAX_BYTES_AT_ONCE) {
      const batch = readBatchOrder(bytes);
      return { prepared: prepareBatch(applicationId, batch), orders: async () => batch.orderList };
    }
    const thread = bytes.length <= MAX_MEDIUM_BYTES ? this.#medium : this.#large;
    const task: BatchTask = { bytes, applicationId, isPreview };
    const answer = (await thread.run(task, { transferList: [bytes.buffer as ArrayBuffer] })) as BatchAnswer;
    if (answer.refusal !== null) throw new BatchRefusal(answer.refusal, answer.batchName);
    const { prepared, orders } = answer;
    // Messages between threads make plain bytes of a Buffer.
    return { prepared: { ...prepared, digest: Buffer.from(prepared.digest) }, orders: () => readOrders(orders) };
  }

  /** Ends the threads. Call it when no more calls come. */
  async close(): Promise<void> {
    await Promise.all([this.#medium.destroy(), this.#large.destroy()]);
  }
}

function openThread(): Tinypool {
  return new Tinypool({
    filename: new URL('./batch-thread.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_TIMEOUT_MS,
    resourceLimits: { maxOldGenerationSizeMb: MAX_THREAD_HEAP_MB },
  });
}
