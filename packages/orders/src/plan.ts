import {
  type Asset,
  type AssetTerms,
  type Effects,
  type Grant,
  heldBy,
  type Ledger,
  type MerchandiseInstance,
  newGrant,
  type ProductInstance,
} from '@lockstep/assets';
import {
  type AssetToBuy,
  type Channels,
  type DeleteAssetOrder,
  type DeleteProductOrder,
  type Merchandise,
  type NewBuyOrder,
  type Order,
  type ProductToBuy,
  Refusal,
} from '@lockstep/contract';
import { matchesOn, ProductNotFound } from './matching.ts';

/** An order with the id that its acceptance gave it. */
export interface AcceptedOrder {
  licenseOrderId: string;
  order: Order;
  /** The channels that its application is bound to; null where it is not. Nothing of others exists for it. */
  channels: Channels;
}

/**
 * What an order does to the ledger (decisions 6.5). It reads the ledger and changes nothing: `advance` does.
 *
 * Throws the order's first fault as a Refusal, in the order customer, enterprise, source order, then elements, numbers
 * and products as they were sent.
 */
export function planOrder(ledger: Ledger, accepted: AcceptedOrder): Effects {
  checkCustomer(ledger, accepted);
  const { order } = accepted;
  switch (order.orderType) {
    case 'new_buy':
      return planNewBuy(ledger, accepted, order);
    case 'delete_asset':
      return planDeleteAsset(ledger, order);
    case 'delete_product':
      return planDeleteProduct(ledger, order);
  }
}

/** The assets and product instances that effects create or revoke: the counts of an order's result (decisions 6.4). */
export function countEffects(effects: Effects): { assets: number; products: number } {
  const assets = effects.assets.filter(({ action }) => action === 'create' || action === 'revoke').length;
  return { assets, products: effects.products.length };
}

function noEffects(): Effects {
  return { assets: [], grants: [], merchandises: [], products: [] };
}

function checkCustomer(ledger: Ledger, { order, channels }: AcceptedOrder): void {
  const { customerId, enterpriseGlobalId, srcLicenseOrderId } = order;
  const customer = ledger.customers.get(customerId);
  if (customer === undefined || !exists(ledger, channels, customerId)) {
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

/** Whether a customer is one of those that exist for an application that may be bound to channels (decisions 2). */
function exists(ledger: Ledger, channels: Channels, customerId: string): boolean {
  return channels === null || channels.includes(ledger.customers.get(customerId)!.channelCode);
}

/** A purchase, and each of its products, may come from any succeeded purchase. */
function checkSource(ledger: Ledger, channels: Channels, srcLicenseOrderId: string): void {
  const customerId = ledger.customerOfPurchase.get(srcLicenseOrderId);
  if (customerId === undefined || !exists(ledger, channels, customerId)) {
    throw new Refusal('source_order_not_found', srcLicenseOrderId);
  }
}

function planNewBuy(ledger: Ledger, accepted: AcceptedOrder, order: NewBuyOrder): Effects {
  const effects = noEffects();
  /** Assets that this order has dealt with already: the customer's by now, whoever had them before; with their period. */
  const bought = new Map<string, { asset: Asset; grant: Grant; period: Period }>();
  for (const element of order.assets) {
    const terms = termsOf(element);
    for (const assetNum of element.assetNos) {
      const earlier = bought.get(assetNum);
      const grant = earlier?.grant ?? newGrant(accepted.licenseOrderId);
      const asset = earlier?.asset ?? buyAsset(ledger, accepted, order, { element, terms, assetNum, grant }, effects);
      if (earlier === undefined) effects.grants.push({ action: 'create', asset, grant });
      else effects.assets.push({ action: 'extend', asset, terms });
      bought.set(assetNum, { asset, grant, period: periodAfter(earlier?.period ?? asset, terms, assetNum) });
      const buy = new Purchase(ledger, accepted, { asset, grant }, effects);
      for (const product of element.products ?? []) buy.product(product, null);
      for (const merchandise of element.merchandises ?? []) buy.merchandise(merchandise, null);
    }
  }
  return effects;
}

type Period = Pick<Asset, 'limitStartDate' | 'limitEndDate'>;

/** The period of an asset once an element has replaced what it gives of it. */
function periodAfter(before: Period, given: AssetTerms, assetNum: string): Period {
  const limitStartDate = given.limitStartDate ?? before.limitStartDate;
  const limitEndDate = given.limitEndDate ?? before.limitEndDate;
  const isGiven = given.limitStartDate !== undefined || given.limitEndDate !== undefined;
  if (isGiven && limitStartDate !== null && limitEndDate !== null && limitStartDate > limitEndDate) {
    throw new Refusal('dates_reversed', `limitStartDate ${limitStartDate} of asset ${assetNum}`, ` ${limitEndDate}`);
  }
  return { limitStartDate, limitEndDate };
}

/** The asset of a number: a new one, the customer's own, or one that the order transfers to the customer. */
function buyAsset(
  ledger: Ledger,
  { channels }: AcceptedOrder,
  order: NewBuyOrder,
  { element, terms, assetNum, grant }: { element: AssetToBuy; terms: AssetTerms; assetNum: string; grant: Grant },
  effects: Effects,
): Asset {
  const asset = ledger.assets.get(assetNum);
  if (asset === undefined) {
    const created = newAsset(order, assetNum, terms);
    effects.assets.push({ action: 'create', asset: created });
    return created;
  }
  const isTransfer = asset.customerId !== order.customerId;
  if (isTransfer && element.transferedAssetNum !== true) throw new Refusal('asset_owned_by_other_customer', assetNum);
  if (isTransfer && !exists(ledger, channels, asset.customerId)) throw new Refusal('asset_not_found', assetNum);
  checkLicenseType(asset, order);
  if (isTransfer) effects.assets.push({ action: 'transfer', asset, terms, customerId: order.customerId, grant });
  else effects.assets.push({ action: 'extend', asset, terms });
  return asset;
}

function newAsset(order: NewBuyOrder, assetNum: string, terms: AssetTerms): Asset {
  return {
    id: null,
    assetNum,
    customerId: order.customerId,
    licenseType: order.licenseType,
    limitStartDate: terms.limitStartDate ?? null,
    limitEndDate: terms.limitEndDate ?? null,
    borrowedUsbKey: terms.borrowedUsbKey ?? false,
    extends: terms.extends,
    grants: [],
    merchandises: [],
    products: [],
    revokedBy: null,
  };
}

function termsOf(element: AssetToBuy): AssetTerms {
  const codes = (element.assetExtendList ?? []).flatMap(({ extendCode, extendValue }) =>
    extendCode === undefined ? [] : [[extendCode, extendValue ?? ''] as const],
  );
  return {
    limitStartDate: element.limitStartDate,
    limitEndDate: element.limitEndDate,
    borrowedUsbKey: element.borrowedUsbKey,
    extends: Object.fromEntries(codes),
  };
}

/** Puts what an order bought onto one asset. */
class Purchase {
  readonly #ledger: Ledger;
  readonly #accepted: AcceptedOrder;
  readonly #asset: Asset;
  readonly #grant: Grant;
  readonly #effects: Effects;

  constructor(ledger: Ledger, accepted: AcceptedOrder, on: { asset: Asset; grant: Grant }, effects: Effects) {
    this.#ledger = ledger;
    this.#accepted = accepted;
    this.#asset = on.asset;
    this.#grant = on.grant;
    this.#effects = effects;
  }

  product(bought: ProductToBuy, merchandise: MerchandiseInstance | null): void {
    const { licenseOrderId, channels } = this.#accepted;
    const { srcLicenseOrderId } = bought;
    if (srcLicenseOrderId !== undefined) checkSource(this.#ledger, channels, srcLicenseOrderId);
    const product: ProductInstance = {
      id: null,
      licenseOrderId,
      grant: this.#grant,
      storedHeldBy: null,
      productUri: bought.productUri,
      limitStartDate: bought.limitStartDate ?? null,
      limitEndDate: bought.limitEndDate ?? null,
      limitConcurrent: bought.limitConcurrent,
      bought,
      merchandise,
      revokedBy: null,
    };
    this.#effects.products.push({ action: 'create', asset: this.#asset, product });
  }

  merchandise(bought: Merchandise, parent: MerchandiseInstance | null): void {
    const { licenseOrderId } = this.#accepted;
    const merchandise: MerchandiseInstance = {
      id: null,
      licenseOrderId,
      grant: this.#grant,
      storedHeldBy: null,
      bought,
      parent,
      activeContents: 0,
      revokedBy: null,
    };
    this.#effects.merchandises.push({ action: 'create', asset: this.#asset, merchandise });
    for (const product of bought.licenseOrderProductList) this.product(product, merchandise);
    for (const child of bought.children ?? []) this.merchandise(child, merchandise);
  }
}

function planDeleteAsset(ledger: Ledger, order: DeleteAssetOrder): Effects {
  const effects = noEffects();
  const revokedAssets = new Set<Asset>();
  const revokedGrants = new Set<Grant>();
  for (const element of order.assets) {
    for (const assetNum of element.assetNos) {
      const asset = ownAsset(ledger, order, assetNum);
      if (revokedAssets.has(asset)) throw new Refusal('asset_not_found', assetNum);
      const grants = asset.grants.filter((grant) => grant.revokedBy === null && !revokedGrants.has(grant));
      const ended = grants.filter(({ licenseOrderId }) => isOf(order.srcLicenseOrderId, licenseOrderId));
      if (order.srcLicenseOrderId !== undefined && ended.length === 0) {
        throw new Refusal('asset_not_in_source_order', assetNum, order.srcLicenseOrderId);
      }
      for (const grant of ended) {
        revokedGrants.add(grant);
        effects.grants.push({ action: 'revoke', asset, grant });
      }
      revokeContents(asset, order.srcLicenseOrderId, effects);
      if (ended.length === grants.length) {
        revokedAssets.add(asset);
        effects.assets.push({ action: 'revoke', asset });
      }
    }
  }
  return effects;
}

/** Whether what an order stands for is meant, where `source` may narrow a revocation down to one order. */
function isOf(source: string | undefined, licenseOrderId: string): boolean {
  return source === undefined || source === licenseOrderId;
}

/** Revokes an asset's active products and merchandises, those that `source` stands for alone where it is given. */
function revokeContents(asset: Asset, source: string | undefined, effects: Effects): void {
  for (const product of asset.products) {
    if (product.revokedBy !== null || !isOf(source, heldBy(product))) continue;
    effects.products.push({ action: 'revoke', asset, product });
  }
  for (const merchandise of asset.merchandises) {
    if (merchandise.revokedBy !== null || !isOf(source, heldBy(merchandise))) continue;
    effects.merchandises.push({ action: 'revoke', asset, merchandise });
  }
}

/** Products match against what was active when the order began, and an instance is revoked once. */
function planDeleteProduct(ledger: Ledger, order: DeleteProductOrder): Effects {
  const effects = noEffects();
  const revoked = new Set<ProductInstance>();
  const emptied = new EmptiedMerchandises(effects);
  for (const element of order.assets) {
    for (const assetNum of element.assetNos) {
      const asset = ownAsset(ledger, order, assetNum);
      for (const product of element.products) {
        const wanted = { product, srcLicenseOrderId: order.srcLicenseOrderId };
        const matches = matchesOn(asset, wanted);
        if (matches.length === 0) throw new ProductNotFound(asset, wanted);
        for (const instance of matches) {
          if (revoked.has(instance)) continue;
          revoked.add(instance);
          effects.products.push({ action: 'revoke', asset, product: instance });
          emptied.takeFrom(instance.merchandise, asset);
        }
      }
    }
  }
  return effects;
}

/** Ends merchandises with the last product and merchandise in them. */
class EmptiedMerchandises {
  readonly #effects: Effects;
  /** How much an order leaves in those that it takes from. */
  readonly #left = new Map<MerchandiseInstance, number>();

  constructor(effects: Effects) {
    this.#effects = effects;
  }

  takeFrom(merchandise: MerchandiseInstance | null, asset: Asset): void {
    if (merchandise === null) return;
    const left = (this.#left.get(merchandise) ?? merchandise.activeContents) - 1;
    this.#left.set(merchandise, left);
    if (left > 0) return;
    this.#effects.merchandises.push({ action: 'revoke', asset, merchandise });
    this.takeFrom(merchandise.parent, asset);
  }
}

/** The customer's active asset of a number, of the order's license type. */
function ownAsset(ledger: Ledger, order: DeleteAssetOrder | DeleteProductOrder, assetNum: string): Asset {
  const asset = ledger.assets.get(assetNum);
  if (asset === undefined || asset.customerId !== order.customerId) throw new Refusal('asset_not_found', assetNum);
  checkLicenseType(asset, order);
  return asset;
}

function checkLicenseType(asset: Asset, order: Order): void {
  if (asset.licenseType !== order.licenseType) {
    throw new Refusal('license_type_mismatch', asset.assetNum, asset.licenseType, order.licenseType);
  }
}
