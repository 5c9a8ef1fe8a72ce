import type { Asset, AssetTerms, Effects, Grant, Ledger, MerchandiseInstance, ProductInstance } from '@lockstep/assets';
import {
  type AssetToBuy,
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
}

/**
 * What an order does to the ledger (decisions 6.5). It reads the ledger and changes nothing: `advance` does.
 *
 * Throws the order's first fault as a Refusal, in the order customer, enterprise, source order, then elements, numbers
 * and products as they were sent.
 */
export function planOrder(ledger: Ledger, { licenseOrderId, order }: AcceptedOrder): Effects {
  checkCustomer(ledger, order);
  switch (order.orderType) {
    case 'new_buy':
      return planNewBuy(ledger, licenseOrderId, order);
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

function checkCustomer(ledger: Ledger, order: Order): void {
  const { customerId, enterpriseGlobalId, srcLicenseOrderId } = order;
  const enterpriseId = ledger.enterpriseOfCustomer.get(customerId);
  if (enterpriseId === undefined) throw new Refusal('customer_not_found', customerId);
  if (enterpriseId !== enterpriseGlobalId) throw new Refusal('enterprise_mismatch', customerId, enterpriseGlobalId);
  if (srcLicenseOrderId !== undefined && ledger.customerOfPurchase.get(srcLicenseOrderId) !== customerId) {
    throw new Refusal('source_order_not_found', srcLicenseOrderId, ` of customer ${customerId}`);
  }
}

function planNewBuy(ledger: Ledger, licenseOrderId: string, order: NewBuyOrder): Effects {
  const effects = noEffects();
  /** Assets that this order has dealt with already: the customer's by now, whoever had them before. */
  const bought = new Map<string, Asset>();
  for (const element of order.assets) {
    for (const assetNum of element.assetNos) {
      const earlier = bought.get(assetNum);
      const asset = earlier ?? buyAsset(ledger, order, element, assetNum, effects);
      if (earlier !== undefined) effects.assets.push({ action: 'extend', asset, terms: termsOf(element) });
      if (earlier === undefined) {
        bought.set(assetNum, asset);
        effects.grants.push({ action: 'create', asset, grant: { licenseOrderId, revoked: false } });
      }
      const buy = new Purchase(ledger, licenseOrderId, asset, effects);
      for (const product of element.products ?? []) buy.product(product, null);
      for (const merchandise of element.merchandises ?? []) buy.merchandise(merchandise, null);
    }
  }
  return effects;
}

/** The asset of a number: a new one, the customer's own, or one that the order transfers to the customer. */
function buyAsset(ledger: Ledger, order: NewBuyOrder, element: AssetToBuy, assetNum: string, effects: Effects): Asset {
  const terms = termsOf(element);
  const asset = ledger.assets.get(assetNum);
  if (asset === undefined) {
    const created = newAsset(order, assetNum, terms);
    effects.assets.push({ action: 'create', asset: created });
    return created;
  }
  const isTransfer = asset.customerId !== order.customerId;
  if (isTransfer && element.transferedAssetNum !== true) throw new Refusal('asset_owned_by_other_customer', assetNum);
  checkLicenseType(asset, order);
  if (isTransfer) effects.assets.push({ action: 'transfer', asset, terms, customerId: order.customerId });
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
    revoked: false,
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
  readonly #licenseOrderId: string;
  readonly #asset: Asset;
  readonly #effects: Effects;

  constructor(ledger: Ledger, licenseOrderId: string, asset: Asset, effects: Effects) {
    this.#ledger = ledger;
    this.#licenseOrderId = licenseOrderId;
    this.#asset = asset;
    this.#effects = effects;
  }

  product(bought: ProductToBuy, merchandise: MerchandiseInstance | null): void {
    const { srcLicenseOrderId } = bought;
    if (srcLicenseOrderId !== undefined && !this.#ledger.customerOfPurchase.has(srcLicenseOrderId)) {
      throw new Refusal('source_order_not_found', srcLicenseOrderId);
    }
    const product: ProductInstance = {
      id: null,
      licenseOrderId: this.#licenseOrderId,
      productUri: bought.productUri,
      limitStartDate: bought.limitStartDate ?? null,
      limitEndDate: bought.limitEndDate ?? null,
      limitConcurrent: bought.limitConcurrent,
      bought,
      merchandise,
      revoked: false,
    };
    this.#effects.products.push({ action: 'create', asset: this.#asset, product });
  }

  merchandise(bought: Merchandise, parent: MerchandiseInstance | null): void {
    const merchandise = { id: null, licenseOrderId: this.#licenseOrderId, bought, parent, revoked: false };
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
      const grants = asset.grants.filter((grant) => !grant.revoked && !revokedGrants.has(grant));
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

/** Whether something of `licenseOrderId` is meant where `source` may narrow an order down to one source order. */
function isOf(source: string | undefined, licenseOrderId: string): boolean {
  return source === undefined || source === licenseOrderId;
}

/** Revokes an asset's active products and merchandises, those of `source` alone where it is given. */
function revokeContents(asset: Asset, source: string | undefined, effects: Effects): void {
  for (const product of asset.products) {
    if (product.revoked || !isOf(source, product.licenseOrderId)) continue;
    effects.products.push({ action: 'revoke', asset, product });
  }
  for (const merchandise of asset.merchandises) {
    if (merchandise.revoked || !isOf(source, merchandise.licenseOrderId)) continue;
    effects.merchandises.push({ action: 'revoke', asset, merchandise });
  }
}

function planDeleteProduct(ledger: Ledger, order: DeleteProductOrder): Effects {
  const effects = noEffects();
  const revoked = new Set<ProductInstance>();
  for (const element of order.assets) {
    for (const assetNum of element.assetNos) {
      const asset = ownAsset(ledger, order, assetNum);
      for (const product of element.products) {
        const wanted = { product, srcLicenseOrderId: order.srcLicenseOrderId };
        const matches = matchesOn(asset, wanted).filter((instance) => !revoked.has(instance));
        if (matches.length === 0) throw new ProductNotFound(asset, wanted, revoked);
        for (const instance of matches) {
          revoked.add(instance);
          effects.products.push({ action: 'revoke', asset, product: instance });
        }
      }
    }
  }
  return effects;
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
