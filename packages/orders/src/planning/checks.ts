import type { Asset, Grant, Ledger } from '@lockstep/assets';
import { type Channels, type CustomerId, type LicenseOrderId, type Order, Refusal } from '@lockstep/contract';
import type { OrderWithId } from './outcome.ts';

/** Refuses an order whose customer, enterprise or source order does not match the ledger (rules 6.5). */
export function checkCustomer(ledger: Ledger, { order, channels }: OrderWithId): void {
  const { customerId, enterpriseGlobalId, srcLicenseOrderId } = order;
  const customer = ledger.customers.get(customerId);
  if (customer === undefined || !isVisible(ledger, channels, customerId)) {
    throw new Refusal('customer_not_found', customerId);
  }
  if (customer.enterpriseId !== enterpriseGlobalId) {
    throw new Refusal('enterprise_mismatch', customerId, enterpriseGlobalId);
  }
  if (srcLicenseOrderId === undefined) return;
  if (order.orderType === 'new_buy') {
    checkSource(ledger, channels, srcLicenseOrderId);
  } else if (ledger.customerOfPurchase.get(srcLicenseOrderId) !== customerId) {
    throw new Refusal('source_order_not_found', srcLicenseOrderId, ` of customer ${customerId}`);
  }
}

/** Whether a customer exists for an application, which may be bound to channels (rules 2). */
export function isVisible(ledger: Ledger, channels: Channels, customerId: CustomerId): boolean {
  return channels === null || channels.includes(ledger.customers.get(customerId)!.channelCode);
}

/**
 * Refuses a source order that is not a succeeded purchase. For purchases and their products, it may be any customer's.
 */
export function checkSource(ledger: Ledger, channels: Channels, srcLicenseOrderId: LicenseOrderId): void {
  const customerId = ledger.customerOfPurchase.get(srcLicenseOrderId);
  if (customerId === undefined || !isVisible(ledger, channels, customerId)) {
    throw new Refusal('source_order_not_found', srcLicenseOrderId);
  }
}

export function checkLicenseType(asset: Asset, order: Order): void {
  if (asset.licenseType !== order.licenseType) {
    throw new Refusal('license_type_mismatch', asset.assetNum, asset.licenseType, order.licenseType);
  }
}

/** Returns the grants of an asset. They must be loaded if it has any. */
export function grantsOf(asset: Asset): Grant[] {
  if (!asset.areGrantsLoaded) throw new Error(`grants of asset ${asset.assetNum} not loaded`);
  return asset.grants;
}

/** Returns how much is active on an asset. It must be counted, as it is if orders buy for it. */
export function activeOn({ active, assetNum }: Asset): NonNullable<Asset['active']> {
  if (active === null) throw new Error(`contents of asset ${assetNum} not counted`);
  return active;
}
