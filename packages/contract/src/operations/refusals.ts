import type { Cause } from '../causes.ts';
import { repeatOf } from '../routes.ts';
import { ORDER_FAILURES } from '../words.ts';
import { findOperation, type OperationId } from './index.ts';

const OF_APPLICATION: readonly Cause[] = [
  'token_missing',
  'token_invalid',
  'scope_missing',
  'application_not_approved',
];
const OF_NONCE: readonly Cause[] = ['nonce_missing', 'nonce_malformed', 'nonce_replayed'];
const OF_FIELDS: readonly Cause[] = ['field_missing', 'field_invalid', 'field_misspelled', 'field_repeated'];

/** The causes for which every operation of a module can refuse a call. */
export const COMMON_REFUSALS: Record<'order' | 'member', readonly Cause[]> = {
  order: [...OF_APPLICATION, ...OF_NONCE, ...OF_FIELDS, 'overloaded', 'service_unavailable'],
  member: [
    ...OF_APPLICATION,
    'client_token_missing',
    'client_token_invalid',
    'client_token_mismatch',
    'user_token_missing',
    'user_token_invalid',
    ...OF_NONCE,
    'not_administrator',
    ...OF_FIELDS,
    'overloaded',
    'service_unavailable',
  ],
};

/** The causes for which every operation can refuse a body, even one that it does not need. */
export const BODY_REFUSALS: readonly Cause[] = [
  'content_type_unsupported',
  'body_too_large',
  'json_malformed',
  'json_too_deep',
  'list_too_long',
  'request_timeout',
];

/** The answers to requests that reach no operation. */
export const REQUEST_FAULTS: readonly Cause[] = [
  'operation_not_found',
  'method_not_allowed',
  'http_malformed',
  'request_timeout',
  'expectation_unsupported',
  'headers_too_large',
];

const OF_KEYS: readonly Cause[] = ['idempotency_key_malformed', 'idempotency_key_reused'];

const BATCH_SHAPE: readonly Cause[] = [
  'app_key_mismatch',
  'channel_not_allowed',
  'sequence_repeated',
  'asset_number_repeated',
  'asset_number_shared',
  'asset_without_items',
  'src_license_order_required',
  'merchandise_too_deep',
  'dates_reversed',
  'date_not_milliseconds',
  'batch_too_large',
];

const OF_PRIVILEGES: readonly Cause[] = [
  'employee_not_matched',
  'asset_not_withdrawable',
  'asset_number_not_found',
  'asset_of_other_enterprise',
  'asset_configured_twice',
  'asset_frozen',
];

/** What else an operation can refuse a call for, by operation. */
const OWN_REFUSALS: Partial<Record<OperationId, readonly Cause[]>> = {
  bindCustomer: [
    'channel_not_allowed',
    'mobile_invalid',
    'customer_bound_elsewhere',
    'enterprise_mobile_mismatch',
    'enterprise_mobile_missing',
  ],
  createEnterprise: ['channel_not_allowed', 'customer_bound_elsewhere', 'enterprise_name_taken'],
  queryCustomers: ['channel_not_allowed'],
  updateCustomer: ['channel_not_allowed', 'customer_not_found'],
  createBatchOrder: [...BATCH_SHAPE, 'channel_order_id_conflict', 'channel_paused', 'outcome_unknown'],
  previewBatchOrder: BATCH_SHAPE,
  cancelBatchOrder: ['channel_not_allowed', 'batch_not_found'],
  getBatchResult: ['channel_not_allowed', 'batch_not_found'],
  getOrderResult: ['order_not_found'],
  getFailedOrders: ['channel_not_allowed', 'batch_not_found', 'content_expired'],
  listBatches: ['channel_not_allowed', 'dates_reversed', 'date_not_milliseconds'],
  listOrders: ['channel_not_allowed', 'dates_reversed', 'date_not_milliseconds'],
  listAssets: ['channel_not_allowed', 'filter_unknown', 'dates_reversed', 'date_not_milliseconds'],
  listCustomers: ['channel_not_allowed', 'filter_unknown'],
  getAsset: ['asset_not_found', 'answer_too_large'],
  getAssetHistory: ['asset_not_found'],
  listVirtualAssets: ['enterprise_not_found', 'answer_too_large'],
  takeAssetNumbers: ['asset_numbers_exhausted'],
  getEvents: ['event_unknown'],
  listRefusals: ['filter_unknown', 'dates_reversed', 'date_not_milliseconds'],
  createWebhook: ['channel_not_allowed', 'webhook_address_forbidden', 'webhooks_exhausted'],
  getWebhook: ['webhook_not_found'],
  updateWebhook: ['webhook_not_found', 'channel_not_allowed', 'webhook_address_forbidden'],
  deleteWebhook: ['webhook_not_found'],
  rotateWebhookSecret: ['webhook_not_found', 'secrets_exhausted'],
  testWebhook: ['webhook_not_found', 'webhook_disabled', 'webhook_paused'],
  pauseWebhook: ['webhook_not_found', 'webhook_disabled'],
  resumeWebhook: ['webhook_not_found', 'webhook_disabled'],
  enableWebhook: ['webhook_not_found'],
  replayWebhook: [
    ...['webhook_not_found', 'webhook_disabled', 'webhook_paused', 'event_unknown'],
    ...['dates_reversed', 'date_not_milliseconds'],
  ] as Cause[],
  resendDelivery: ['webhook_not_found', 'webhook_disabled', 'webhook_paused', 'delivery_not_found', 'event_deleted'],
  listDeliveries: ['webhook_not_found'],
  addEmployees: [
    'employee_list_empty',
    'too_many_employees',
    'some_employees_failed',
    'account_missing',
    'account_malformed',
    'account_taken',
    'group_id_missing',
    'password_missing',
    'password_length',
    'name_missing',
    'name_too_long',
    'remark_too_long',
    'mobile_invalid',
    'trial_employees_exhausted',
  ],
  editEmployee: [
    'employee_not_found',
    'account_mismatch',
    'account_malformed',
    'name_too_long',
    'remark_too_long',
    'mobile_invalid',
  ],
  resetPassword: ['employee_not_found', 'password_missing', 'password_length'],
  deleteEmployee: ['employee_not_found', 'last_administrator'],
  listEnterpriseAssets: ['customer_not_bound'],
  readAssetContents: ['customer_not_bound', 'asset_id_not_found', 'answer_too_large'],
  listBorrowedLocks: ['customer_not_bound'],
  listHoldings: ['filter_unknown'],
  getSeats: ['customer_not_bound', 'answer_too_large'],
  configureAssets: OF_PRIVILEGES,
  configureEmployees: ['some_privileges_failed', ...OF_PRIVILEGES],
  lendAssets: [
    'employee_not_matched',
    'borrowed_lock_unusable',
    'borrowed_lock_taken',
    'asset_not_held',
    'asset_frozen_not_lent',
    'asset_lent_elsewhere',
    'asset_without_nodes',
  ],
};

/**
 * Returns the causes for which an operation can refuse a call, without those that its whole module shares. A sync batch
 * is also refused with the causes of its orders, `ORDER_FAILURES`.
 */
export function ownRefusalsOf(id: OperationId): readonly Cause[] {
  return [...(OWN_REFUSALS[id] ?? []), ...(repeatOf(id) === 'key' ? OF_KEYS : [])];
}

/** Returns all causes for which an operation can refuse a call. The token endpoint has none: it follows RFC 6749. */
export function refusalsOf(id: OperationId): readonly Cause[] {
  const { module, method } = findOperation(id);
  if (module === 'open') return [];
  const ofBody = method === 'GET' ? [] : BODY_REFUSALS;
  const ofOrders = id === 'createBatchOrder' ? ORDER_FAILURES : [];
  return [...new Set([...COMMON_REFUSALS[module], ...ofBody, ...ownRefusalsOf(id), ...ofOrders])];
}
