import { z } from 'zod';
import { integer, text } from '../scalars.ts';
import { SyncMode } from './enums.ts';
import { Order } from './orders.ts';

/** The body of the cancel operation (rules 6.6). */
export const CancelBatch = z
  .object({
    channelCode: text().describe("The batch's channel."),
    channelOrderId: text().describe("The batch's channelOrderId."),
  })
  .meta({ id: 'BatchToCancel', description: 'The batch to cancel.' });
export type CancelBatch = z.infer<typeof CancelBatch>;

/** The answer of the cancel operation (rules 6.6). */
export const CancelledBatch = z
  .object({
    cancelled: integer().describe('Number of orders that this call cancelled.'),
    finished: integer().describe('Number of orders that already had an outcome.'),
  })
  .meta({ id: 'CancelledBatch', description: 'How many orders of a batch were cancelled.' });
export type CancelledBatch = z.infer<typeof CancelledBatch>;

/** The query of the operation that returns the failed orders of a batch (rules 6.7). */
export const FailedOrdersQuery = z.object({
  channelCode: text().describe("The batch's channel."),
  channelOrderId: text().describe("The batch's channelOrderId."),
});
export type FailedOrdersQuery = z.infer<typeof FailedOrdersQuery>;

/** The failed orders of a batch as they were sent (rules 6.7). */
export const FailedOrders = z
  .object({
    channelCode: z.string().describe("The batch's channel."),
    syncMode: SyncMode.describe('The mode in which the batch was sent.'),
    orderList: z
      .array(Order)
      .describe('The orders that have failed so far, as they were sent and in the order of orderList.'),
  })
  .meta({
    id: 'FailedOrders',
    description: 'The failed orders of a batch. With a new channelOrderId, they are a batch to send.',
  });
export type FailedOrders = z.infer<typeof FailedOrders>;
