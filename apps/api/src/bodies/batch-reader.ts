import type { Caller } from '@lockstep/access';
import { BatchRefusal, type CustomerId, type Order, readBatchOrder } from '@lockstep/contract';
import type { CustomerChannels } from '@lockstep/orders';
import { type PreparedBatch, prepareBatch } from '@lockstep/orders/prepare';
import { type Deadline, FairQueue } from '@lockstep/platform';
import Tinypool from 'tinypool';
import { answerThread, type BatchAnswer, type BatchTask, readOrders } from './batch-task.ts';
import { freeBytes } from './large-bytes.ts';

/** Batches up to this size are checked on the event loop, within some milliseconds. */
const MAX_BYTES_AT_ONCE = 256 * 1024;
/** Batches up to this size have a thread of their own, because a larger one can occupy its thread for seconds. */
const MAX_MEDIUM_BYTES = 4 * 1024 * 1024;

/** A third more than the largest batches need. A thread that exceeds it ends, and its call fails with code 500. */
const MAX_THREAD_HEAP_MB = 320;
/** Objects of a batch live long or die at once, so a larger young generation gains little and uses all of its size. */
const MAX_THREAD_YOUNG_MB = 24;
/** An idle thread ends after this time to release its memory. */
const IDLE_TIMEOUT_MS = 10_000;

/** A batch that was checked and prepared for storing. */
export interface ReadBatch {
  prepared: PreparedBatch;
  /** Returns its orders in the order of orderList, for a sync batch or a preview. */
  orders: () => Promise<Order[]>;
  /** The paths of the first unknown fields. */
  ignoredFields: string[];
  /**
   * Frees its payloads. Call it when the batch was stored or refused; the request that refers to it can live much
   * longer.
   */
  free: () => void;
}

/**
 * Checks and prepares the bodies of O5 and of its preview: small ones on the event loop, large ones on threads. There
 * is one thread for each of two sizes, with fair shares for applications. Body memory limits how many wait.
 */
export class BatchReader {
  readonly #channels: CustomerChannels;
  readonly #medium = openThread();
  readonly #large = openThread();

  constructor(channels: CustomerChannels) {
    this.#channels = channels;
  }

  /** Throws the Refusals of readBatchOrder, and an Overload when the call's deadline passes. */
  async read(
    { applicationId, channels }: Pick<Caller, 'applicationId' | 'channels'>,
    bytes: Buffer,
    { isPreview, deadline }: { isPreview: boolean; deadline: Deadline },
  ): Promise<ReadBatch> {
    const findChannels = (customerIds: readonly CustomerId[]) => this.#channels.find(customerIds, channels, deadline);
    if (bytes.length <= MAX_BYTES_AT_ONCE) {
      const { batch, ignoredFields } = readBatchOrder(bytes);
      // Thousands of these a second would wait for the garbage collector. Short bodies share their memory with others.
      if (bytes.length === bytes.buffer.byteLength) freeBytes(bytes);
      const channelIds = isPreview
        ? new Map()
        : await findChannels(batch.orderList.map(({ customerId }) => customerId));
      const prepared = prepareBatch(applicationId, batch, channelIds);
      return { prepared, orders: async () => batch.orderList, ignoredFields, free: () => {} };
    }
    const { thread, turns } = bytes.length <= MAX_MEDIUM_BYTES ? this.#medium : this.#large;
    const check = () =>
      answerThread(findChannels, async (port): Promise<BatchAnswer> => {
        const task: BatchTask = { bytes, applicationId, isPreview, port };
        return await thread.run(task, { transferList: [bytes.buffer as ArrayBuffer, port] });
      });
    const owner = { kind: 'batch to check', party: applicationId };
    const answer = await deadline.race(turns.run(owner, deadline.signal, check));
    if (answer.refusal !== null) throw new BatchRefusal(answer.refusal, answer.batchName);
    const { prepared, orders, ignoredFields } = answer;
    // A message between threads turns a Buffer into a Uint8Array.
    return {
      prepared: { ...prepared, digest: Buffer.from(prepared.digest) },
      orders: () => readOrders(orders),
      ignoredFields,
      free: () => {
        // All payloads share one piece of memory.
        const payload = prepared.chunks[0]?.payload;
        if (payload instanceof Uint8Array) freeBytes(payload);
      },
    };
  }

  /** Ends the threads. Call it after the last call. */
  async close(): Promise<void> {
    await Promise.all([this.#medium.thread.destroy(), this.#large.thread.destroy()]);
  }
}

function openThread(): { thread: Tinypool; turns: FairQueue } {
  const thread = new Tinypool({
    filename: new URL('./batch-thread.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_TIMEOUT_MS,
    resourceLimits: { maxOldGenerationSizeMb: MAX_THREAD_HEAP_MB, maxYoungGenerationSizeMb: MAX_THREAD_YOUNG_MB },
  });
  // The pool's own queue is not an option: a call that leaves it ends its thread, and those behind it wait forever.
  return { thread, turns: new FairQueue({ atOnce: 1, maxWaiting: () => Number.POSITIVE_INFINITY }) };
}
