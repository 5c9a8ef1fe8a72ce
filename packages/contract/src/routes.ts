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

/** Method and path of an operation. */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** In OpenAPI's form: `/order/{orderId}`. */
  path: `/${string}`;
}

type Repeatable = { method: 'GET'; repeat?: never } | { repeat: Repeat };

/** The routes of all operations, by operationId. Separate from the schemas, so that the command need not load those. */
export const routes = {
  issueToken: { method: 'POST', path: '/oauth2/token', repeat: 'safe' },
  bindCustomer: { method: 'POST', path: `${ORDER_ROOT}/enterprise/user/bind`, repeat: 'safe' },
  createEnterprise: { method: 'POST', path: `${ORDER_ROOT}/enterprise/user/create`, repeat: 'safe' },
  queryCustomers: { method: 'GET', path: `${ORDER_ROOT}/enterprise/user/query` },
  updateCustomer: { method: 'POST', path: `${ORDER_ROOT}/enterprise/user/update`, repeat: 'again' },
  createBatchOrder: { method: 'POST', path: BATCH_PATH, repeat: 'safe' },
  previewBatchOrder: { method: 'POST', path: `${BATCH_PATH}/preview`, repeat: 'safe' },
  cancelBatchOrder: { method: 'POST', path: `${BATCH_PATH}/cancel`, repeat: 'again' },
  getBatchResult: { method: 'GET', path: BATCH_PATH },
  getOrderResult: { method: 'GET', path: `${ORDER_ROOT}/licenseOrder/{licenseOrderId}` },
  lockAssets: { method: 'POST', path: `${ORDER_ROOT}/asset/lock`, repeat: 'again' },
  unlockAssets: { method: 'POST', path: `${ORDER_ROOT}/asset/unlock`, repeat: 'again' },
  freezeAssets: { method: 'POST', path: `${ORDER_ROOT}/asset/freeze`, repeat: 'again' },
  unfreezeAssets: { method: 'POST', path: `${ORDER_ROOT}/asset/unfreeze`, repeat: 'again' },
  listVirtualAssets: { method: 'GET', path: `${ORDER_ROOT}/asset/{enterpriseGlobalId}/list` },
  takeAssetNumbers: { method: 'POST', path: `${ORDER_ROOT}/shellnums`, repeat: 'key' },
  listBatches: { method: 'GET', path: `${ORDER_ROOT}/licenseOrder/batchOrders` },
  listOrders: { method: 'GET', path: `${ORDER_ROOT}/licenseOrder/orders` },
  getFailedOrders: { method: 'GET', path: `${ORDER_ROOT}/licenseOrder/batchOrder/failed` },
  listAssets: { method: 'GET', path: `${ORDER_ROOT}/assets` },
  listCustomers: { method: 'GET', path: `${ORDER_ROOT}/customers` },
  getAsset: { method: 'GET', path: `${ORDER_ROOT}/asset/{assetNum}` },
  getAssetHistory: { method: 'GET', path: `${ORDER_ROOT}/asset/{assetNum}/history` },
  getEvents: { method: 'GET', path: `${ORDER_ROOT}/events` },
  listRefusals: { method: 'GET', path: `${ORDER_ROOT}/refusals` },
  createWebhook: { method: 'POST', path: WEBHOOKS_PATH, repeat: 'key' },
  listWebhooks: { method: 'GET', path: WEBHOOKS_PATH },
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
  listDeliveries: { method: 'GET', path: `${WEBHOOK_PATH}/deliveries` },

  addEmployees: { method: 'POST', path: `${ENTERPRISE_PATH}/member`, repeat: 'key' },
  editEmployee: { method: 'PUT', path: MEMBER_PATH, repeat: 'again' },
  resetPassword: { method: 'PUT', path: `${MEMBER_PATH}/resetPassword`, repeat: 'key' },
  deleteEmployee: { method: 'DELETE', path: MEMBER_PATH, repeat: 'key' },
  listEmployees: { method: 'GET', path: `${ENTERPRISE_PATH}/members` },
  readAudit: { method: 'GET', path: `${ENTERPRISE_PATH}/audit` },
  listEnterpriseAssets: { method: 'GET', path: `${ENTERPRISE_PATH}/asset/assetNums` },
  readAssetContents: { method: 'GET', path: `${ME_ROOT}/enterprise/asset/{assetId}/merchandiseProducts` },
  listBorrowedLocks: { method: 'GET', path: `${ENTERPRISE_PATH}/asset/borrowUsbKeys` },
  listHoldings: { method: 'GET', path: `${ENTERPRISE_PATH}/holdings` },
  getSeats: { method: 'GET', path: `${ENTERPRISE_PATH}/seats` },
  configureAssets: { method: 'POST', path: `${HOLDER_PATH}/privileges`, repeat: 'key' },
  configureEmployees: { method: 'POST', path: `${ENTERPRISE_PATH}/privileges`, repeat: 'key' },
  lendAssets: { method: 'POST', path: `${HOLDER_PATH}/borrow`, repeat: 'again' },
} as const satisfies Record<string, Route & Repeatable>;

/** Returns what a repeat of a call of an operation does. */
export function repeatOf(id: keyof typeof routes): Repeat {
  const route: Route & Repeatable = routes[id];
  return route.repeat ?? 'safe';
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
