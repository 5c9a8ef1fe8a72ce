import type { Cause, Channels, LicenseOrderId, Order, Refusal } from '@lockstep/contract';

/** An order with the id that its acceptance gave it. */
export interface OrderWithId {
  licenseOrderId: LicenseOrderId;
  order: Order;
  /** The channels that its application is bound to; null if it is bound to none. Nothing of others exists for it. */
  channels: Channels;
}

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
