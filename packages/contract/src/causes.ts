import { english, fillIn } from './templates.ts';
import type { ORDER_FAILURES } from './words.ts';

interface CauseEntry {
  code?: string;
  memberCode?: string;
  retry?: Retry;
  message: string;
}

/**
 * When the same call, with a new g_nonce, can succeed after a refusal (rules 1.2). `later`: nothing has changed; wait.
 * `unclear`: the call may have taken effect; repeat it as after no answer. `new_token`: nothing has changed; get a new
 * token first.
 */
export type Retry = 'later' | 'unclear' | 'new_token';

/** The code of most causes (interface 1). */
const CODE = '13004';
/** The codes of a fault in g_nonce, and of one in the shape of a call, in the member center. */
const OF_NONCE = { memberCode: '70001' } as const;
const OF_SHAPE = { memberCode: '40000' } as const;

/**
 * Every cause for which a call or an order can be refused (rules 1).
 *
 * The key is the cause, a stable word for programs. `code` is the code of the interface, by default CODE, `memberCode`
 * the code in the member center if it differs. Without `retry`, the call is refused again unless data has changed.
 * `message` is the English template (see fillIn) and may change. Its
 * values keep their places forever, because failures are stored with them; it may get more.
 */
export const causes = {
  // Access (rules 2 and 3)
  token_missing: {
    code: '60000',
    message: 'The Authorization header must contain "Bearer" and an access token.',
  },
  token_invalid: {
    code: '60000',
    retry: 'new_token',
    message: 'The access token is unknown, expired or revoked, or is a user token. Request a token of the application.',
  },
  scope_missing: { code: '60000', message: 'The access token lacks the scope {0}. Request a token with this scope.' },
  application_not_approved: {
    code: '60000',
    message: 'Your application is not approved. Ask the operator of the service to approve it.',
  },
  client_token_missing: {
    code: '60000',
    message: 'The clientToken header is missing. Send an access token of the application in it.',
  },
  client_token_invalid: {
    code: '60000',
    retry: 'new_token',
    message: 'The clientToken is unknown, expired or revoked, or is a user token. Request a token of the application.',
  },
  client_token_mismatch: {
    code: '60000',
    message: 'The clientToken and the access token belong to different applications. Send tokens of one application.',
  },
  user_token_missing: {
    code: '60005',
    message: 'The userToken header is missing. Send the token of a logged-in administrator in it.',
  },
  user_token_invalid: {
    code: '60005',
    retry: 'new_token',
    message:
      'The userToken is unknown, expired or revoked, lacks auth_me, is not a user token, or belongs to another ' +
      'application. Log in again.',
  },
  not_administrator: {
    code: '70001',
    message: 'The userToken does not belong to an administrator of enterprise {0}. Log in as one.',
  },
  nonce_missing: { ...OF_NONCE, message: 'g_nonce: is required. Send a new random value with every call.' },
  nonce_malformed: {
    ...OF_NONCE,
    message: 'g_nonce: must appear once, with 8 to 64 characters from A-Z, a-z, 0-9, _ and -.',
  },
  // Another call, perhaps this one repeated by a proxy, has used the nonce.
  nonce_replayed: {
    ...OF_NONCE,
    retry: 'unclear',
    message: 'g_nonce: was already used. Send a new random value with every call.',
  },
  idempotency_key_malformed: {
    ...OF_SHAPE,
    message: 'The Idempotency-Key header must have 8 to 255 visible ASCII characters, such as a UUID.',
  },
  idempotency_key_reused: {
    ...OF_SHAPE,
    message:
      'The Idempotency-Key belongs to another call of the last 24 hours. Repeat that call unchanged, or send a new key.',
  },
  app_key_mismatch: {
    message: 'appKey: does not match the access token. Send the appKey of the application that requested the token.',
  },
  channel_not_allowed: {
    message: '{0}: your application is not bound to channel {1}. Ask the operator of the service to bind it.',
  },

  // The shape of a call (rules 1, 4 and 6.1)
  json_malformed: { ...OF_SHAPE, message: 'body: is not valid JSON in UTF-8[: {0:json}].' },
  content_type_unsupported: { ...OF_SHAPE, message: 'The Content-Type header must be {0}.' },
  json_too_deep: { ...OF_SHAPE, message: 'body: nests arrays and objects more than {0} levels deep.' },
  body_too_large: { ...OF_SHAPE, message: 'The body exceeds the limit of {0} bytes. Split it into several calls.' },
  field_missing: { ...OF_SHAPE, message: '{0}: is required' },
  field_invalid: { ...OF_SHAPE, message: '{0}: {1:fault}' },
  field_misspelled: { ...OF_SHAPE, message: '{0}: unknown field; did you mean {1}?' },
  filter_unknown: {
    ...OF_SHAPE,
    message: '{0}: unknown filter[ (did you mean {1}?)]. The parameters of this list are {2}',
  },
  field_repeated: { ...OF_SHAPE, message: '{0}: appears more than once' },
  dates_reversed: { message: '{0}[ {2} of asset {1}][ ({4})]: must not be after the end[ {3}]' },
  date_not_milliseconds: {
    message: '{0}: must be milliseconds since 1970, up to the year 9999, such as 1798761599000; omit it for no limit',
  },
  sequence_repeated: { message: '{0}: appears more than once in this request' },
  asset_number_repeated: { message: '{0}: appears more than once in this element of assets' },
  asset_number_shared: {
    message:
      '{0}: {1} names the same asset, {2}, for another customer. An async batch may apply orders of different customers ' +
      'in any order. Send the batch sync, or send a second batch when the first is completed.',
  },
  asset_without_items: { message: '{0}: a purchase needs at least one product or merchandise' },
  merchandise_too_deep: { message: '{0}: nests merchandise more than {1} levels deep.' },
  list_too_long: { ...OF_SHAPE, message: '{0}: exceeds the limit of {1} elements. Split it over several calls.' },
  batch_too_large: {
    message: '{0}: up to here, the batch exceeds the limit of {1:limit}. Send smaller orders or several batches.',
  },
  src_license_order_required: { message: '{0}: is required to revoke a cloud license' },

  // Batches and orders (rules 6)
  channel_order_id_conflict: {
    message:
      'channelOrderId: {0} was already accepted with a different syncMode or different orders. Send new orders under a ' +
      'new channelOrderId.',
  },
  batch_not_found: { message: 'Your application has not submitted a batch {0} in channel {1}.' },
  content_expired: {
    message: 'The failed orders of batch {0} in channel {1} are no longer stored. Build them from your own data.',
  },
  order_not_found: { message: 'Your application has not submitted an order {0}.' },
  channel_paused: {
    code: '500',
    retry: 'later',
    message: 'Channel {0} is paused; nothing was stored. Retry later with a new g_nonce, or send the batch async.',
  },

  answer_too_large: {
    ...OF_SHAPE,
    message:
      'The answer would exceed the limit of {0} MiB. Narrow the query, or ask an operator, who can read it by page.',
  },

  // Failed orders (rules 6.5)
  customer_not_found: { message: 'Customer[ with {1}] {0} does not exist.' },
  enterprise_mismatch: {
    message:
      'Customer {0} does not belong to enterprise {1}. Send the enterpriseGlobalId that O3 returns for this customer.',
  },
  source_order_not_found: {
    message: 'srcLicenseOrderId {0}[ ({2})] is not a succeeded new_buy order[ of customer {1}].',
  },
  asset_owned_by_other_customer: {
    message: 'Asset {0}[ ({1})] belongs to another customer. To transfer it, set transferedAssetNum to true.',
  },
  license_type_mismatch: { message: 'Asset {0}[ ({3})] has license type {1}, but the order says {2}.' },
  asset_not_found: { message: 'Asset {0}[ ({2})] is not an active asset{1:inactive}.' },
  asset_not_in_source_order: { message: 'Asset {0}[ ({2})] has no active grant from srcLicenseOrderId {1}.' },
  product_not_found: {
    message: 'Asset {0} has no active product {1}[ ({3})] that matches[; the nearest one has {2}].',
  },
  asset_full: { message: 'Asset {0}[ ({3})] would exceed the limit of {1} {2:counted}. Use a different asset.' },
  order_too_large: {
    message:
      'The order exceeds the limit of {0} {1:counted}[ at asset {2} ({3})]. Split its asset numbers over several orders.',
  },
  cancelled: { message: 'The order was cancelled before it took effect.' },
  internal_error: {
    code: '500',
    message:
      'The order failed because of a fault in the service. Contact the operator of the service, who can retry it.',
  },

  // Events and webhooks (rules 6.8)
  event_unknown: {
    message: 'after: is higher than the id of the newest event. Send the id of an event that you have received.',
  },
  webhook_not_found: { message: 'Your application has no webhook {0}.' },
  webhook_disabled: { message: 'Webhook {0} is disabled. Enable it first.' },
  webhook_paused: { message: 'Webhook {0} is paused. Resume it first.' },
  secrets_exhausted: {
    retry: 'later',
    message: 'The secret of webhook {0} was already replaced {1} times within 24 hours. Retry after {2}.',
  },
  delivery_not_found: { message: 'Webhook {0} has no delivery {1}.' },
  event_deleted: { message: 'The event of delivery {0} is no longer stored, so it cannot be sent again.' },
  webhook_address_forbidden: {
    // The same words for unknown and private names, so that callers cannot explore the network (rules 6.8).
    message:
      'url: {0} is neither a public address nor a name of one. Use another host. To try webhooks on your own machine, start ' +
      'the service with WEBHOOK_ALLOW_PRIVATE=true.',
  },
  webhooks_exhausted: { message: 'Your application already has {0} webhooks. Delete one first.' },

  // Customers and enterprises (rules 5)
  enterprise_mobile_mismatch: {
    message: 'passwordMobile: does not match the security mobile number of the enterprise with this name.',
  },
  enterprise_mobile_missing: {
    message:
      'passwordMobile: the enterprise with this name has no security mobile number. Ask the application that created ' +
      'it, or an operator of the service, to set it.',
  },
  enterprise_name_taken: { message: 'customerName: another enterprise already has this name. Send another name.' },
  customer_bound_elsewhere: { message: 'Channel customer {0} is already bound to another enterprise.' },

  enterprise_not_found: { message: 'Enterprise {0} does not exist.' },

  // Employees (interface M1 to M5; rules 8)
  employee_list_empty: { code: '40021', message: '{0}: must contain at least one employee' },
  too_many_employees: { code: '60013', message: '{0}: must contain at most 100 employees' },
  account_missing: { code: '40008', message: '{0}: is required' },
  account_malformed: {
    code: '10003',
    message:
      '{0}: must contain only letters A-Z, a-z and digits, and fewer than 63 characters with the enterprise code',
  },
  account_taken: { code: '80001', message: '{0}: another employee of the enterprise already has this account.' },
  group_id_missing: { code: '40009', message: '{0}: must not be empty' },
  password_missing: { code: '40001', message: '{0}: is required' },
  password_length: { code: '50003', message: '{0}: must be 8 to 32 characters' },
  name_missing: { code: '40022', message: '{0}: is required' },
  name_too_long: { code: '30002', message: '{0}: must be at most 30 characters' },
  remark_too_long: { code: '30003', message: '{0}: must be at most 200 characters' },
  mobile_invalid: {
    memberCode: '10004',
    message:
      '{0}: must be a mobile number without spaces: 11 digits that start with 13 to 19, or + and up to 15 digits',
  },
  trial_employees_exhausted: {
    code: '60009',
    message: '{0}: without a cloud license, an enterprise can add at most {1} employees.',
  },
  some_employees_failed: { code: '60027', message: '{0} of {1} employees could not be added. See data.failed.' },
  some_privileges_failed: { code: '60027', message: '{0} of {1} entries could not be applied. See data.failed.' },
  employee_not_found: { code: '60002', message: 'The enterprise has no employee {0}.' },
  account_mismatch: { code: '60002', message: 'userName: is not the account of employee {0}.' },
  last_administrator: { code: '70001', message: 'You cannot delete the last administrator of an enterprise.' },

  // Assets of employees (interface M6 to M10; rules 8)
  customer_not_bound: { code: '60017', message: 'The enterprise has no customer. Bind one with O1 first.' },
  employee_not_matched: { code: '60026', message: 'The enterprise has no employee {0}.' },
  asset_id_not_found: {
    code: '60024',
    message: 'The enterprise has no active asset with id {0}. Send an assetId from M6 or M8, not an asset number.',
  },
  asset_number_not_found: {
    code: '60024',
    message: '{0}: the enterprise has no asset {1} that can be assigned{2:unassignable}.',
  },
  asset_not_withdrawable: { code: '60024', message: '{0}: asset {1} is not assigned to the employee.' },
  asset_of_other_enterprise: { code: '60025', message: '{0}: asset {1} belongs to another enterprise.' },
  asset_configured_twice: { code: '60028', message: '{0}: asset {1} {2:configured}.' },
  asset_frozen: { code: '60024', message: '{0}: asset {1} is frozen and cannot be assigned. Unfreeze it first.' },
  borrowed_lock_unusable: {
    code: '33008',
    message:
      'borrowedUsbKey: {0} is not a usable borrowed lock of the enterprise. It must be active, enabled and not frozen; M8 ' +
      'lists the active ones.',
  },
  borrowed_lock_taken: {
    code: '33018',
    message: 'borrowedUsbKey: assets of another employee are lent into lock {0}. Use another lock.',
  },
  asset_not_held: {
    code: '33003',
    message: '{0}: no asset with id {1} is assigned to the employee. Send an assetId from M6, not an asset number.',
  },
  asset_frozen_not_lent: {
    code: '33003',
    message: '{0}: the asset with id {1} is frozen and cannot be lent. Unfreeze it first.',
  },
  asset_lent_elsewhere: {
    code: '33007',
    message: '{0}: asset {1} is lent into another lock. End that loan first (M9).',
  },
  asset_without_nodes: { code: '33006', message: '{0}: asset {1} has no active product with concurrent nodes.' },

  // Codes of the interface that this service never uses (rules 8)
  account_ambiguous: { code: '60023', message: 'The account matches several employees.' },
  enterprise_suffix_missing: { code: '40006', message: 'The enterprise has no code.' },
  lending_failed: { code: '33009', message: 'The assets could not be lent.' },

  // Asset numbers (rules 7)
  asset_numbers_exhausted: { message: 'size: fewer than {0} asset numbers are left. Request fewer.' },

  // Calls that name no operation, and faults (rules 1)
  operation_not_found: { code: '404', message: 'No operation has this path. /docs lists all operations.' },
  http_malformed: { code: '400', message: 'The request is not valid HTTP.' },
  request_timeout: {
    code: '408',
    retry: 'later',
    message: 'The request did not arrive in time. Retry with a new g_nonce.',
  },
  expectation_unsupported: { code: '417', message: 'The Expect header must be 100-continue.' },
  headers_too_large: { code: '431', message: 'The path or the headers are too long.' },
  method_not_allowed: {
    code: '405',
    message: 'The operation does not support this method. The Allow header lists the methods that it supports.',
  },
  service_unavailable: {
    code: '500',
    retry: 'unclear',
    message: 'The service is unavailable. Retry with a new g_nonce.',
  },
  overloaded: {
    code: '500',
    retry: 'later',
    message:
      'The service is overloaded[: {0} orders of your application are pending, and the limit is {1}]. Retry with a new g_nonce.',
  },
  outcome_unknown: {
    code: '500',
    retry: 'unclear',
    message: 'The batch may or may not have been applied. Resubmit it unchanged with a new g_nonce to get its outcome.',
  },
} as const satisfies Record<string, CauseEntry>;

export type Cause = keyof typeof causes;

/** The modules of the interface. Some causes have a different code in each. */
export type Module = 'order' | 'member';

/** Returns the code of a cause in a module (rules 1). */
export function codeOf(cause: Cause, module: Module): string {
  const { code = CODE, memberCode = code }: CauseEntry = causes[cause];
  return module === 'member' ? memberCode : code;
}

/**
 * Which value of a failed order's cause is an asset number, and which the path of a part of the order: `asset` and
 * `place` are their places in `args`. `field`: the path if no value gives one.
 */
const CONCERNED: Readonly<Record<(typeof ORDER_FAILURES)[number], { asset?: number; place?: number; field?: string }>> =
  {
    customer_not_found: { field: 'customerId' },
    enterprise_mismatch: { field: 'enterpriseGlobalId' },
    source_order_not_found: { place: 2, field: 'srcLicenseOrderId' },
    license_type_mismatch: { asset: 0, place: 3 },
    asset_owned_by_other_customer: { asset: 0, place: 1 },
    asset_not_found: { asset: 0, place: 2 },
    asset_not_in_source_order: { asset: 0, place: 2 },
    product_not_found: { asset: 0, place: 3 },
    asset_full: { asset: 0, place: 3 },
    dates_reversed: { asset: 1, place: 4 },
    order_too_large: { asset: 2, place: 3 },
    cancelled: {},
    internal_error: {},
  };

/** Returns the asset numbers and the parts of an order that a failure concerns (rules 6.4). */
export function findConcerned(cause: Cause | null | undefined, args: readonly string[] | null | undefined) {
  // A later release may have stored a cause that this one lacks.
  const { asset = -1, place = -1, field } = CONCERNED[cause as keyof typeof CONCERNED] ?? {};
  const some = (value: string | undefined) => (value ? [value] : []);
  return { assetNums: some(args?.[asset]), places: some(args?.[place] || field) };
}

/** Returns when the same call can succeed after a refusal; undefined if only when data has changed (rules 1.2). */
export function retryOf(cause: Cause): Retry | undefined {
  const { retry }: CauseEntry = causes[cause];
  return retry;
}

/** How many characters of a value a message quotes. Keeps answers small, whatever the client sent. */
export const MAX_QUOTED_CHARACTERS = 1_000;

/** Returns the message of a cause with these values. A later release may have stored a cause that this one lacks. */
export function buildMessage(cause: Cause, ...args: readonly (string | number)[]): string {
  return Object.hasOwn(causes, cause) ? fillIn(causes[cause].message, quote(args), english) : cause;
}

/** Shortens the values of a message. */
export function quote(args: readonly (string | number)[]): string[] {
  return args.map((value) => cut(String(value), MAX_QUOTED_CHARACTERS));
}

/** Shortens a text to a number of characters, the last of them an ellipsis (…). */
export function cut(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  // A character is one or two UTF-16 units. Take one character more than fits, to see whether the text is too long.
  const characters = Array.from(text.slice(0, 2 * (maxCharacters + 1))).slice(0, maxCharacters + 1);
  if (characters.length <= maxCharacters) return text;
  return `${characters
    .slice(0, maxCharacters - 1)
    .join('')
    .toWellFormed()}…`;
}

/** A bad field of a request: its path, and what it must be, which `args` and the template of `cause` say, too. */
export interface Fault {
  path: string;
  message: string;
  cause: Cause;
  args: readonly string[];
}

/** A refusal, thrown by any layer. The API answers with HTTP 299; a worker stores it as the order's outcome. */
export class Refusal extends Error {
  readonly reason: Cause;
  /** The values of the message. */
  readonly args: readonly string[];
  /** The first bad fields of the request. The message is about the first one. */
  faults: readonly Fault[] | undefined;
  /** After how many seconds a retry may succeed, if known. */
  retryAfterSeconds: number | undefined;

  constructor(reason: Cause, ...args: readonly (string | number)[]) {
    super(buildMessage(reason, ...args));
    this.name = 'Refusal';
    this.reason = reason;
    this.args = quote(args);
  }
}

/** Returns the path of a field as messages give it, such as `orderList[3].customerId`. Quotes and escapes odd names. */
export function formatPath(path: readonly PropertyKey[]): string {
  return path
    .map((key, index) => {
      if (typeof key === 'number') return `[${key}]`;
      if (/[^\w$]/.test(String(key))) return `[${JSON.stringify(String(key))}]`;
      return index === 0 ? String(key) : `.${String(key)}`;
    })
    .join('');
}

/** Returns the fault of a field or of a failed order as a refusal lists it, without the path in its message. */
export function faultAt(path: string, cause: Cause, ...args: readonly string[]): Fault {
  const quoted = quote([path, ...args]);
  const isOfOrder = cause in CONCERNED && args.length > 0;
  const message = isOfOrder
    ? buildMessage(cause, ...args)
    : buildMessage(cause, ...quoted).slice(`${quoted[0]}: `.length);
  return { path, message, cause, args: quoted };
}
