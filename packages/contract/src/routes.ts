// The client library publishes this file as it is, so it imports nothing.

/** The paths of the modules. */
export const ORDER_ROOT = '/order/api/order/v1';
export const ME_ROOT = '/me/api/v1';

const BATCH_PATH = `${ORDER_ROOT}/licenseOrder/batchOrder` as const;
const WEBHOOKS_PATH = `${ORDER_ROOT}/webhooks` as const;
const WEBHOOK_PATH = `${WEBHOOKS_PATH}/{webhookId}` as const;
const ENTERPRISE_PATH = `${ME_ROOT}/enterprise/{enterpriseGlobalId}` as const;
const MEMBER_PATH = `${ENTERPRISE_PATH}/member/{memberGlobalId}` as const;
/** The path of an employee in operations whose path names no enterprise. */
const HOLDER_PATH = `${ME_ROOT}/enterprise/member/{memberGlobalId}` as const;

/**
 * What a repeat of a call does if the first one took effect (rules 1.2). `safe`: nothing more. `again`: nothing more,
 * but it undoes what others changed in between. `key`: it does more, or is refused, unless it has the Idempotency-Key
 * of the first call, whose answer it then gets.
 */
export type Repeat = 'safe' | 'again' | 'key';

/**
 * Where the answer of a list has its rows, and the query of its largest page, so that clients can export it (rules
 * 1.1). The page says what follows it: by `nextCursor`, `hasMore` or `hasNextPage`.
 */
export interface List {
  /** The fields of `data` with rows of one kind; none if `data` is the rows. */
  rows: readonly string[];
  page: Readonly<Record<string, string>>;
}

/** Method and path of an operation. */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** In OpenAPI's form: `/order/{orderId}`. */
  path: `/${string}`;
  /** Set if it is a list, which clients can export. */
  list?: List;
}

/** Maximum entries in a page of a list, orders in a page of a batch's result, and events in a page of the feed. */
export const MAX_LIST_PAGE = 200;
export const MAX_PAGE_ORDERS = 1_000;
export const MAX_EVENTS = 1_000;

/** A list that pages by `limit` and `cursor`. */
export const byCursor = <const Rows extends string[]>(...rows: Rows) => ({
  ...{ rows, page: { limit: String(MAX_LIST_PAGE) } },
});
/** A list that answers whole. */
export const whole = <const Rows extends string[]>(...rows: Rows) => ({ rows, page: {} });
/** A list that pages by `pageSize`, as M5 does. */
const BY_PAGE = { rows: ['list'], page: { pageNum: '1', pageSize: '500' } } as const;
const RESULT = { rows: ['orders'], page: { limit: String(MAX_PAGE_ORDERS), waitSeconds: '0' } } as const;
const FEED = { rows: ['events'], page: { limit: String(MAX_EVENTS), waitSeconds: '0' } } as const;

type Repeatable = { method: 'GET'; repeat?: never } | { repeat: Repeat };

/** The routes of all operations, by operationId. Separate from the schemas, so that the command need not load those. */
export const routes = {
  issueToken: { method: 'POST', path: '/oauth2/token', repeat: 'safe' },
  bindCustomer: { method: 'POST', path: `${ORDER_ROOT}/enterprise/user/bind`, repeat: 'safe' },
  createEnterprise: { method: 'POST', path: `${ORDER_ROOT}/enterprise/user/create`, repeat: 'safe' },
  queryCustomers: { method: 'GET', path: `${ORDER_ROOT}/enterprise/user/query`, list: whole() },
  updateCustomer: { method: 'POST', path: `${ORDER_ROOT}/enterprise/user/update`, repeat: 'again' },
  createBatchOrder: { method: 'POST', path: BATCH_PATH, repeat: 'safe' },
  previewBatchOrder: { method: 'POST', path: `${BATCH_PATH}/preview`, repeat: 'safe' },
  cancelBatchOrder: { method: 'POST', path: `${BATCH_PATH}/cancel`, repeat: 'again' },
  getBatchResult: { method: 'GET', path: BATCH_PATH, list: RESULT },
  getOrderResult: { method: 'GET', path: `${ORDER_ROOT}/licenseOrder/{licenseOrderId}` },
  lockAssets: { method: 'POST', path: `${ORDER_ROOT}/asset/lock`, repeat: 'again' },
  unlockAssets: { method: 'POST', path: `${ORDER_ROOT}/asset/unlock`, repeat: 'again' },
  freezeAssets: { method: 'POST', path: `${ORDER_ROOT}/asset/freeze`, repeat: 'again' },
  unfreezeAssets: { method: 'POST', path: `${ORDER_ROOT}/asset/unfreeze`, repeat: 'again' },
  listVirtualAssets: { method: 'GET', path: `${ORDER_ROOT}/asset/{enterpriseGlobalId}/list`, list: BY_PAGE },
  takeAssetNumbers: { method: 'POST', path: `${ORDER_ROOT}/shellnums`, repeat: 'key' },
  listBatches: { method: 'GET', path: `${ORDER_ROOT}/licenseOrder/batchOrders`, list: byCursor('batches') },
  listOrders: { method: 'GET', path: `${ORDER_ROOT}/licenseOrder/orders`, list: byCursor('orders') },
  getFailedOrders: { method: 'GET', path: `${ORDER_ROOT}/licenseOrder/batchOrder/failed`, list: whole('orderList') },
  listAssets: { method: 'GET', path: `${ORDER_ROOT}/assets`, list: byCursor('assets') },
  listCustomers: { method: 'GET', path: `${ORDER_ROOT}/customers`, list: byCursor('customers') },
  getAsset: { method: 'GET', path: `${ORDER_ROOT}/asset/{assetNum}` },
  getAssetHistory: { method: 'GET', path: `${ORDER_ROOT}/asset/{assetNum}/history`, list: byCursor('entries') },
  getEvents: { method: 'GET', path: `${ORDER_ROOT}/events`, list: FEED },
  listRefusals: { method: 'GET', path: `${ORDER_ROOT}/refusals`, list: byCursor('refusals') },
  createWebhook: { method: 'POST', path: WEBHOOKS_PATH, repeat: 'key' },
  listWebhooks: { method: 'GET', path: WEBHOOKS_PATH, list: whole('webhooks') },
  getWebhook: { method: 'GET', path: WEBHOOK_PATH },
  updateWebhook: { method: 'PUT', path: WEBHOOK_PATH, repeat: 'again' },
  deleteWebhook: { method: 'DELETE', path: WEBHOOK_PATH, repeat: 'key' },
  rotateWebhookSecret: { method: 'POST', path: `${WEBHOOK_PATH}/rotateSecret`, repeat: 'key' },
  testWebhook: { method: 'POST', path: `${WEBHOOK_PATH}/test`, repeat: 'key' },
  pauseWebhook: { method: 'POST', path: `${WEBHOOK_PATH}/pause`, repeat: 'again' },
  resumeWebhook: { method: 'POST', path: `${WEBHOOK_PATH}/resume`, repeat: 'again' },
  enableWebhook: { method: 'POST', path: `${WEBHOOK_PATH}/enable`, repeat: 'key' },
  replayWebhook: { method: 'POST', path: `${WEBHOOK_PATH}/replay`, repeat: 'key' },
  resendDelivery: { method: 'POST', path: `${WEBHOOK_PATH}/deliveries/{deliveryId}/resend`, repeat: 'key' },
  listDeliveries: { method: 'GET', path: `${WEBHOOK_PATH}/deliveries`, list: byCursor('deliveries') },

  addEmployees: { method: 'POST', path: `${ENTERPRISE_PATH}/member`, repeat: 'key' },
  editEmployee: { method: 'PUT', path: MEMBER_PATH, repeat: 'again' },
  resetPassword: { method: 'PUT', path: `${MEMBER_PATH}/resetPassword`, repeat: 'key' },
  deleteEmployee: { method: 'DELETE', path: MEMBER_PATH, repeat: 'key' },
  listEmployees: { method: 'GET', path: `${ENTERPRISE_PATH}/members`, list: BY_PAGE },
  readAudit: { method: 'GET', path: `${ENTERPRISE_PATH}/audit`, list: BY_PAGE },
  listEnterpriseAssets: { method: 'GET', path: `${ENTERPRISE_PATH}/asset/assetNums`, list: BY_PAGE },
  readAssetContents: { method: 'GET', path: `${ME_ROOT}/enterprise/asset/{assetId}/merchandiseProducts` },
  listBorrowedLocks: { method: 'GET', path: `${ENTERPRISE_PATH}/asset/borrowUsbKeys`, list: BY_PAGE },
  listHoldings: { method: 'GET', path: `${ENTERPRISE_PATH}/holdings`, list: byCursor('holdings') },
  getSeats: { method: 'GET', path: `${ENTERPRISE_PATH}/seats`, list: whole('products') },
  configureAssets: { method: 'POST', path: `${HOLDER_PATH}/privileges`, repeat: 'key' },
  configureEmployees: { method: 'POST', path: `${ENTERPRISE_PATH}/privileges`, repeat: 'key' },
  lendAssets: { method: 'POST', path: `${HOLDER_PATH}/borrow`, repeat: 'again' },
} as const satisfies Record<string, Route & Repeatable>;

/** Returns what a repeat of a call of an operation does. */
export function repeatOf(id: keyof typeof routes): Repeat {
  const route: Route & Repeatable = routes[id];
  return route.repeat ?? 'safe';
}

/** Returns what the query of the page after this one changes; undefined on the last page. */
export function followerOf(page: object): Record<string, unknown> | undefined {
  const { nextCursor, hasMore, lastId, hasNextPage, pageNum } = page as Record<string, unknown>;
  if (nextCursor) return { cursor: nextCursor };
  if (hasMore) return { after: lastId };
  return hasNextPage && nextCursor === undefined ? { pageNum: Number(pageNum) + 1 } : undefined;
}

/** The header that makes a call of these operations repeatable (rules 1.2). */
export const IDEMPOTENCY_KEY = 'Idempotency-Key';

type PathParameters<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameters<Rest>
  : never;
/** The parameters in the path of an operation. */
export type OperationParams<Id extends keyof typeof routes> = Record<
  PathParameters<(typeof routes)[Id]['path']>,
  string
>;

/** Returns the path of a call on the host, with its parameters filled in and escaped. */
export function buildPath<Id extends keyof typeof routes>(id: Id, params: OperationParams<Id>): string {
  return fillPath(routes[id].path, params);
}

/** Fills in the parameters of a path, escaped. */
export function fillPath(path: string, params: Record<string, string>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}
