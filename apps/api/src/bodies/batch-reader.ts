import type { Caller } from '@lockstep/access';
import { type CustomerId, type Order, readBatchOrder } from '@lockstep/contract';
import { type CustomerChannels, type PreparedBatch, prepareBatch } from '@lockstep/orders';
import type { Deadline } from '@lockstep/platform';

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
  readonly #channels: CustomerChannels;

  constructor(channels: CustomerChannels) {
    this.#channels = channels;
  }

  /** Throws the Refusals of readBatchOrder, and an Overload when the call's deadline passes. */
  async read(
    { applicationId, channels }: Pick<Caller, 'applicationId' | 'channels'>,
    bytes: Buffer,
    { isPreview, deadline }: { isPreview: boolean; deadline: Deadline },
  ): Promise<ReadBatch> {
    const { batch, ignoredFields } = readBatchOrder(bytes);
    const customerIds: CustomerId[] = isPreview ? [] : batch.orderList.map(({ customerId }) => customerId);
    const channelIds = await this.#channels.find(customerIds, channels, deadline);
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
