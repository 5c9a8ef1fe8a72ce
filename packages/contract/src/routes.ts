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

/** Method and path of an operation. */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** In OpenAPI's form: `/order/{orderId}`. */
  path: `/${string}`;
}

/** The routes of all operations, by operationId. Separate from the schemas, so that the command need not load those. */
export const routes = {
  issueToken: { method: 'POST', path: '/oauth2/token' },
  bindCustomer: { method: 'POST', path: `${ORDER_ROOT}/enterprise/user/bind` },
  createEnterprise: { method: 'POST', path: `${ORDER_ROOT}/enterprise/user/create` },
  queryCustomers: { method: 'GET', path: `${ORDER_ROOT}/enterprise/user/query` },
  updateCustomer: { method: 'POST', path: `${ORDER_ROOT}/enterprise/user/update` },
  createBatchOrder: { method: 'POST', path: BATCH_PATH },
  previewBatchOrder: { method: 'POST', path: `${BATCH_PATH}/preview` },
  cancelBatchOrder: { method: 'POST', path: `${BATCH_PATH}/cancel` },
  getBatchResult: { method: 'GET', path: BATCH_PATH },
  getOrderResult: { method: 'GET', path: `${ORDER_ROOT}/licenseOrder/{licenseOrderId}` },
  lockAssets: { method: 'POST', path: `${ORDER_ROOT}/asset/lock` },
  unlockAssets: { method: 'POST', path: `${ORDER_ROOT}/asset/unlock` },
  freezeAssets: { method: 'POST', path: `${ORDER_ROOT}/asset/freeze` },
  unfreezeAssets: { method: 'POST', path: `${ORDER_ROOT}/asset/unfreeze` },
  listVirtualAssets: { method: 'GET', path: `${ORDER_ROOT}/asset/{enterpriseGlobalId}/list` },
  takeAssetNumbers: { method: 'POST', path: `${ORDER_ROOT}/shellnums` },
  listBatches: { method: 'GET', path: `${ORDER_ROOT}/licenseOrder/batchOrders` },
  listOrders: { method: 'GET', path: `${ORDER_ROOT}/licenseOrder/orders` },
  getFailedOrders: { method: 'GET', path: `${ORDER_ROOT}/licenseOrder/batchOrder/failed` },
  listAssets: { method: 'GET', path: `${ORDER_ROOT}/assets` },
  listCustomers: { method: 'GET', path: `${ORDER_ROOT}/customers` },
  getAsset: { method: 'GET', path: `${ORDER_ROOT}/asset/{assetNum}` },
  getAssetHistory: { method: 'GET', path: `${ORDER_ROOT}/asset/{assetNum}/history` },
  getEvents: { method: 'GET', path: `${ORDER_ROOT}/events` },
  listRefusals: { method: 'GET', path: `${ORDER_ROOT}/refusals` },
  createWebhook: { method: 'POST', path: WEBHOOKS_PATH },
  listWebhooks: { method: 'GET', path: WEBHOOKS_PATH },
  getWebhook: { method: 'GET', path: WEBHOOK_PATH },
  deleteWebhook: { method: 'DELETE', path: WEBHOOK_PATH },
  rotateWebhookSecret: { method: 'POST', path: `${WEBHOOK_PATH}/rotateSecret` },
  testWebhook: { method: 'POST', path: `${WEBHOOK_PATH}/test` },
  enableWebhook: { method: 'POST', path: `${WEBHOOK_PATH}/enable` },
  replayWebhook: { method: 'POST', path: `${WEBHOOK_PATH}/replay` },
  listDeliveries: { method: 'GET', path: `${WEBHOOK_PATH}/deliveries` },

  addEmployees: { method: 'POST', path: `${ENTERPRISE_PATH}/member` },
  editEmployee: { method: 'PUT', path: MEMBER_PATH },
  resetPassword: { method: 'PUT', path: `${MEMBER_PATH}/resetPassword` },
  deleteEmployee: { method: 'DELETE', path: MEMBER_PATH },
  listEmployees: { method: 'GET', path: `${ENTERPRISE_PATH}/members` },
  readAudit: { method: 'GET', path: `${ENTERPRISE_PATH}/audit` },
  listEnterpriseAssets: { method: 'GET', path: `${ENTERPRISE_PATH}/asset/assetNums` },
  readAssetContents: { method: 'GET', path: `${ME_ROOT}/enterprise/asset/{assetId}/merchandiseProducts` },
  listBorrowedLocks: { method: 'GET', path: `${ENTERPRISE_PATH}/asset/borrowUsbKeys` },
  listHoldings: { method: 'GET', path: `${ENTERPRISE_PATH}/holdings` },
  getSeats: { method: 'GET', path: `${ENTERPRISE_PATH}/seats` },
  configureAssets: { method: 'POST', path: `${HOLDER_PATH}/privileges` },
  configureEmployees: { method: 'POST', path: `${ENTERPRISE_PATH}/privileges` },
  lendAssets: { method: 'POST', path: `${HOLDER_PATH}/borrow` },
} as const satisfies Record<string, Route>;

/**
 * What a repeat of a call does if the first one took effect (rules 1.2). `safe`: nothing more. `again`: the same again,
 * which also undoes what others changed in between. `key`: it does more, or is refused; with the Idempotency-Key of the
 * first call it does nothing more and gets its answer.
 */
export type Repeat = 'safe' | 'again' | 'key';

/** The operations that are no GET. */
type ChangingId = {
  [Id in keyof typeof routes]: (typeof routes)[Id]['method'] extends 'GET' ? never : Id;
}[keyof typeof routes];

const REPEATS: Record<ChangingId, Repeat> = {
  issueToken: 'safe',
  bindCustomer: 'safe',
  createEnterprise: 'safe',
  updateCustomer: 'again',
  createBatchOrder: 'safe',
  previewBatchOrder: 'safe',
  // Also cancels orders that an operator has retried in between.
  cancelBatchOrder: 'again',
  lockAssets: 'again',
  unlockAssets: 'again',
  freezeAssets: 'again',
  unfreezeAssets: 'again',
  takeAssetNumbers: 'key',
  createWebhook: 'key',
  deleteWebhook: 'key',
  rotateWebhookSecret: 'key',
  testWebhook: 'key',
  // A webhook that is disabled in between skips events.
  enableWebhook: 'key',
  replayWebhook: 'key',
  addEmployees: 'key',
  editEmployee: 'again',
  // Ends logins made in between.
  resetPassword: 'key',
  deleteEmployee: 'key',
  configureAssets: 'key',
  configureEmployees: 'key',
  lendAssets: 'again',
};

/** Returns what a repeat of a call of an operation does. */
export function repeatOf(id: keyof typeof routes): Repeat {
  return routes[id].method === 'GET' ? 'safe' : REPEATS[id as ChangingId];
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
