import type { Cause, Channels, LicenseOrderId, Order, Refusal } from '@lockstep/contract';

/** An order with the id that its acceptance gave it. */
export interface OrderWithId {
  licenseOrderId: LicenseOrderId;
  order: Order;
  /** The channels that its application is bound to; null if it is bound to none. Nothing of others exists for it. */
  channels: Channels;
}

/** The channels of an order whose customer did not exist for its application when it was accepted (rules 6.2). */
export const NOTHING_SEEN: Channels = [];

/** Whether an order fails with customer_not_found, whatever is there. */
export const seesNothing = ({ channels }: { channels: Channels }) => channels?.length === 0;

/** What became of an order (rules 6.2): a failed one has changed nothing. */
export interface Outcome {
  accepted: OrderWithId;
  failure: { cause: Cause; message: string } | null;
  /** How many assets, and product instances, the order created or revoked (rules 6.4). */
  assets: number;
  products: number;
}

/** The outcome of an order that was refused. */
export function failOrder(accepted: OrderWithId, refusal: Refusal): Outcome {
  return { accepted, failure: { cause: refusal.reason, message: refusal.message }, assets: 0, products: 0 };
}
