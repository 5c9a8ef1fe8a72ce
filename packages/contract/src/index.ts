export {
  ACCESS_TOKEN_SECONDS,
  type ApplicationCaller,
  ApplicationName,
  ChannelCode,
  type Channels,
  GRANT_TYPES,
  Nonce,
  OAuthErrorWord,
  type Operator,
  requireChannel,
  Scope,
  TokenAnswer,
  TokenRequest,
  type Viewer,
} from './access.ts';
export { AssetNumber, ChangeLocks, LockResult, LockStatus, VirtualAsset } from './assets/assets.ts';
export { AssetDetail, AssetHistory, AssetNumParams, HistoryAction, HistoryEntry } from './assets/traces.ts';
export { Cause } from './cause-schema.ts';
export { buildMessage, causes, codeOf, type Module, Refusal } from './causes.ts';
export { nested } from './containers.ts';
export { done, FailureBody, failure, success } from './envelope.ts';
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
export { AuditAction, type AuditEntry, AuditPage, OPERATOR_ID } from './members/audit.ts';
export {
  ACCOUNT_CHARACTERS,
  EditEmployee,
  Employee,
  EmployeePage,
  ListEmployees,
  ListedEmployee,
} from './members/employees.ts';
export {
  AssetContents,
  BorrowedLock,
  ConfigureAssets,
  EnterpriseAsset,
  LendAssets,
  type MerchandiseNode,
  type ProductNode,
} from './members/holdings.ts';
export { AddedEmployees } from './members/new-employees.ts';
export { type Page, PageQuery } from './members/page.ts';
export type { CalledOperation, CallOf } from './operation-parts.ts';
export {
  buildSummary,
  credentials,
  FORM_TYPE,
  findOperation,
  type MemberOperationId,
  type Operation,
  type OperationAnswers,
  type OperationId,
  type OperationRequest,
  type OrderOperationId,
  operations,
  type SentBody,
} from './operations/index.ts';
export {
  BODY_REFUSALS,
  COMMON_REFUSALS,
  ORDER_FAILURES,
  ownRefusalsOf,
  REQUEST_FAULTS,
  refusalsOf,
} from './operations/refusals.ts';
export { CancelBatch, CancelledBatch, FailedOrders, FailedOrdersQuery } from './orders/corrections.ts';
export { BindCustomer, CreatedEnterprise, CreateEnterprise, Customer, QueryCustomers } from './orders/customers.ts';
export { CLOUD_LICENSE_TYPES, LicenseType, OrderType, SyncMode } from './orders/enums.ts';
export { EventPage, EventsQuery, EventType, FeedEvent } from './orders/events.ts';
export {
  AssetToBuy,
  MAX_EXTENDED_ATTRIBUTES,
  type Merchandise,
  type ProductToBuy,
  type ProductToRevoke,
} from './orders/items.ts';
export { BatchPage, ListBatchesQuery, ListedOrder, ListOrdersQuery, ListPageQuery, OrderPage } from './orders/lists.ts';
export {
  AcceptedOrder,
  BatchOrder,
  type DeleteAssetOrder,
  type DeleteProductOrder,
  MAX_ORDERS_PER_BATCH,
  type NewBuyOrder,
  Order,
} from './orders/orders.ts';
export { OrderPreview } from './orders/preview.ts';
export {
  BatchResult,
  BatchResultQuery,
  BatchSummary,
  OrderResult,
  SingleOrderResult,
} from './orders/results.ts';
export {
  countCopies,
  countInstances,
  countTextBytes,
  MAX_COUNTED,
  MAX_INSTANCES,
  MAX_INSTANCES_ON_ASSET,
  MAX_INSTANCES_TOGETHER,
  MAX_TEXT_BYTES,
} from './orders/size.ts';
export { parse } from './parse.ts';
export { BatchRefusal, readBatchOrder } from './reading/batch.ts';
export { type NamedEmployee, readNewEmployees } from './reading/employee-lists.ts';
export { parseBody, parseQuery } from './reading/misspellings.ts';
export { readJson } from './reading/read-json.ts';
export { buildPath, ME_ROOT, type OperationParams, ORDER_ROOT } from './routes.ts';
export {
  CreateWebhook,
  DeliveryPage,
  MAX_WEBHOOKS,
  Webhook,
  WebhookDelivery,
  WebhookWithSecret,
} from './webhooks.ts';
export { LATEST, MAX_ANSWER_BYTES, MAX_BATCH_BYTES, MAX_BODY_BYTES, MAX_FORM_BYTES } from './words.ts';
