import { z } from 'zod';
import { Cause } from '../cause-schema.ts';
import { CustomerId, LicenseOrderId } from '../ids.ts';
import { emptyAsAbsent, id, integer, queryInteger, text, time } from '../scalars.ts';
import { BATCH_STATES, MAX_PAGE_ORDERS } from '../words.ts';
import { OrderState, OrderType, SyncMode } from './enums.ts';

const DEFAULT_PAGE_ORDERS = 100;
export const MAX_WAIT_SECONDS = 30;

/** The query of the operation that returns the result of a batch (rules 6.4). `cursor` is opaque to clients. */
export const BatchResultQuery = z.object({
  channelCode: text().describe('Channel of the batch.'),
  channelOrderId: text().describe('Number under which the batch was sent.'),
  state: emptyAsAbsent(OrderState.optional()).describe(
    'Only orders in this state; the totals stay those of the batch.',
  ),
  limit: emptyAsAbsent(queryInteger(1, MAX_PAGE_ORDERS).default(DEFAULT_PAGE_ORDERS)).meta({
    'x-default': DEFAULT_PAGE_ORDERS,
    description: `Orders of a page at most: 1 to ${MAX_PAGE_ORDERS}.`,
  }),
  cursor: emptyAsAbsent(
    z
      .string()
      .regex(/^\d{1,4}$/, 'must be the nextCursor of another page of this batch')
      .transform(Number)
      .optional(),
  ).describe('nextCursor of the page before; absent for the first page.'),
  waitSeconds: emptyAsAbsent(queryInteger(0, MAX_WAIT_SECONDS).default(0)).meta({
    'x-default': 0,
    description: `Holds the answer until the batch is completed or this time is up: 0 to ${MAX_WAIT_SECONDS}.`,
  }),
});
export type BatchResultQuery = z.infer<typeof BatchResultQuery>;

/** The path parameters of the operation that returns the result of one order (rules 6.4). */
export const OrderResultParams = z.object({
  licenseOrderId: id<'LicenseOrderId'>().describe('Id of the order, from the answer of O5.'),
});

/** The result of one order (rules 6.4). */
export const OrderResult = z
  .object({
    sequence: integer().describe('Sequence number of the order.'),
    licenseOrderId: LicenseOrderId.describe('Id of the order.'),
    customerId: CustomerId.describe('Customer of the order.'),
    orderType: OrderType.describe('What the order is to do.'),
    state: OrderState.describe('pending, succeeded or failed.'),
    code: z.string().nullable().describe('The code of its failure; null where it has not failed.'),
    cause: Cause.nullable().describe('What it failed for; null where it has not failed.'),
    message: z.string().nullable().describe('The same for people; null where it has not failed.'),
    assets: integer().describe(
      'Assets that the order created or revoked; buying onto one or transferring it creates none.',
    ),
    products: integer().describe('Product instances that the order created or revoked.'),
    finishedTime: time('When it succeeded or failed; null while it is pending').nullable(),
    heldSince: time(
      'Since when it waits because it, or an earlier order of its customer, cannot be applied at present; null otherwise',
    ).nullable(),
  })
  .meta({ id: 'OrderResult', description: 'What became of one order.' });
export type OrderResult = z.infer<typeof OrderResult>;

/** How far a batch is (rules 6.4). */
export const BatchState = z
  .enum(BATCH_STATES, 'must be accepted, processing or completed')
  .meta({ id: 'BatchState', description: 'How far a batch is.' });

/** What became of a batch in all (rules 6.4). */
export const BatchSummary = z
  .object({
    channelCode: z.string().describe('Channel of the batch.'),
    channelOrderId: z.string().describe('Number under which the batch was sent.'),
    syncMode: SyncMode.describe('How the batch was sent.'),
    state: BatchState.describe(
      'accepted while no order has its outcome, processing while some have, completed when all have.',
    ),
    total: integer().describe('Orders of the batch.'),
    succeeded: integer().describe('Orders that have succeeded.'),
    failed: integer().describe('Orders that have failed.'),
    pending: integer().describe('Orders that have no outcome yet.'),
    held: integer().describe('Pending orders that wait because one of their customer cannot be applied at present.'),
    acceptedTime: time('When the batch was accepted'),
    completedTime: time('When the last order succeeded or failed; null before').nullable(),
  })
  .meta({ id: 'BatchSummary', description: 'What became of a batch in all.' });
export type BatchSummary = z.infer<typeof BatchSummary>;

/** The result of a batch, with a page of its orders (rules 6.4). */
export const BatchResult = BatchSummary.extend({
  estimatedCompletionTime: time(
    'When it should be completed at the present rate; null where it is completed, held or paused, or nobody can tell',
  ).nullable(),
  orders: z.array(OrderResult).describe('A page of its orders, in the order of orderList.'),
  nextCursor: z.string().nullable().describe('The cursor of the next page; null on the last.'),
}).meta({ id: 'BatchResult', description: 'What became of a batch, with a page of its orders.' });
export type BatchResult = z.infer<typeof BatchResult>;

/** The result of one order, and the batch that it came in (rules 6.4). */
export const SingleOrderResult = OrderResult.extend({
  channelCode: z.string().describe('Channel of its batch.'),
  channelOrderId: z.string().describe('Number under which its batch was sent.'),
}).meta({ id: 'SingleOrderResult', description: 'What became of one order, and the batch that it came in.' });
export type SingleOrderResult = z.infer<typeof SingleOrderResult>;
