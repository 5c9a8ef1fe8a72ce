import { z } from 'zod';
import { Cause, MessageArgs } from '../envelope.ts';
import { ListedOrder, ListOrdersQuery, ListPageQuery } from '../orders/lists.ts';
import { OrderResultParams } from '../orders/results.ts';
import { byCursor } from '../routes.ts';
import { optionalId, optionalIds, optionalText, searchText, text } from '../scalars.ts';
import { HeldOrder, Sender, ShownBatchId, TracedOrder } from './batches.ts';
import { Pause } from './channels.ts';
import { Owner } from './enterprises.ts';
import { type ConsoleOperation, get, on, pagesOf } from './operation.ts';
import { ComparedPreview } from './preview.ts';

/** Maximum bytes of an order that the console shows as it was sent. */
export const MAX_SHOWN_ORDER_BYTES = 1024 * 1024;
/** Maximum effects of an order that the console shows, of each kind. */
export const MAX_SHOWN_EFFECTS = 200;

export const ConsoleOrder = ListedOrder.extend({
  ...TracedOrder.pick({ hold: true, customerName: true, resentAs: true }).shape,
  batchId: ShownBatchId,
  ...Sender.shape,
});
export type ConsoleOrder = z.infer<typeof ConsoleOrder>;

/** The query of the list of all orders. Pending orders are found by customer or asset number. */
export const ConsoleOrdersQuery = ListOrdersQuery.safeExtend({
  appKey: optionalText(),
  licenseOrderIds: optionalIds<'LicenseOrderId'>().describe('Only these orders, whatever the other filters.'),
});
export type ConsoleOrdersQuery = z.infer<typeof ConsoleOrdersQuery>;

export const ConsoleOrderDetail = ConsoleOrder.extend({
  requestId: z.string(),
  srcLicenseOrderId: z.string().nullable().describe('The source that it named, if it succeeded; null if none.'),
  /** Failures before each `order retry`, newest first. */
  retries: z.array(
    z.object({
      cause: Cause,
      message: z.string(),
      args: MessageArgs,
      finishedTime: z.number(),
      retriedTime: z.number(),
    }),
  ),
});
export type ConsoleOrderDetail = z.infer<typeof ConsoleOrderDetail>;

/** An order with its customer; null if the customer does not exist. `pause`: of the channel for which it waits. */
export const OwnedOrder = ConsoleOrderDetail.extend({ owner: Owner.nullable(), pause: Pause.nullable() });

/**
 * An order as it was sent, with hidden passwords. `gone`: it succeeded, and its content was deleted. `expired`: it
 * failed, and its retention period is over. `too_large`: too large to show.
 */
export const OrderContent = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('kept'), order: z.unknown(), bytes: z.number() }),
  z.object({ kind: z.literal('too_large'), bytes: z.number() }),
  z.object({ kind: z.enum(['gone', 'expired']) }),
]);
export type OrderContent = z.infer<typeof OrderContent>;

/** The effect of a succeeded order on an asset. */
export const AssetEffect = z.object({
  assetId: z.string(),
  assetNum: z.string(),
  /** `grant_revoked`: it revoked the grant of its source order, but not the asset. `reduced`: it revoked products. */
  action: z.enum(['created', 'extended', 'transferred', 'revoked', 'grant_revoked', 'reduced']),
  fromCustomerId: z.string().nullable().describe('The previous owner; null unless it was transferred.'),
  isActive: z.boolean().describe('Whether the asset is active now.'),
});
export type AssetEffect = z.infer<typeof AssetEffect>;

/** A product or merchandise that a succeeded order bought or revoked. */
export const ItemEffect = z.object({
  id: z.string(),
  assetNum: z.string(),
  kind: z.enum(['product', 'merchandise']),
  action: z.enum(['bought', 'revoked']),
  code: z.string().describe('The productUri, or the number of the merchandise.'),
  name: z.string(),
  limitStartDate: z.number().nullable(),
  limitEndDate: z.number().nullable(),
  limitConcurrent: z.number().nullable(),
  boughtByOrderId: z.string().describe('The order that bought it.'),
  revokedByOrderId: z.string().nullable().describe('The order that revoked it, possibly another one; null if active.'),
  isActive: z.boolean(),
});
export type ItemEffect = z.infer<typeof ItemEffect>;

const OrderEffects = z.object({
  assets: z.array(AssetEffect),
  items: z.array(ItemEffect),
  isCut: z.boolean().describe('Whether it had more effects than are listed.'),
});
export type OrderEffects = z.infer<typeof OrderEffects>;

export const SearchHit = z.object({
  kind: z.enum([
    'order',
    'batch',
    'asset',
    'enterprise',
    'customer',
    'employee',
    'application',
    'channel',
    'webhook',
    'refusal',
    'operator',
  ]),
  id: z.string().describe('The id in the address of its page; for an employee, that of the enterprise.'),
  name: z.string().describe('Its name.'),
  detail: z.string().nullable().describe('Its owner, or another detail that tells it apart.'),
  state: z.string().nullable().describe('Its state, if that is worth a mention.'),
});
export type SearchHit = z.infer<typeof SearchHit>;

/** A hold: a customer whose oldest pending order cannot be applied, so that its later ones wait (rules 6.2). */
const Hold = z.object({
  customerId: z.string(),
  ...HeldOrder.shape,
  orders: z.number().describe('Number of held orders, including that one, counted up to 1,000.'),
  since: z.number(),
});
export const HoldsQuery = z.object({
  limit: ListPageQuery.shape.limit,
  cursor: optionalId<'CustomerId'>(),
});
export type HoldsQuery = z.infer<typeof HoldsQuery>;
export const HoldPage = z.object({ holds: z.array(Hold), nextCursor: z.string().nullable() });
export type HoldPage = z.infer<typeof HoldPage>;

/** Why an operator fails an order, and whether the customer's later pending orders run (`keep`) or fail too. */
export const FailOrderBody = z.object({
  reason: text(),
  later: z.enum(['keep', 'fail']).nullable().default(null),
});

/**
 * The outcome of failing an order. `failed`: the listed orders failed. `later_pending`: nothing was done, because the
 * call did not say what to do with later pending orders, of which the first 100 are listed. `not_pending`: nothing was
 * done, because the order has an outcome.
 */
export const FailedByOperator = z.object({
  outcome: z.enum(['failed', 'later_pending', 'not_pending']),
  licenseOrderIds: z.array(z.string()),
  orders: z.number().describe('The number of orders.'),
});

const order = on('/orders/{licenseOrderId}', OrderResultParams);

export const ordersOperations = {
  listAllOrders: { ...get('/orders'), query: ConsoleOrdersQuery, ...pagesOf('orders', ConsoleOrder) },
  getOrder: { ...order.get(), data: OwnedOrder },
  /** Returns an order as it was sent, if still stored. Passwords are hidden. */
  getOrderContent: { ...order.get('/content'), data: OrderContent },
  getOrderEffects: { ...order.get('/effects'), data: OrderEffects },
  /** Previews a failed or pending order on its own; null if it is no longer stored. */
  previewOrder: { ...order.get('/preview'), data: ComparedPreview.nullable() },
  listHolds: { ...get('/holds'), query: HoldsQuery, list: byCursor('holds'), data: HoldPage },
  /** Fails a pending order with internal_error. Only the operators' audit log shows the reason. */
  failOrder: { ...order.post('/fail', 'support'), body: FailOrderBody, data: FailedByOperator },
  /** Retries a held order, or the one that it waits for, within a second, or makes an order pending again. */
  retryOrder: {
    ...order.post('/retry', 'support'),
    data: z.object({ isRetried: z.boolean().describe('False if it is not held and has not failed by a fault.') }),
  },
  /** Finds at most five of each kind: whole matches first, then those that begin with the text. */
  search: { ...get('/search'), query: z.object({ text: searchText() }), data: z.object({ hits: z.array(SearchHit) }) },
} satisfies Record<string, ConsoleOperation>;
