export * from './access.ts';
export * from './assets/assets.ts';
export * from './assets/lists.ts';
export * from './assets/traces.ts';
export {
  buildMessage,
  causes,
  codeOf,
  cut,
  faultAt,
  findConcerned,
  formatPath,
  type Module,
  Refusal,
  retryOf,
} from './causes.ts';
export * from './envelope.ts';
export * from './members/audit.ts';
export {
  ACCOUNT_CHARACTERS,
  type CursorPage,
  EditEmployee,
  Employee,
  EmployeePage,
  ListEmployees,
  ListedEmployee,
  type OptionalPageQuery,
  type Page,
  PageQuery,
} from './members/employees.ts';
export * from './members/holding-history.ts';
export * from './members/holdings.ts';
export { AddedEmployees } from './members/new-employees.ts';
export * from './members/seats.ts';
export * from './operations/index.ts';
export { findRow } from './operations/list.ts';
export { type CalledOperation, type CallOf, credentials, FORM_TYPE, type Operation } from './operations/operation.ts';
export * from './operations/refusals.ts';
export type { Operator, Viewer } from './operator.ts';
export * from './orders/customers.ts';
export * from './orders/enums.ts';
export * from './orders/events.ts';
export {
  AssetToBuy,
  MAX_EXTENDED_ATTRIBUTES,
  type Merchandise,
  type ProductToBuy,
  type ProductToRevoke,
} from './orders/items.ts';
export * from './orders/lists.ts';
export * from './orders/orders.ts';
export { OrderPreview } from './orders/preview.ts';
export * from './orders/results.ts';
export * from './orders/size.ts';
export { parse } from './parse.ts';
export { BatchRefusal, readBatchOrder } from './reading/batch.ts';
export { type NamedEmployee, readNewEmployees } from './reading/employee-lists.ts';
export { parseBody, parseQuery } from './reading/misspellings.ts';
export { findNamedAssets } from './reading/named-assets.ts';
export { readJson } from './reading/read-json.ts';
export * from './refused-calls.ts';
export {
  buildPath,
  followerOf,
  IDEMPOTENCY_KEY,
  type List,
  ME_ROOT,
  type OperationParams,
  ORDER_ROOT,
  repeatOf,
} from './routes.ts';
export {
  type ApplicationId,
  AssetId,
  type BatchId,
  CustomerId,
  EnterpriseId,
  type EventId,
  LicenseOrderId,
  MAX_TIME,
  MemberId,
  type WebhookId,
} from './scalars.ts';
export * from './verdict.ts';
export * from './webhooks.ts';
export { CONTACT_FIELDS, LATEST, MAX_ANSWER_BYTES, MAX_BATCH_BYTES, MAX_BODY_BYTES, MAX_FORM_BYTES } from './words.ts';
