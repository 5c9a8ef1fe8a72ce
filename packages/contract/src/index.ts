export {
  ACCESS_TOKEN_SECONDS,
  ApplicationName,
  DEFAULT_OVERLAP_HOURS,
  GRANT_TYPES,
  MAX_OVERLAP_HOURS,
  Nonce,
  OAuthErrorWord,
  Scope,
  TokenAnswer,
  TokenRequest,
} from './access.ts';
export { AssetDetail, AssetHistory, HistoryAction, HistoryEntry } from './asset-traces.ts';
export { AssetNumber, ChangeLocks, LockResult, LockStatus, VirtualAsset } from './assets.ts';
export { AuditAction, type AuditEntry, AuditPage, OPERATOR_ID } from './audit.ts';
export { AcceptedOrder, BatchOrder, MAX_ORDERS_PER_BATCH } from './batch-order.ts';
export { CancelBatch, CancelledBatch } from './cancel.ts';
export { buildMessage, Cause, causes, codeOf, type Module, Refusal } from './causes.ts';
export { ChannelCode, type Channels, requireChannel } from './channels.ts';
export { BindCustomer, CreatedEnterprise, CreateEnterprise, Customer, QueryCustomers } from './customers.ts';
export { ACCOUNT_CHARACTERS } from './employee-fields.ts';
export { EditEmployee, Employee, EmployeePage, ListEmployees, ListedEmployee } from './employees.ts';
export { done, FailureBody, failure, success } from './envelope.ts';
export { BatchEnd, EventPage, EventsQuery, EventType, FeedEvent, LATEST } from './events.ts';
export { FailedOrders, FailedOrdersQuery } from './failed-orders.ts';
export {
  AssetContents,
  BorrowedLock,
  ConfigureAssets,
  EnterpriseAsset,
  LendAssets,
  type MerchandiseNode,
  type ProductNode,
} from './holdings.ts';
export {
  type ApplicationId,
  AssetId,
  type BatchId,
  CustomerId,
  EnterpriseId,
  type EventId,
  LicenseOrderId,
  MemberId,
  type WebhookId,
} from './ids.ts';
export { BatchPage, ListBatchesQuery, ListedOrder, ListOrdersQuery, ListPageQuery, OrderPage } from './lists.ts';
export { parseBody } from './misspellings.ts';
export { nested } from './nested.ts';
export { AddedEmployees } from './new-employees.ts';
export type { CalledOperation, CallOf } from './operation-parts.ts';
export {
  buildPath,
  buildSummary,
  credentials,
  FORM_TYPE,
  findOperation,
  MAX_BATCH_BYTES,
  MAX_BODY_BYTES,
  ME_ROOT,
  type MemberOperationId,
  type Operation,
  type OperationAnswers,
  type OperationId,
  type OperationParams,
  type OperationRequest,
  ORDER_ROOT,
  type OrderOperationId,
  operations,
  type SentBody,
} from './operations/index.ts';
export { CLOUD_LICENSE_TYPES, LicenseType, OrderState, OrderType, SyncMode } from './order-enums.ts';
export {
  AssetToBuy,
  MAX_EXTENDED_ATTRIBUTES,
  type Merchandise,
  type ProductToBuy,
  type ProductToRevoke,
} from './order-items.ts';
export {
  countCopies,
  countInstances,
  countTextBytes,
  MAX_INSTANCES,
  MAX_INSTANCES_ON_ASSET,
} from './order-size.ts';
export { type DeleteAssetOrder, type DeleteProductOrder, type NewBuyOrder, Order } from './orders.ts';
export { type Page, PageQuery } from './page.ts';
export { parse } from './parse.ts';
export { OrderPreview } from './preview.ts';
export { type BatchBody, type BatchName, BatchRefusal, readBatchOrder, readJson } from './read-json.ts';
export { type NamedEmployee, readNewEmployees } from './read-new-employees.ts';
export {
  BatchResult,
  BatchResultQuery,
  BatchState,
  BatchSummary,
  MAX_PAGE_ORDERS,
  OrderResult,
  SingleOrderResult,
} from './results.ts';
export {
  CreateWebhook,
  DeliveryPage,
  MAX_WEBHOOKS,
  ReplayEvents,
  Webhook,
  WebhookDelivery,
  WebhookList,
  WebhookWithSecret,
} from './webhooks.ts';
