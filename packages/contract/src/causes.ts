/**
 * The closed table of everything that a call can be refused for (decisions 1).
 *
 * `code` is the document's code, `cause` (the key here) the stable word for programs, `message` the text for people;
 * `{0}` and `{1}` are filled in by `refusal`. Where both modules know a cause under codes of their own, `memberCode`
 * is the member center's.
 */
export const causes = {
  // Who calls (decisions 2 and 3)
  token_missing: { code: '60000', message: 'The Authorization header carries no bearer token.' },
  token_invalid: { code: '60000', message: 'The access token is unknown or has expired.' },
  scope_missing: { code: '60000', message: 'The access token does not carry the scope {0}.' },
  application_not_approved: { code: '60000', message: 'The application is not approved.' },
  nonce_missing: { code: '13004', memberCode: '70001', message: 'g_nonce: is required.' },
  nonce_malformed: {
    code: '13004',
    memberCode: '70001',
    message: 'g_nonce: must be 8 to 64 characters of A-Z a-z 0-9 _ -.',
  },
  nonce_replayed: { code: '13004', memberCode: '70001', message: 'g_nonce: was used before; send a new one.' },
  app_key_mismatch: { code: '13004', message: 'appKey: is not the application that the access token belongs to.' },

  // The shape of a call (decisions 1, 4 and 6.1)
  json_malformed: { code: '13004', memberCode: '40000', message: 'The body is not valid JSON.' },
  content_type_unsupported: { code: '13004', memberCode: '40000', message: 'The content type must be {0}.' },
  body_too_large: { code: '13004', memberCode: '40000', message: 'The body is larger than {0} bytes.' },
  field_missing: { code: '13004', memberCode: '40000', message: '{0}: is required{1}' },
  field_invalid: { code: '13004', memberCode: '40000', message: '{0}: {1}' },
  dates_reversed: { code: '13004', message: '{0}: must not be after the end{1}' },
  sequence_repeated: { code: '13004', message: '{0}: stands in the call already{1}' },
  asset_number_repeated: { code: '13004', message: '{0}: stands in the asset element already{1}' },
  asset_without_items: { code: '13004', message: '{0}: needs a product or a merchandise to buy{1}' },
  merchandise_too_deep: { code: '13004', message: '{0}: merchandise nests deeper than 16.' },
  list_too_long: { code: '13004', message: '{0}: more than {1} elements.' },
  batch_too_large: { code: '13004', message: '{0}: the batch makes or revokes more than {1} instances up to here.' },
  src_license_order_required: {
    code: '13004',
    message: '{0}: is required to revoke a cloud license{1}',
  },

  // Batches and orders (decisions 6)
  channel_order_id_conflict: {
    code: '13004',
    message: 'channelOrderId: {0} was accepted before with another syncMode or other orders.',
  },
  batch_not_found: { code: '13004', message: 'No batch {0} of channel {1} was submitted by this application.' },
  order_not_found: { code: '13004', message: 'No order {0} was submitted by this application.' },

  // What an order can fail for (decisions 6.5)
  customer_not_found: { code: '13004', message: 'Customer {0} does not exist.' },
  enterprise_mismatch: { code: '13004', message: 'Customer {0} does not belong to enterprise {1}.' },
  source_order_not_found: { code: '13004', message: 'Source order {0} is not a succeeded new_buy order{1}.' },
  asset_owned_by_other_customer: { code: '13004', message: 'Asset {0} is active at another customer.' },
  license_type_mismatch: { code: '13004', message: 'Asset {0} has license type {1}, not {2} as the order.' },
  asset_not_found: { code: '13004', message: 'Asset {0} is not an active asset of the customer.' },
  asset_not_in_source_order: { code: '13004', message: 'Asset {0} has no grant of source order {1}.' },
  product_not_found: { code: '13004', message: 'Asset {0} has no active product {1} that matches{2}.' },
  cancelled: { code: '13004', message: 'The order was cancelled before it took effect.' },
  internal_error: { code: '500', message: 'The order could not be applied because of a fault in the service.' },

  // Customers and enterprises (decisions 5)
  enterprise_mobile_mismatch: { code: '13004', message: 'passwordMobile: is not the mobile number on file.' },
  enterprise_name_taken: { code: '13004', message: 'customerName: another enterprise main account has this name.' },
  customer_bound_elsewhere: { code: '13004', message: 'The channel customer {0} is bound to another enterprise.' },

  enterprise_not_found: { code: '13004', message: 'Enterprise {0} does not exist.' },

  // Asset numbers (decisions 7)
  asset_numbers_exhausted: { code: '13004', message: 'size: fewer than {0} asset numbers are left.' },

  // Not an operation, and faults (decisions 1)
  operation_not_found: { code: '404', message: 'There is no such operation.' },
  http_malformed: { code: '400', message: 'This is not an HTTP request.' },
  headers_too_large: { code: '431', message: 'The path or the headers are too long.' },
  method_not_allowed: { code: '405', message: 'The operation does not take this method.' },
  service_unavailable: { code: '500', message: 'The service cannot answer right now; retry with a new g_nonce.' },
  overloaded: { code: '500', message: 'The service is overloaded; retry with a new g_nonce.' },
} as const satisfies Record<string, { code: string; memberCode?: string; message: string }>;

export type Cause = keyof typeof causes;

/** The two modules of the interface; a few causes have another code in each. */
export type Module = 'order' | 'member';

/** The code of a cause in a module (interface.md, Errors). */
export function codeOf(cause: Cause, module: Module): string {
  const entry: { code: string; memberCode?: string } = causes[cause];
  return module === 'member' ? (entry.memberCode ?? entry.code) : entry.code;
}

/** The message of a cause with its numbers and names filled in. */
export function messageOf(cause: Cause, ...values: (string | number)[]): string {
  return causes[cause].message.replace(/\{(\d)\}/g, (_, position: string) => String(values[Number(position)] ?? ''));
}

/** A refusal: thrown by any layer, answered as HTTP 299 by the API, stored as an order's outcome by a worker. */
export class Refusal extends Error {
  readonly reason: Cause;

  constructor(reason: Cause, ...values: (string | number)[]) {
    super(messageOf(reason, ...values));
    this.name = 'Refusal';
    this.reason = reason;
  }
}
