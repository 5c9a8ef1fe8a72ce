import { z } from 'zod';
import { causeWord } from './envelope.ts';
import { orderState, orderType, syncMode } from './orders.ts';
import { id, queryInteger, text } from './scalars.ts';

export const MAX_PAGE_ORDERS = 1_000;
const DEFAULT_PAGE_ORDERS = 100;
export const MAX_WAIT_SECONDS = 30;

const emptyAsAbsent = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema);

/** The query of the batch result operation (decisions 6.4). `cursor` is opaque to clients. */
export const batchResultQuery = z.object({
  channelCode: text(),
  channelOrderId: text(),
  state: emptyAsAbsent(z.enum(orderState.options, 'must be pending, succeeded or failed').optional()),
  limit: emptyAsAbsent(queryInteger(1, MAX_PAGE_ORDERS).default(DEFAULT_PAGE_ORDERS)).describe(
    `Orders of this page: 1 to ${MAX_PAGE_ORDERS}, ${DEFAULT_PAGE_ORDERS} where it is absent`,
  ),
  cursor: emptyAsAbsent(
    z
      .string()
      .regex(/^\d{1,4}$/, 'is not a cursor of this operation')
      .transform(Number)
      .optional(),
  ),
  waitSeconds: emptyAsAbsent(queryInteger(0, MAX_WAIT_SECONDS).default(0)).describe(
    `Holds the answer until the batch is completed, so long at most: 0 to ${MAX_WAIT_SECONDS}, 0 where it is absent`,
  ),
});
export type BatchResultQuery = z.infer<typeof batchResultQuery>;

/** The path of the single order's result operation (decisions 6.4). */
export const orderResultParams = z.object({ licenseOrderId: id() });

/** What became of one order (decisions 6.4). */
export const orderResult = z
  .object({
    sequence: z.number(),
    licenseOrderId: z.string(),
    customerId: z.string(),
    orderType,
    state: orderState,
    code: z.string().nullable(),
    cause: causeWord.nullable(),
    message: z.string().nullable(),
    assets: z.number().describe('Assets that the order created or revoked.'),
    products: z.number().describe('Product instances that the order created or revoked.'),
    finishedTime: z.number().nullable().describe('Milliseconds since 1970-01-01 UTC.'),
  })
  .meta({ id: 'OrderResult' });
export type OrderResult = z.infer<typeof orderResult>;

/** What became of a batch, with a page of its orders (decisions 6.4). */
export const batchResult = z
  .object({
    channelCode: z.string(),
    channelOrderId: z.string(),
    syncMode,
    state: z.enum(['accepted', 'processing', 'completed']),
    total: z.number(),
    succeeded: z.number(),
    failed: z.number(),
    pending: z.number(),
    acceptedTime: z.number(),
    completedTime: z.number().nullable(),
    orders: z.array(orderResult),
    nextCursor: z.string().nullable(),
  })
  .meta({ id: 'BatchResult' });
export type BatchResult = z.infer<typeof batchResult>;

/** One order's result with the batch that it came in (decisions 6.4). */
export const singleOrderResult = orderResult
  .extend({ channelCode: z.string(), channelOrderId: z.string() })
  .meta({ id: 'SingleOrderResult' });
export type SingleOrderResult = z.infer<typeof singleOrderResult>;
