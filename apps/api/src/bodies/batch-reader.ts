import type { Caller } from '@lockstep/access';
import { type CustomerId, type Order, readBatchOrder } from '@lockstep/contract';
import { CustomerChannels, type PreparedBatch, prepareBatch } from '@lockstep/orders';
import type { FastifyRequest } from 'fastify';

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

  /** Throws the Refusals of readBatchOrder, and an Overload when the call's deadline passes or its client has left. */
  async read(
    { applicationId, channels }: Pick<Caller, 'applicationId' | 'channels'>,
    bytes: Buffer,
    isPreview: boolean,
    { db, deadline }: Pick<FastifyRequest, 'db' | 'deadline'>,
  ): Promise<ReadBatch> {
    const { batch, ignoredFields } = readBatchOrder(bytes);
    const customerIds: CustomerId[] = isPreview ? [] : batch.orderList.map(({ customerId }) => customerId);
    const channelIds = await deadline.race(this.#channels.find(db, customerIds, channels));
    const prepared = prepareBatch(applicationId, batch, channelIds);
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
