/**
 * The closed lists of words and the limits that a client must know before it calls. They are apart from the schemas, so
 * that a client such as the command loads no schema.
 */

/** What an application may use (rules 2). */
export const SCOPES = ['auth_order', 'auth_me'] as const;

/** How long the old secret stays valid when an application gets a new one, in hours (rules 2). */
export const MAX_OVERLAP_HOURS = 720;
export const DEFAULT_OVERLAP_HOURS = 24;

export const ORDER_TYPES = ['new_buy', 'delete_asset', 'delete_product'] as const;
export const ORDER_STATES = ['pending', 'succeeded', 'failed'] as const;
export const BATCH_STATES = ['accepted', 'processing', 'completed'] as const;

/** The most orders in one page of a batch's result. */
export const MAX_PAGE_ORDERS = 1_000;

/** The place in the event feed behind all events that have an id. */
export const LATEST = 'latest';

/** What an operator may do: each role may do what those before it may. */
export const OPERATOR_ROLES = ['viewer', 'support', 'admin'] as const;

/** How a channel is: whether its orders wait, and whether an operator has them wait. */
export const CHANNEL_HEALTHS = ['current', 'behind', 'paused'] as const;
