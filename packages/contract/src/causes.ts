/**
 * The closed table of the causes for which a call or an order is refused (rules 1).
 *
 * The key is the cause, a stable word for programs. `code` is the code of the interface, `memberCode` the code in the
 * member center where that differs. `message` is for people; `buildMessage` fills in `{0}`, `{1}` and so on.
 */
export const causes = {
  // Who calls (rules 2 and 3)
  token_missing: { code: '60000', message: 'The Authorization header carries no bearer token.' },
  token_invalid: {
    code: '60000',
    message: 'The access token is unknown, has expired, was revoked, or is a user token.',
  },
  scope_missing: { code: '60000', message: 'The access token does not carry the scope {0}.' },
  application_not_approved: { code: '60000', message: 'The application is not approved.' },
  client_token_missing: { code: '60000', message: 'The clientToken header is missing.' },
  client_token_invalid: {
    code: '60000',
    message: 'The clientToken is unknown, has expired, was revoked, or is a user token.',
  },
  client_token_mismatch: {
    code: '60000',
    message: 'The clientToken belongs to another application than the access token.',
  },
  user_token_missing: { code: '60005', message: 'The userToken header is missing.' },
  user_token_invalid: {
    code: '60005',
    message:
      'The userToken is unknown, has ended, is not a user token, was issued to another application, or lacks auth_me.',
  },
  not_administrator: { code: '70001', message: 'The user is not an administrator of enterprise {0}.' },
  nonce_missing: { code: '13004', memberCode: '70001', message: 'g_nonce: is required.' },
  nonce_malformed: {
    code: '13004',
    memberCode: '70001',
    message: 'g_nonce: must be 8 to 64 characters of A-Z a-z 0-9 _ -.',
  },
  nonce_replayed: { code: '13004', memberCode: '70001', message: 'g_nonce: was used before; send a new one.' },
  app_key_mismatch: { code: '13004', message: 'appKey: is not the application that the access token belongs to.' },
  channel_not_allowed: { code: '13004', message: '{0}: the application is not bound to channel {1}.' },

  // The shape of a call (rules 1, 4 and 6.1)
  json_malformed: { code: '13004', memberCode: '40000', message: 'The body is not valid JSON.' },
  content_type_unsupported: { code: '13004', memberCode: '40000', message: 'The content type must be {0}.' },
  json_too_deep: {
    code: '13004',
    memberCode: '40000',
    message: 'The body nests more than {0} lists and objects in one another.',
  },
  body_too_large: { code: '13004', memberCode: '40000', message: 'The body is larger than {0} bytes.' },
  field_missing: { code: '13004', memberCode: '40000', message: '{0}: is required{1}' },
  field_invalid: { code: '13004', memberCode: '40000', message: '{0}: {1}' },
  field_misspelled: {
    code: '13004',
    memberCode: '40000',
    message: '{0}: is not a known field; did you mean {2}?{1}',
  },
  dates_reversed: { code: '13004', message: '{0}: must not be after the end{1}' },
  date_not_milliseconds: {
    code: '13004',
    message:
      '{0}: must be milliseconds since 1970, such as 1798761599000; leave it out for a license without an end{1}',
  },
  sequence_repeated: { code: '13004', message: '{0}: stands in the call already{1}' },
  asset_number_repeated: { code: '13004', message: '{0}: stands in the asset element already{1}' },
  asset_number_shared: {
    code: '13004',
    message:
      '{0}: names asset {2} as {1} does, for another customer; in one async batch their order would be chance. ' +
      'Send the batch sync, or in two, the second when the first is completed.',
  },
  asset_without_items: { code: '13004', message: '{0}: needs a product or a merchandise to buy{1}' },
  merchandise_too_deep: { code: '13004', message: '{0}: merchandise nests deeper than 16.' },
  list_too_long: { code: '13004', memberCode: '40000', message: '{0}: more than {1} elements.' },
  batch_too_large: {
    code: '13004',
    message: '{0}: up to here, the call creates, revokes or moves more than {1}{2}.',
  },
  src_license_order_required: {
    code: '13004',
    message: '{0}: is required to revoke a cloud license{1}',
  },

  // Batches and orders (rules 6)
  channel_order_id_conflict: {
    code: '13004',
    message: 'channelOrderId: {0} was accepted before with another syncMode or other orders.',
  },
  batch_not_found: { code: '13004', message: 'No batch {0} of channel {1} was submitted by this application.' },
  content_expired: {
    code: '13004',
    message: 'What the failed orders of batch {0} of channel {1} held is not kept any more.',
  },
  order_not_found: { code: '13004', message: 'No order {0} was submitted by this application.' },
  channel_paused: {
    code: '500',
    message:
      'Channel {0} is paused for the moment; nothing is stored. Retry later with a new g_nonce, or send it async.',
  },

  // Why an order can fail (rules 6.5)
  customer_not_found: { code: '13004', message: 'Customer {0} does not exist.' },
  enterprise_mismatch: { code: '13004', message: 'Customer {0} does not belong to enterprise {1}.' },
  source_order_not_found: { code: '13004', message: 'Source order {0} is not a succeeded new_buy order{1}.' },
  asset_owned_by_other_customer: { code: '13004', message: 'Asset {0} is active at another customer.' },
  license_type_mismatch: { code: '13004', message: 'Asset {0} has license type {1}, not {2} as the order.' },
  asset_not_found: { code: '13004', message: 'Asset {0} is not an active asset{1}.' },
  asset_not_in_source_order: { code: '13004', message: 'Asset {0} has no grant of source order {1}.' },
  product_not_found: { code: '13004', message: 'Asset {0} has no active product {1} that matches{2}.' },
  asset_full: { code: '13004', message: 'Asset {0} would hold more than {1} {2}.' },
  order_too_large: {
    code: '13004',
    message: 'The order creates, revokes or moves more than {0} products and merchandises; split it by asset numbers.',
  },
  cancelled: { code: '13004', message: 'The order was cancelled before it took effect.' },
  internal_error: { code: '500', message: 'The order could not be applied because of a fault in the service.' },

  // Events and webhooks (rules 6.8)
  event_unknown: {
    code: '13004',
    message: 'after: is above the id of every event so far; send the id of an event that you have received.',
  },
  webhook_not_found: { code: '13004', message: 'The application has no webhook {0}.' },
  webhook_disabled: { code: '13004', message: 'Webhook {0} is disabled; enable it first.' },
  webhook_address_forbidden: {
    code: '13004',
    message:
      'url: {0} is a private, loopback, link-local or otherwise reserved address; messages go to public ones only.',
  },
  webhooks_exhausted: { code: '13004', message: 'The application has {0} webhooks already; delete one first.' },

  // Customers and enterprises (rules 5)
  enterprise_mobile_mismatch: { code: '13004', message: 'passwordMobile: is not the mobile number on file.' },
  enterprise_name_taken: { code: '13004', message: 'customerName: another enterprise main account has this name.' },
  customer_bound_elsewhere: { code: '13004', message: 'The channel customer {0} is bound to another enterprise.' },

  enterprise_not_found: { code: '13004', message: 'Enterprise {0} does not exist.' },

  // Employees (interface M1 to M5; rules 8)
  employee_list_empty: { code: '40021', message: '{0}: must name at least one employee{1}' },
  too_many_employees: { code: '60013', message: '{0}: more than the maximum of 100 employees{1}' },
  account_missing: { code: '40008', message: '{0}: is required{1}' },
  account_malformed: {
    code: '10003',
    message: '{0}: must be letters A-Z a-z and digits only, and with the enterprise code fewer than 63 characters{1}',
  },
  account_taken: { code: '80001', message: '{0}: another employee of the enterprise has this account.' },
  group_id_missing: { code: '40009', message: '{0}: must not be empty{1}' },
  password_missing: { code: '40001', message: '{0}: is required{1}' },
  password_length: { code: '50003', message: '{0}: must be 8 to 32 characters{1}' },
  name_missing: { code: '40022', message: '{0}: is required{1}' },
  name_too_long: { code: '30002', message: '{0}: must be at most 30 characters{1}' },
  remark_too_long: { code: '30003', message: '{0}: must be at most 200 characters{1}' },
  mobile_invalid: {
    code: '10004',
    message:
      '{0}: must be a mobile number without blanks: 11 digits that begin with 13 to 19, or + and up to 15 digits{1}',
  },
  trial_employees_exhausted: {
    code: '60009',
    message: '{0}: without a cloud license an enterprise may have at most {1} employees beside its first ones.',
  },
  some_employees_failed: { code: '60027', message: '{0} of {1} employees could not be added; data says which.' },
  employee_not_found: { code: '60002', message: 'The enterprise has no employee {0}.' },
  account_mismatch: { code: '60002', message: 'userName: is not the account of employee {0}.' },
  last_administrator: { code: '70001', message: 'The last administrator of an enterprise cannot be deleted.' },

  // What employees hold (interface M6 to M10; rules 8)
  customer_not_bound: { code: '60017', message: 'The enterprise is not bound to an authorized customer.' },
  employee_not_matched: { code: '60026', message: 'The enterprise has no employee {0}.' },
  asset_id_not_found: {
    code: '60024',
    message: 'The enterprise has no active asset with id {0}; ids are the assetId of M6 and M8, not numbers.',
  },
  asset_number_not_found: {
    code: '60024',
    message: '{0}: the enterprise has no asset number {1} that can be assigned{2}.',
  },
  asset_not_withdrawable: { code: '60024', message: '{0}: the employee does not hold asset {1}.' },
  asset_of_other_enterprise: { code: '60025', message: '{0}: asset {1} belongs to another enterprise.' },
  asset_configured_twice: { code: '60028', message: '{0}: asset {1} is {2}.' },
  borrowed_lock_unusable: {
    code: '33008',
    message:
      'borrowedUsbKey: {0} is not a borrowed lock of the enterprise that is active, not disabled and not frozen.',
  },
  borrowed_lock_taken: { code: '33018', message: 'borrowedUsbKey: lock {0} is lent to another employee.' },
  asset_not_held: {
    code: '33003',
    message: '{0}: the employee holds no asset with id {1}; ids are the assetId of M6, not numbers.',
  },
  asset_lent_elsewhere: { code: '33007', message: '{0}: asset {1} is lent into another lock.' },
  asset_without_nodes: { code: '33006', message: '{0}: asset {1} has no active product with a concurrent node.' },

  // Codes of the interface that this service never uses (rules 8)
  account_ambiguous: { code: '60023', message: 'The account matches several employees.' },
  enterprise_suffix_missing: { code: '40006', message: 'The enterprise has no code.' },
  lending_failed: { code: '33009', message: 'The assets could not be lent.' },

  // Asset numbers (rules 7)
  asset_numbers_exhausted: { code: '13004', message: 'size: fewer than {0} asset numbers are left.' },

  // Calls of no operation, and faults (rules 1)
  operation_not_found: { code: '404', message: 'There is no such operation.' },
  http_malformed: { code: '400', message: 'This is not an HTTP request.' },
  request_timeout: { code: '408', message: 'The request did not arrive in time.' },
  expectation_unsupported: { code: '417', message: 'The header Expect may say 100-continue and nothing else.' },
  headers_too_large: { code: '431', message: 'The path or the headers are too long.' },
  method_not_allowed: { code: '405', message: 'The operation does not take this method.' },
  service_unavailable: { code: '500', message: 'The service cannot answer right now; retry with a new g_nonce.' },
  overloaded: { code: '500', message: 'The service is overloaded{0}; retry with a new g_nonce.' },
  outcome_unknown: {
    code: '500',
    message:
      'The outcome is unknown: the batch may have been applied. Send the same content again with a new g_nonce to get its answer.',
  },
} as const satisfies Record<string, { code: string; memberCode?: string; message: string }>;

export type Cause = keyof typeof causes;

/** The two modules of the interface. A few causes have a different code in each. */
export type Module = 'order' | 'member';

/** The code of a cause in a module (rules 1). */
export function codeOf(cause: Cause, module: Module): string {
  const entry: { code: string; memberCode?: string } = causes[cause];
  return module === 'member' ? (entry.memberCode ?? entry.code) : entry.code;
}

/** The most characters of one value that a message quotes, so that answers stay small whatever was sent. */
export const MAX_QUOTED_CHARACTERS = 1_000;

/** Builds the message of a cause: fills in the values, in the order of the placeholders. */
export function buildMessage(cause: Cause, ...values: (string | number)[]): string {
  const quoted = values.map((value) => cut(String(value), MAX_QUOTED_CHARACTERS));
  return causes[cause].message.replace(/\{(\d)\}/g, (_, position: string) => quoted[Number(position)] ?? '');
}

/** Cuts a text to a length, with … in place of the last character. For answers that repeat what was sent. */
export function cut(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  // A character is one UTF-16 unit or two. One more than fits shows that there are more.
  const characters = Array.from(text.slice(0, 2 * (maxCharacters + 1))).slice(0, maxCharacters + 1);
  if (characters.length <= maxCharacters) return text;
  return `${characters
    .slice(0, maxCharacters - 1)
    .join('')
    .toWellFormed()}…`;
}

/** A fault in what a call holds: the path of the field, and what it must be. */
export interface Fault {
  path: string;
  message: string;
}

/**
 * A refusal. Any layer throws it; the API answers the call with HTTP 299, a worker stores it as the order's outcome.
 */
export class Refusal extends Error {
  readonly reason: Cause;
  /** The first faults of a call whose fields are wrong, that of the message first. */
  faults: readonly Fault[] | undefined;
  /** When the same call may succeed, in seconds, where that is known. */
  retryAfterSeconds: number | undefined;

  constructor(reason: Cause, ...values: (string | number)[]) {
    super(buildMessage(reason, ...values));
    this.name = 'Refusal';
    this.reason = reason;
  }
}
