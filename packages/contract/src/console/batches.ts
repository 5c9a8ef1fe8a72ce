import { z } from 'zod';
import { Cause } from '../cause-schema.ts';
import { CancelledBatch, FailedOrders } from '../orders/corrections.ts';
import { OrderState, SyncMode } from '../orders/enums.ts';
import { ListBatchesQuery, ListPageQuery } from '../orders/lists.ts';
import { BatchResult, BatchSummary, OrderResult } from '../orders/results.ts';
import { emptyAsAbsent, id, optionalId, optionalText, text } from '../scalars.ts';
import { consoleTable } from './operation.ts';
import { ComparedPreview } from './preview.ts';

/**
 * What the failed orders of a batch may hold, in bytes, to be edited in the console; of more, the command takes care.
 */
export const MAX_RESEND_BYTES = 2 * 1024 * 1024;
/** What stands in the place of a password of a license wherever the console shows an order as it was sent. */
export const HIDDEN_PASSWORD = '(hidden)';

/** The id of a batch, which channels never see. */
export const ShownBatchId = z.string().brand<'BatchId'>();

/** The application that sent something. */
export const Sender = z.object({ appKey: z.string(), applicationName: z.string() });

/** A batch, whoever sent it. */
export const ConsoleBatch = BatchSummary.extend({ batchId: ShownBatchId, ...Sender.shape });
export type ConsoleBatch = z.infer<typeof ConsoleBatch>;

/** The query of the list of all batches. `channelOrderId` is exact, or with a * at its end a beginning. */
export const ConsoleBatchesQuery = ListBatchesQuery.safeExtend({
  appKey: optionalText(),
  channelOrderId: optionalText(),
});
export type ConsoleBatchesQuery = z.infer<typeof ConsoleBatchesQuery>;

const ConsoleBatchPage = z.object({ batches: z.array(ConsoleBatch), nextCursor: z.string().nullable() });
export type ConsoleBatchPage = z.infer<typeof ConsoleBatchPage>;

/** A batch on its own page. */
export const ConsoleBatchDetail = ConsoleBatch.extend({
  /** The x-request-id of the call that sent it. */
  requestId: z.string(),
  /** When `order retry` opened it again, last: milliseconds; null if it never did. */
  reopenedTime: z.number().nullable(),
});
export type ConsoleBatchDetail = z.infer<typeof ConsoleBatchDetail>;

const NamedBatch = z.object({ batchId: ShownBatchId, channelOrderId: z.string() });

/** A batch with what operators made of it: its failed orders, put right and sent again. */
export const TracedBatch = ConsoleBatchDetail.extend({
  estimatedCompletionTime: BatchResult.shape.estimatedCompletionTime,
  /** The batches that were made of its failed orders, newest first, at most 20. */
  resends: z.array(
    NamedBatch.extend({
      /** Who sent it. */
      operator: z.string().nullable(),
      time: z.number(),
    }),
  ),
  /** The batch of whose failed orders it was made; null where no operator made it. */
  resentFrom: NamedBatch.nullable(),
});
export type TracedBatch = z.infer<typeof TracedBatch>;

/** Failed orders of a batch that failed for one cause. */
export const FailureGroup = z.object({
  cause: Cause,
  orders: z.number(),
  /** The most frequent messages, and of how many orders each is. */
  messages: z.array(z.object({ message: z.string(), orders: z.number() })),
  /** Orders with other messages. */
  otherOrders: z.number(),
});
export type FailureGroup = z.infer<typeof FailureGroup>;

/** The query of the orders of one batch. */
export const BatchOrdersQuery = z.object({
  state: emptyAsAbsent(OrderState.optional()),
  cause: emptyAsAbsent(Cause.optional()),
  limit: ListPageQuery.shape.limit,
  cursor: emptyAsAbsent(
    z
      .string()
      .regex(/^\d{1,4}$/, 'must be the nextCursor of another page of this list')
      .optional(),
  ),
});
export type BatchOrdersQuery = z.infer<typeof BatchOrdersQuery>;

/** The failed orders of a batch, to be edited and sent again; passwords are hidden. */
export const OrdersToResend = z.object({
  channelCode: z.string(),
  /** A channelOrderId for the new batch, which the operator may change. */
  channelOrderId: z.string(),
  syncMode: SyncMode,
  orderList: z.array(z.unknown()),
  /** How many passwords are hidden. */
  hiddenPasswords: z.number(),
});
export type OrdersToResend = z.infer<typeof OrdersToResend>;

/** What an operator sends in place of the failed orders. Its orders are checked as those of channels are. */
const ResendBody = z.object({ channelOrderId: text(), orderList: z.array(z.unknown()) });
export type ResendBody = z.infer<typeof ResendBody>;

const BatchParams = z.object({ batchId: id<'BatchId'>() });
/** JSON of the editor, and what is around it. */
const MAX_RESEND_BODY_BYTES = MAX_RESEND_BYTES + 64 * 1024;

/** Batches of all applications (rules 6.4 to 6.7). */
export const batchesOperations = consoleTable({
  listAllBatches: {
    method: 'GET',
    path: '/batches',
    role: 'viewer',
    query: ConsoleBatchesQuery,
    data: ConsoleBatchPage,
    summary: 'Batches of all applications, newest first.',
  },
  getBatch: {
    method: 'GET',
    path: '/batches/{batchId}',
    role: 'viewer',
    params: BatchParams,
    data: TracedBatch,
    summary: 'What became of a batch so far, who sent it, and where its failed orders were sent again.',
  },
  getBatchFailures: {
    method: 'GET',
    path: '/batches/{batchId}/failures',
    role: 'viewer',
    params: BatchParams,
    data: z.object({ failures: z.array(FailureGroup) }),
    summary: 'The failed orders of a batch by cause, the most frequent first.',
  },
  listBatchOrders: {
    method: 'GET',
    path: '/batches/{batchId}/orders',
    role: 'viewer',
    params: BatchParams,
    query: BatchOrdersQuery,
    data: z.object({ orders: z.array(OrderResult), nextCursor: z.string().nullable() }),
    summary: 'The orders of a batch, in the order of its orderList.',
  },
  downloadFailedOrders: {
    method: 'GET',
    path: '/batches/{batchId}/failed-orders',
    role: 'viewer',
    params: BatchParams,
    data: FailedOrders,
    isDownload: true,
    summary: 'The failed orders of a batch as they were sent, as a file; passwords are left empty.',
  },
  cancelBatch: {
    method: 'POST',
    path: '/batches/{batchId}/cancel',
    role: 'support',
    params: BatchParams,
    data: CancelledBatch,
    summary: 'Cancels what is still pending of a batch.',
  },
  getOrdersToResend: {
    method: 'GET',
    path: '/batches/{batchId}/resend',
    role: 'support',
    params: BatchParams,
    query: z.object({
      /** Only this one of them. */
      licenseOrderId: optionalId<'LicenseOrderId'>(),
    }),
    data: OrdersToResend,
    summary: 'The failed orders of a completed batch as they were sent, to be put right and sent again.',
  },
  checkResend: {
    method: 'POST',
    path: '/batches/{batchId}/resend/check',
    role: 'support',
    params: BatchParams,
    body: ResendBody,
    maxBodyBytes: MAX_RESEND_BODY_BYTES,
    data: z.object({ orders: z.array(ComparedPreview) }),
    summary: 'What each of these orders would do now; nothing changes.',
  },
  resendOrders: {
    method: 'POST',
    path: '/batches/{batchId}/resend',
    role: 'support',
    params: BatchParams,
    body: ResendBody,
    maxBodyBytes: MAX_RESEND_BODY_BYTES,
    data: z.object({ batchId: ShownBatchId, channelOrderId: z.string(), orders: z.number() }),
    summary: 'Sends orders in place of the failed ones of a batch, as a new batch of its application.',
  },
});
