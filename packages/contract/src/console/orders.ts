import { z } from 'zod';
import { Cause } from '../cause-schema.ts';
import { ListedOrder, ListOrdersQuery, ListPageQuery, OrderPage } from '../orders/lists.ts';
import { OrderResultParams } from '../orders/results.ts';
import { optionalId, optionalText, searchText, text } from '../scalars.ts';
import { Sender, ShownBatchId } from './batches.ts';
import { Owner } from './enterprises.ts';
import { consoleTable } from './operation.ts';
import { ComparedPreview } from './preview.ts';

/** What one order may hold, in bytes, to be shown as it was sent. */
export const MAX_SHOWN_ORDER_BYTES = 1024 * 1024;
/** How much of what an order did is shown, at most, of each kind of thing. */
export const MAX_SHOWN_EFFECTS = 200;

/** An order, whoever sent it. */
export const ConsoleOrder = ListedOrder.extend({ batchId: ShownBatchId, ...Sender.shape });
export type ConsoleOrder = z.infer<typeof ConsoleOrder>;

/** The query of the list of all orders. Pending ones are found by their customer or an asset number. */
export const ConsoleOrdersQuery = z.object({ appKey: optionalText(), ...ListOrdersQuery.shape }).omit({
  // Orders are walked by their ids, which no time leads to.
  acceptedFrom: true,
  acceptedTo: true,
});
export type ConsoleOrdersQuery = z.infer<typeof ConsoleOrdersQuery>;

const ConsoleOrderPage = z.object({ orders: z.array(ConsoleOrder), nextCursor: OrderPage.shape.nextCursor });
export type ConsoleOrderPage = z.infer<typeof ConsoleOrderPage>;

/** An order on its own page. */
export const ConsoleOrderDetail = ConsoleOrder.extend({
  requestId: z.string(),
  /** What it named as its source, if it succeeded; null where it named none. */
  srcLicenseOrderId: z.string().nullable(),
  /** Failures after which `order retry` put it back, newest first. */
  retries: z.array(z.object({ cause: Cause, message: z.string(), finishedTime: z.number(), retriedTime: z.number() })),
});
export type ConsoleOrderDetail = z.infer<typeof ConsoleOrderDetail>;

/** The same with who its customer is; null where there is no such customer. */
export const OwnedOrder = ConsoleOrderDetail.extend({ owner: Owner.nullable() });

/**
 * What an order held, with hidden passwords. `gone`: it has taken effect, and then it is not kept; `expired`: it failed
 * too long ago; `too_large` to be shown.
 */
export const OrderContent = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('kept'), order: z.unknown(), bytes: z.number() }),
  z.object({ kind: z.literal('too_large'), bytes: z.number() }),
  z.object({ kind: z.enum(['gone', 'expired']) }),
]);
export type OrderContent = z.infer<typeof OrderContent>;

/** What a succeeded order did to one asset. */
export const AssetEffect = z.object({
  assetId: z.string(),
  assetNum: z.string(),
  /**
   * `grant_revoked`: it took what its source order had granted, and the asset stayed; `reduced`: it revoked products of
   * the asset.
   */
  action: z.enum(['created', 'extended', 'transferred', 'revoked', 'grant_revoked', 'reduced']),
  /** Who had it before; null unless it was transferred. */
  fromCustomerId: z.string().nullable(),
  /** Whether the asset is active now. */
  isActive: z.boolean(),
});
export type AssetEffect = z.infer<typeof AssetEffect>;

/** What a succeeded order bought or revoked on an asset. */
export const ItemEffect = z.object({
  id: z.string(),
  assetNum: z.string(),
  kind: z.enum(['product', 'merchandise']),
  action: z.enum(['bought', 'revoked']),
  /** The productUri, or the number of the merchandise. */
  code: z.string(),
  name: z.string(),
  limitStartDate: z.number().nullable(),
  limitEndDate: z.number().nullable(),
  limitConcurrent: z.number().nullable(),
  /** The order that bought it. */
  boughtByOrderId: z.string(),
  /** The order that revoked it, which may be another one; null while it is active. */
  revokedByOrderId: z.string().nullable(),
  isActive: z.boolean(),
});
export type ItemEffect = z.infer<typeof ItemEffect>;

const OrderEffects = z.object({
  assets: z.array(AssetEffect),
  items: z.array(ItemEffect),
  /** Whether it did more than is listed. */
  isCut: z.boolean(),
});
export type OrderEffects = z.infer<typeof OrderEffects>;

/** What a text of the search box names. */
export const SearchHit = z.object({
  kind: z.enum(['order', 'batch', 'asset', 'application', 'enterprise', 'customer']),
  /** What its page is addressed by; a customer's is that of its enterprise. */
  id: z.string(),
  /** What it is called. */
  name: z.string(),
  /** Whose it is, or what else tells it from others. */
  detail: z.string().nullable(),
});
export type SearchHit = z.infer<typeof SearchHit>;

/**
 * A customer whose oldest pending order cannot be applied. That order and the customer's later ones wait (rules 6.2).
 */
const Hold = z.object({
  customerId: z.string(),
  /** The order that failed last. */
  licenseOrderId: z.string(),
  /** The orders that wait, that one among them, counted up to 1,000. */
  orders: z.number(),
  since: z.number(),
  /** How often the order has failed in a row, and when it is tried next. */
  tries: z.number(),
  nextTryTime: z.number(),
  /** What it failed with, in a few words. */
  lastError: z.string(),
});
export const HoldsQuery = z.object({
  limit: ListPageQuery.shape.limit,
  cursor: optionalId<'CustomerId'>(),
});
export type HoldsQuery = z.infer<typeof HoldsQuery>;
export const HoldPage = z.object({ holds: z.array(Hold), nextCursor: z.string().nullable() });
export type HoldPage = z.infer<typeof HoldPage>;

/** What an operator ends an order for, and what becomes of the customer's later pending orders: `keep`: they run. */
export const FailOrderBody = z.object({
  reason: text(),
  later: z.enum(['keep', 'fail']).nullable().default(null),
});

/**
 * What became of it. `failed`: these orders have. Else nothing was done: because the customer has later pending orders
 * (`later_pending`: the first 100 of them), and nothing says what becomes of them, or the order is `not_pending`.
 */
export const FailedByOperator = z.object({
  outcome: z.enum(['failed', 'later_pending', 'not_pending']),
  licenseOrderIds: z.array(z.string()),
  /** How many there are. */
  orders: z.number(),
});
export type FailedByOperator = z.infer<typeof FailedByOperator>;

const SearchQuery = z.object({
  text: searchText(),
});

/** Orders of all applications, and the search for anything by its id. */
export const ordersOperations = consoleTable({
  listAllOrders: {
    method: 'GET',
    path: '/orders',
    role: 'viewer',
    query: ConsoleOrdersQuery,
    data: ConsoleOrderPage,
    summary: 'Orders of all applications, newest first, by customer, asset number, cause and more.',
  },
  getOrder: {
    method: 'GET',
    path: '/orders/{licenseOrderId}',
    role: 'viewer',
    params: OrderResultParams,
    data: OwnedOrder,
    summary: 'What became of an order, its batch and its application.',
  },
  getOrderContent: {
    method: 'GET',
    path: '/orders/{licenseOrderId}/content',
    role: 'viewer',
    params: OrderResultParams,
    data: OrderContent,
    summary: 'An order as it was sent, where that is kept; passwords are hidden.',
  },
  getOrderEffects: {
    method: 'GET',
    path: '/orders/{licenseOrderId}/effects',
    role: 'viewer',
    params: OrderResultParams,
    data: OrderEffects,
    summary: 'What a succeeded order created, extended, transferred or revoked.',
  },
  previewOrder: {
    method: 'GET',
    path: '/orders/{licenseOrderId}/preview',
    role: 'viewer',
    params: OrderResultParams,
    data: ComparedPreview.nullable(),
    summary: 'What a failed or pending order would do now, alone; null where what it held cannot be read.',
  },
  listHolds: {
    method: 'GET',
    path: '/holds',
    role: 'viewer',
    query: HoldsQuery,
    data: HoldPage,
    summary: 'The customers whose orders wait for one that cannot be applied, by id, and why.',
  },
  failOrder: {
    method: 'POST',
    path: '/orders/{licenseOrderId}/fail',
    role: 'support',
    params: OrderResultParams,
    body: FailOrderBody,
    data: FailedByOperator,
    summary: "Ends a pending order with internal_error. The reason goes to the operators' record only.",
  },
  search: {
    method: 'GET',
    path: '/search',
    role: 'viewer',
    query: SearchQuery,
    data: z.object({ hits: z.array(SearchHit) }),
    summary: 'Finds by its exact id or name an order, a batch, an asset, an application, an enterprise or a customer.',
  },
});
