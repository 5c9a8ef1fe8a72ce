import { z } from 'zod';
import { integer, text } from '../scalars.ts';
import { SyncMode } from './enums.ts';
import { Order } from './orders.ts';

/** The body of the cancel operation (rules 6.6). */
export const CancelBatch = z
  .object({
    channelCode: text().describe('Channel of the batch.'),
    channelOrderId: text().describe('Number under which the batch was sent.'),
  })
  .meta({ id: 'BatchToCancel', description: 'The batch to cancel.' });
export type CancelBatch = z.infer<typeof CancelBatch>;

/** How much of the batch was stopped (rules 6.6). */
export const CancelledBatch = z
  .object({
    cancelled: integer().describe('Orders that this call cancelled.'),
    finished: integer().describe('Orders that had their outcome already.'),
  })
  .meta({ id: 'CancelledBatch', description: 'What a cancel stopped of a batch; together they are the batch.' });
export type CancelledBatch = z.infer<typeof CancelledBatch>;

/** The query of the operation that returns the failed orders of a batch (rules 6.7). */
export const FailedOrdersQuery = z.object({
  channelCode: text().describe('Channel of the batch.'),
  channelOrderId: text().describe('Number under which the batch was sent.'),
});
export type FailedOrdersQuery = z.infer<typeof FailedOrdersQuery>;

/** The failed orders of a batch as they were sent: with another channelOrderId it is a batch again (rules 6.7). */
export const FailedOrders = z
  .object({
    channelCode: z.string().describe('Channel of the batch.'),
    syncMode: SyncMode.describe('How the batch was sent.'),
    orderList: z
      // With it clients have one type for the orders of calls and of this answer, which is to be sent again.
      .array(Order.meta({ 'x-as-sent': true }))
      .describe('The orders that have failed so far, whole, in the order of the orderList that was sent.'),
  })
  .meta({ id: 'FailedOrders', description: 'The failed orders of a batch as they were sent.' });
export type FailedOrders = z.infer<typeof FailedOrders>;
