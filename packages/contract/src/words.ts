/** Enumerations and limits that clients need. Separate from the schemas, so that the command need not load those. */

/** The scopes of an application (rules 2). */
export const SCOPES = ['auth_order', 'auth_me'] as const;

/** For how many hours the previous secret stays valid after a rotation (rules 2). */
export const MAX_OVERLAP_HOURS = 720;
export const DEFAULT_OVERLAP_HOURS = 24;

export const ORDER_TYPES = ['new_buy', 'delete_asset', 'delete_product'] as const;
export const ORDER_STATES = ['pending', 'succeeded', 'failed'] as const;
export const BATCH_STATES = ['accepted', 'processing', 'completed'] as const;

/** Maximum orders in a page of a batch's result. */
export const MAX_PAGE_ORDERS = 1_000;

/** The position in the event feed after the newest event. */
export const LATEST = 'latest';

/** The roles of operators. Each includes those before it. */
export const OPERATOR_ROLES = ['viewer', 'support', 'admin'] as const;

/** The health of a channel. */
export const CHANNEL_HEALTHS = ['current', 'behind', 'paused'] as const;
