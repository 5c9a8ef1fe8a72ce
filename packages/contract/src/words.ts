/** Enumerations and limits that clients need. Separate from the schemas, so that the command need not load those. */

/** The scopes of an application (rules 2). */
export const SCOPES = ['auth_order', 'auth_me'] as const;

/** For how many hours the previous secret stays valid after a rotation (rules 2). */
export const MAX_OVERLAP_HOURS = 720;
export const DEFAULT_OVERLAP_HOURS = 24;

/** How many days before the end of licenses an application may hear of it, and at how many such times (rules 6.8). */
export const MAX_LEAD_DAYS = 365;
export const MAX_LEAD_TIMES = 5;

export const ORDER_TYPES = ['new_buy', 'delete_asset', 'delete_product'] as const;
export const ORDER_STATES = ['pending', 'succeeded', 'failed'] as const;
export const BATCH_STATES = ['accepted', 'processing', 'completed'] as const;

/** Which assets a list has: active ones, revoked ones, or all (rules 6.7). */
export const ASSET_STATES = ['active', 'revoked', 'all'] as const;

/** Whether a license is in force (rules 6.5). */
export const VALIDITIES = ['future', 'active', 'expired'] as const;

/** Why an asset cannot be used, most important first (rules 6.7). */
export const REASONS = ['revoked', 'locked', 'frozen', 'not_yet', 'expired', 'lent', 'unassigned', 'empty'] as const;

/** The position in the event feed after the newest event. */
export const LATEST = 'latest';

/** The causes that an order can fail with (rules 6.5). */
export const ORDER_FAILURES = [
  'customer_not_found',
  'enterprise_mismatch',
  'license_type_mismatch',
  'source_order_not_found',
  'asset_owned_by_other_customer',
  'asset_not_found',
  'asset_not_in_source_order',
  'product_not_found',
  'asset_full',
  'dates_reversed',
  'order_too_large',
  'cancelled',
  'internal_error',
] as const;

/** The roles of operators. Each includes those before it. */
export const OPERATOR_ROLES = ['viewer', 'support', 'admin'] as const;

/** What the name of an operator may be. */
export const OPERATOR_NAME = /^[a-z0-9](?:[a-z0-9._-]{0,61}[a-z0-9])?$/;

/** The limits of an operator's password. */
export const OPERATOR_PASSWORD = { minCharacters: 12, maxCharacters: 128 };

/** Maximum characters of the page to return to after a login by the provider. A cookie has to hold it. */
export const MAX_NEXT = 2_000;

/** Maximum channels to which the console binds an application or operator. */
export const MAX_BOUND_CHANNELS = 200;

/** The health of a channel. */
export const CHANNEL_HEALTHS = ['current', 'holding', 'behind', 'paused'] as const;

/** Maximum body of O5 and its preview. */
export const MAX_BATCH_BYTES = 4 * 1024 * 1024;
/** Maximum form of the token endpoint. */
export const MAX_FORM_BYTES = 16 * 1024;
/** Maximum of an answer with the contents of assets, and of O8, about as long as its JSON. */
export const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
/** Maximum body of all other calls. */
export const MAX_BODY_BYTES = 1024 * 1024;

/** The fields of an order that say who buys. The newest order that took effect gives a customer's contact (rules 5). */
export const CONTACT_FIELDS = [
  'adminName',
  'adminAccount',
  'adminEmail',
  'adminCellNumber',
  'passwordMobile',
  'address',
  'branchCode',
  'branchName',
] as const;
