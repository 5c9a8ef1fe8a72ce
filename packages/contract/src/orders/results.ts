import { z } from 'zod';
import { named, namedEnum } from '../containers.ts';
import { Cause, MessageArgs } from '../envelope.ts';
import { MAX_PAGE_ORDERS } from '../routes.ts';
import {
  CustomerId,
  emptyAsAbsent,
  id,
  integer,
  LicenseOrderId,
  queryIntegerOr,
  text,
  textOrNull,
  time,
} from '../scalars.ts';
import { fault } from '../templates.ts';
import { BATCH_STATES } from '../words.ts';
import { OrderState, OrderType, SyncMode } from './enums.ts';
import { Order } from './orders.ts';

const DEFAULT_PAGE_ORDERS = 100;
export const MAX_WAIT_SECONDS = 30;

/** The query of the operation that returns the result of a batch (rules 6.4). `cursor` is opaque to clients. */
export const BatchResultQuery = z.object({
  channelCode: text().describe("The batch's channel."),
  channelOrderId: text().describe("The batch's channelOrderId."),
  state: emptyAsAbsent(OrderState.optional()).describe(
    'Only orders in this state. The totals are those of the whole batch.',
  ),
  limit: queryIntegerOr(DEFAULT_PAGE_ORDERS, 1, MAX_PAGE_ORDERS, 'Maximum number of orders'),
  cursor: emptyAsAbsent(
    z
      .string()
      .regex(/^\d{1,4}$/, fault('cursor'))
      .optional(),
  ).describe('nextCursor of the previous page; absent for the first page.'),
  waitSeconds: queryIntegerOr(0, 0, MAX_WAIT_SECONDS, 'Seconds to wait for the batch to complete'),
});
export type BatchResultQuery = z.infer<typeof BatchResultQuery>;

/** The path parameters of the operation that returns the result of one order (rules 6.4). */
export const OrderResultParams = z.object({
  licenseOrderId: id<'LicenseOrderId'>().describe('Id of the order, as O5 returned it.'),
});

/** What an order's failure concerns (see findConcerned). */
export const concerned = {
  assetNums: z.array(z.string()).describe('The asset number that the failure is about; empty if none.'),
  places: z
    .array(z.string())
    .describe('The path in the order of what the failure is about, such as assets[1].products[0]; empty if none.'),
};

export const OrderResult = named('OrderResult', 'The result of an order.', {
  sequence: integer().describe('Sequence number of the order.'),
  licenseOrderId: LicenseOrderId.describe('Id of the order.'),
  customerId: CustomerId.describe('Customer of the order.'),
  orderType: OrderType.describe('Type of the order.'),
  state: OrderState.describe('pending, succeeded or failed.'),
  code: textOrNull('Code of the failure; null unless it failed.'),
  cause: Cause.nullable().describe('Why it failed; null unless it failed.'),
  message: textOrNull('The cause in words; null unless it failed.'),
  args: MessageArgs.nullable().describe('The values in the message; null unless it failed.'),
  ...concerned,
  assets: integer().describe('Assets that the order created or revoked, not those that it extended or transferred.'),
  products: integer().describe('Products that the order created or revoked.'),
  finishedTime: time('When it succeeded or failed; null while pending').nullable(),
  heldSince: time(
    'When the hold began: it or an earlier order of its customer cannot be applied; null if not held',
  ).nullable(),
});
export type OrderResult = z.infer<typeof OrderResult>;

export const BatchState = namedEnum('BatchState', 'Progress of a batch.', BATCH_STATES);

export const BatchSummary = named('BatchSummary', 'The totals of a batch.', {
  channelCode: z.string().describe("The batch's channel."),
  channelOrderId: z.string().describe("The batch's channelOrderId."),
  syncMode: SyncMode.describe('The mode in which the batch was sent.'),
  state: BatchState.describe('accepted: no order has an outcome. processing: some have. completed: all have.'),
  total: integer().describe('Number of orders.'),
  succeeded: integer().describe('Orders that succeeded.'),
  failed: integer().describe('Orders that failed, including cancelled ones.'),
  pending: integer().describe('Orders without an outcome yet.'),
  held: integer().describe('Pending orders that are held.'),
  acceptedTime: time('When the batch was accepted'),
  completedTime: time('When the last order succeeded or failed; null until then').nullable(),
});
export type BatchSummary = z.infer<typeof BatchSummary>;

export const BatchResult = BatchSummary.extend({
  estimatedCompletionTime: time(
    'When it should be completed at the current rate; null if completed, held, paused or unknown',
  ).nullable(),
  orders: z.array(OrderResult).describe('A page of its orders, in the order of orderList.'),
  nextCursor: textOrNull('The cursor of the next page; null on the last page. Earlier pages may be empty.'),
}).meta({ id: 'BatchResult', description: 'The result of a batch, with a page of its orders.' });
export type BatchResult = z.infer<typeof BatchResult>;

export const SingleOrderResult = OrderResult.extend({
  channelCode: z.string().describe("The batch's channel."),
  channelOrderId: z.string().describe("The batch's channelOrderId."),
}).meta({ id: 'SingleOrderResult', description: 'The result of an order, with its batch.' });
export type SingleOrderResult = z.infer<typeof SingleOrderResult>;

export const CancelBatch = named('BatchToCancel', 'The batch to cancel.', {
  channelCode: text().describe("The batch's channel."),
  channelOrderId: text().describe("The batch's channelOrderId."),
});
export type CancelBatch = z.infer<typeof CancelBatch>;

export const CancelledBatch = named('CancelledBatch', 'How many orders of a batch were cancelled.', {
  cancelled: integer().describe('Number of orders that this call cancelled.'),
  finished: integer().describe('Number of orders that already had an outcome.'),
});
export type CancelledBatch = z.infer<typeof CancelledBatch>;

/** The query of the operation that returns the failed orders of a batch (rules 6.7). */
export const FailedOrdersQuery = z.object(CancelBatch.shape);
export type FailedOrdersQuery = z.infer<typeof FailedOrdersQuery>;

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
