import { issueToken } from './examples/access.ts';
import { getAsset, getAssetHistory } from './examples/asset-traces.ts';
import { listVirtualAssets, lockAssets, takeAssetNumbers, unlockAssets } from './examples/assets.ts';
import { readAudit } from './examples/audit.ts';
import { exampleBatches, KEPT_LOCK, KEPT_LOCK_ID, REGION } from './examples/batches.ts';
import { bindCustomer, createEnterprise, queryCustomers, updateCustomer } from './examples/customers.ts';
import { CLOUD_EMPLOYEE, HEAD_OFFICE } from './examples/demo.ts';
import {
  addEmployees,
  DEPARTMENT,
  deleteEmployee,
  editEmployee,
  listEmployees,
  resetPassword,
} from './examples/employees.ts';
import { getEvents } from './examples/events.ts';
import { getFailedOrders } from './examples/failed-orders.ts';
import {
  configureAssets,
  lendAssets,
  listBorrowedLocks,
  listEnterpriseAssets,
  readAssetContents,
} from './examples/holdings.ts';
import type { Examples, ExamplesOf } from './examples/operation.ts';
import {
  cancelBatchOrder,
  createBatchOrder,
  getBatchResult,
  getOrderResult,
  LICENSE_ORDER_ID,
  listBatches,
  listOrders,
  previewBatchOrder,
} from './examples/orders.ts';
import {
  createWebhook,
  deleteWebhook,
  enableWebhook,
  getWebhook,
  listDeliveries,
  listWebhooks,
  replayWebhook,
  rotateWebhookSecret,
  testWebhook,
  WEBHOOK_ID,
} from './examples/webhooks.ts';
import type { OperationId } from './operations/index.ts';

/**
 * The examples of every operation, by operationId. They work as they are on a fresh `npm start`: first O1 to O9 in
 * their order, with the preview of new_buy before O5. Then M1 to M3, M7, M9 and M10, then M5, M6 and M8, which list
 * what these have changed, M4 and the audit record, at last webhooks.
 */
export const operationExamples: { [Id in OperationId]: ExamplesOf<Id> } = {
  issueToken,
  bindCustomer,
  createEnterprise,
  queryCustomers,
  updateCustomer,
  createBatchOrder,
  lockAssets,
  unlockAssets,
  listVirtualAssets,
  takeAssetNumbers,
  getBatchResult,
  getOrderResult,
  listBatches,
  listOrders,
  previewBatchOrder,
  cancelBatchOrder,
  getEvents,
  getFailedOrders,
  addEmployees,
  editEmployee,
  resetPassword,
  deleteEmployee,
  listEmployees,
  listEnterpriseAssets,
  readAssetContents,
  listBorrowedLocks,
  configureAssets,
  lendAssets,
  readAudit,
  getAsset,
  getAssetHistory,
  createWebhook,
  listWebhooks,
  getWebhook,
  rotateWebhookSecret,
  enableWebhook,
  testWebhook,
  listDeliveries,
  replayWebhook,
  deleteWebhook,
};

/** The examples of an operation, whichever it is. */
export interface SomeExamples {
  bodies?: Examples<unknown>;
  answers: Record<number, Examples<unknown>>;
}

/** Finds the examples of an operation by its id; undefined where there is no such operation. */
export function findExamples(operationId: string): SomeExamples | undefined {
  const table: Record<string, SomeExamples> = operationExamples;
  return table[operationId];
}

/** Examples of parameters by name. A name means the same in every operation. */
export const parameterExamples: Record<string, string | number> = {
  // /docs replaces it with a new one whenever a call is tried out.
  g_nonce: 'a-new-one-for-every-call',
  appKey: 'your-appKey',
  channelCode: exampleBatches.new_buy.channelCode,
  channelOrderId: exampleBatches.new_buy.channelOrderId,
  channelCustomerId: HEAD_OFFICE.channelCustomerId,
  defaultCustomer: 'N',
  enterpriseGlobalId: HEAD_OFFICE.enterpriseGlobalId,
  assetNum: KEPT_LOCK,
  extendCode: REGION.extendCode,
  licenseOrderId: LICENSE_ORDER_ID,
  waitSeconds: 10,
  memberGlobalId: CLOUD_EMPLOYEE.globalId,
  assetId: KEPT_LOCK_ID,
  departmentId: DEPARTMENT,
  keyword: CLOUD_EMPLOYEE.userName,
  pageNum: 1,
  pageSize: 20,
  webhookId: WEBHOOK_ID,
};
