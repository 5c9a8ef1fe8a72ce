import { setImmediate } from 'node:timers/promises';
import type { Caller } from '@lockstep/access';
import { type CustomerId, type Order, readBatchOrder } from '@lockstep/contract';
import { CustomerChannels, type PreparedBatch, prepareBatch } from '@lockstep/orders';
import { FairQueue } from '@lockstep/platform';
import type { FastifyRequest } from 'fastify';

/** Reading a body of this size takes longer than other calls should wait for several of them. */
const LARGE_BYTES = 256 * 1024;

/** A batch that was checked and prepared for storing. */
export interface ReadBatch {
  prepared: PreparedBatch;
  /** Its orders in the order of orderList, for a sync batch or a preview; otherwise empty. */
  orders: Order[];
  /** The paths of the first unknown fields. */
  ignoredFields: string[];
}

/** Checks and prepares the bodies of O5 and of its preview. */
export class BatchReader {
  readonly #channels = new CustomerChannels();
  /** Large bodies are read one at a time, so that other calls go on between them. Applications take turns. */
  readonly #turns = new FairQueue({ atOnce: 1, maxWaiting: Number.POSITIVE_INFINITY });

  /** Throws the Refusals of readBatchOrder, and an Overload when the call's deadline passes or its client has left. */
  async read(
    caller: Pick<Caller, 'applicationId' | 'channels'>,
    bytes: Buffer,
    isPreview: boolean,
    { db, deadline }: Pick<FastifyRequest, 'db' | 'deadline'>,
  ): Promise<ReadBatch> {
    const { applicationId, channels } = caller;
    const isLarge = bytes.length > LARGE_BYTES;
    const inTurn = <Result>(work: () => Result): Promise<Result> | Result =>
      isLarge
        ? this.#turns.run(applicationId, deadline.signal, async () => {
            await setImmediate();
            return work();
          })
        : work();
    const { batch, ignoredFields } = await inTurn(() => readBatchOrder(bytes));
    const customerIds: CustomerId[] = isPreview ? [] : batch.orderList.map(({ customerId }) => customerId);
    const channelIds = await deadline.race(this.#channels.find(db, customerIds, channels));
    const prepared = await inTurn(() => prepareBatch(applicationId, batch, channelIds));
    return isPreview || batch.syncMode === 'sync'
      ? { prepared: withoutPayloads(prepared), orders: batch.orderList, ignoredFields }
      : { prepared, orders: [], ignoredFields };
  }
}

/** Frees memory while a call waits. */
const withoutPayloads = (batch: PreparedBatch): PreparedBatch => ({
  ...batch,
  chunks: batch.chunks.map((chunk) => ({ ...chunk, payload: '' })),
});
