import { z } from 'zod';
import { Cause, MessageArgs } from '../envelope.ts';
import { OrderState, SyncMode } from '../orders/enums.ts';
import { ListBatchesQuery, ListPageQuery } from '../orders/lists.ts';
import {
  BatchResult,
  BatchResultQuery,
  BatchSummary,
  CancelledBatch,
  FailedOrders,
  OrderResult,
} from '../orders/results.ts';
import { emptyAsAbsent, id, optionalIds, optionalText, text } from '../scalars.ts';
import { fault } from '../templates.ts';
import { Pause } from './channels.ts';
import { type ConsoleOperation, get, on, pagesOf } from './operation.ts';
import { ComparedPreview } from './preview.ts';

/** Maximum bytes of failed orders that the console can edit. Beyond it, operators use the command. */
export const MAX_RESEND_BYTES = 2 * 1024 * 1024;
/** What the console shows instead of a password, and to viewers instead of an address. */
export const HIDDEN = '(hidden)';

/** The id of a batch. Applications never see it. */
export const ShownBatchId = z.string().brand<'BatchId'>();

/** The application that sent an order or a batch. */
export const Sender = z.object({ appKey: z.string(), applicationName: z.string() });

export const ConsoleBatch = BatchSummary.extend({
  resent: z.number().describe('Failed orders that operators have resent.'),
  batchId: ShownBatchId,
  ...Sender.shape,
});
export type ConsoleBatch = z.infer<typeof ConsoleBatch>;

/** The query of the list of all batches. A `channelOrderId` that ends in * is a prefix. */
export const ConsoleBatchesQuery = ListBatchesQuery.safeExtend({
  appKey: optionalText(),
  channelOrderId: optionalText(),
  order: emptyAsAbsent(z.literal('oldest', fault('one_of', 'oldest')).optional()).describe('oldest: oldest first.'),
});
export type ConsoleBatchesQuery = z.infer<typeof ConsoleBatchesQuery>;

/** The batches of a channel whose numbers begin alike, together: how far they are, and when they will be completed. */
export const Import = z.object({
  channelCode: z.string(),
  ...BatchSummary.pick({ total: true, succeeded: true, failed: true, pending: true, held: true }).shape,
  batches: z.number(),
  completed: z.number().describe('Completed batches.'),
  perSecond: z.number().describe('Orders that succeeded or failed, per second since the first batch was accepted.'),
  acceptedTime: z.number().describe('When the first batch was accepted.'),
  completedTime: z.number().nullable().describe('When the last batch was completed; null until all are.'),
  estimatedCompletionTime: BatchResult.shape.estimatedCompletionTime,
});
export type Import = z.infer<typeof Import>;

export const ConsoleBatchDetail = ConsoleBatch.extend({
  requestId: z.string().describe('The x-request-id of the call that sent it.'),
  reopenedTime: z.number().nullable().describe('When `order retry` last reopened it, in milliseconds; null if never.'),
});
export type ConsoleBatchDetail = z.infer<typeof ConsoleBatchDetail>;

const NamedBatch = z.object({ batchId: ShownBatchId, channelOrderId: z.string() });

/** A held order, and why it waits. */
export const HeldOrder = z.object({
  licenseOrderId: z.string().describe('The order that cannot be applied.'),
  tries: z.number().describe('How often it has failed in a row.'),
  nextTryTime: z.number(),
  lastError: z.string().describe('A short description of the error.'),
});

/** An order of a batch or list: its customer, why it waits if held, and what it was resent as if it failed. */
export const TracedOrder = OrderResult.extend({
  hold: HeldOrder.nullable().describe('Names this order, or an earlier one.'),
  customerName: z.string().nullable().describe('Null if the operator sees no such customer.'),
  resentAs: z.object({ licenseOrderId: z.string(), batchId: ShownBatchId, state: OrderState }).nullable(),
});
export type TracedOrder = z.infer<typeof TracedOrder>;

/** A batch, with the batches that operators sent to fix its failed orders. */
export const TracedBatch = ConsoleBatchDetail.extend({
  estimatedCompletionTime: BatchResult.shape.estimatedCompletionTime,
  /** The batches that replace its failed orders, newest first, up to 20. */
  resends: z.array(
    NamedBatch.extend({
      operator: z.string().nullable().describe('Who sent it.'),
      time: z.number(),
    }),
  ),
  resentFrom: NamedBatch.nullable().describe('The batch whose failed orders it replaces; null if none.'),
  pauses: z.array(Pause).describe('The paused channels for which its orders wait.'),
});
export type TracedBatch = z.infer<typeof TracedBatch>;

/** The orders of a batch that failed with one cause. */
export const FailureGroup = z.object({
  cause: Cause,
  orders: z.number(),
  resent: z.number().describe('How many of them operators have resent.'),
  /** The most frequent messages, with the number of orders of each. */
  messages: z.array(z.object({ message: z.string(), args: MessageArgs, orders: z.number() })),
  otherOrders: z.number().describe('Orders with other messages.'),
});
export type FailureGroup = z.infer<typeof FailureGroup>;

export const BatchOrdersQuery = z.object({
  state: emptyAsAbsent(OrderState.optional()),
  cause: emptyAsAbsent(Cause.optional()),
  limit: ListPageQuery.shape.limit,
  cursor: BatchResultQuery.shape.cursor,
});
export type BatchOrdersQuery = z.infer<typeof BatchOrdersQuery>;

/** The failed orders of a batch that were not resent, to fix and resend. Passwords are hidden. */
export const OrdersToResend = z.object({
  channelCode: z.string(),
  channelOrderId: z.string().describe('The proposed channelOrderId of the new batch.'),
  syncMode: SyncMode,
  orderList: z.array(z.unknown()),
  /** Why each of them failed, in the same order. */
  failures: z.array(z.object({ sequence: z.number(), cause: Cause, message: z.string(), args: MessageArgs })),
  hiddenPasswords: z.number().describe('How many passwords are hidden.'),
});
export type OrdersToResend = z.infer<typeof OrdersToResend>;

/** The orders that replace the failed ones. They are validated like those of O5. */
const ResendBody = z.object({ channelOrderId: text(), orderList: z.array(z.unknown()) });
export type ResendBody = z.infer<typeof ResendBody>;

/** A field that differs. `before` or `after` is absent if the field was. */
export interface ChangedField {
  sequence: number;
  /** The path in the order: `assets[0].products[1].limitEndDate`. */
  field: string;
  before?: unknown;
  after?: unknown;
}

/** How resent orders differ from the failed ones, as the audit log has it. */
export interface OrderDifference {
  /** Failed orders that were not sent. */
  leftOut: number;
  /** Orders that were sent but had not failed; all their fields are changes. */
  added: number;
  changes: ChangedField[];
  more: number;
}

const batch = on('/batches/{batchId}', z.object({ batchId: id<'BatchId'>() }));
/** The JSON of the editor, with its envelope. */
const MAX_RESEND_BODY_BYTES = MAX_RESEND_BYTES + 64 * 1024;

/** Batches of all applications (rules 6.4 to 6.7). */
export const batchesOperations = {
  listAllBatches: { ...get('/batches'), query: ConsoleBatchesQuery, ...pagesOf('batches', ConsoleBatch) },
  listImports: {
    ...get('/imports'),
    query: z.object({ channelOrderId: text(), appKey: optionalText(), channelCode: optionalText() }),
    data: z.object({
      imports: z.array(Import),
      isCut: z.boolean().describe('Whether there are more batches than are counted: the newest.'),
    }),
  },
  getBatch: { ...batch.get(), data: TracedBatch },
  getBatchFailures: { ...batch.get('/failures'), data: z.object({ failures: z.array(FailureGroup) }) },
  listBatchOrders: { ...batch.get('/orders'), query: BatchOrdersQuery, ...pagesOf('orders', TracedOrder) },
  /** Downloads the failed orders of a batch as they were sent, without passwords. */
  downloadFailedOrders: { ...batch.get('/failed-orders', 'support'), data: FailedOrders, isDownload: true },
  cancelBatch: { ...batch.post('/cancel', 'support'), data: CancelledBatch },
  getOrdersToResend: {
    ...batch.get('/resend', 'support'),
    query: z.object({
      licenseOrderIds: optionalIds<'LicenseOrderId'>().describe('Only these orders, even if they were resent.'),
      cause: emptyAsAbsent(Cause.optional()).describe('Only orders that failed with this cause.'),
    }),
    data: OrdersToResend,
  },
  checkResend: {
    ...batch.post('/resend/check', 'support'),
    body: ResendBody,
    maxBodyBytes: MAX_RESEND_BODY_BYTES,
    data: z.object({ orders: z.array(ComparedPreview) }),
  },
  resendOrders: {
    ...batch.post('/resend', 'support'),
    body: ResendBody,
    maxBodyBytes: MAX_RESEND_BODY_BYTES,
    data: z.object({ batchId: ShownBatchId, channelOrderId: z.string(), orders: z.number() }),
  },
} satisfies Record<string, ConsoleOperation>;
