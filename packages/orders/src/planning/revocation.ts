import {
  type Asset,
  type Effects,
  type Grant,
  type Ledger,
  type MerchandiseInstance,
  numbersOf,
  type ProductInstance,
  type Steps,
} from '@lockstep/assets';
import { type DeleteAssetOrder, type DeleteProductOrder, Refusal } from '@lockstep/contract';
import { checkLicenseType, grantsOf } from './checks.ts';
import { type Limits, Touched } from './limits.ts';
import { findMatches, keyOf, listOldest, ProductNotFound } from './matching.ts';
import { emptyEffects } from './outcome.ts';

/**
 * Plans a delete_asset: ends grants with what is under them, and assets whose last grant ends (rules 6.5 delete_asset).
 */
export function* planDeleteAsset(ledger: Ledger, order: DeleteAssetOrder, limits: Limits): Steps<Effects> {
  const effects = emptyEffects(null);
  const touched = new Touched(limits);
  const revokedAssets = new Set<Asset>();
  const revokedGrants = new Set<Grant>();
  for (const element of order.assets) {
    for (const assetNum of element.assetNos) {
      const asset = findOwnAsset(ledger, order, assetNum);
      if (revokedAssets.has(asset)) throw new Refusal('asset_not_found', assetNum, ' of the customer');
      touched.addGrantsOf(asset);
      const grants = grantsOf(asset).filter((grant) => grant.revokedBy === null && !revokedGrants.has(grant));
      const ended = grants.filter(
        ({ licenseOrderId }) => order.srcLicenseOrderId === undefined || order.srcLicenseOrderId === licenseOrderId,
      );
      if (order.srcLicenseOrderId !== undefined && ended.length === 0) {
        throw new Refusal('asset_not_in_source_order', assetNum, order.srcLicenseOrderId);
      }
      for (const grant of ended) {
        const numbers = numbersOf(grant);
        touched.add(numbers.products + numbers.merchandises);
        revokedGrants.add(grant);
        effects.grants.push({ action: 'revoke', asset, grant, numbers });
      }
      if (ended.length === grants.length) {
        revokedAssets.add(asset);
        effects.assets.push({ action: 'revoke', asset });
      }
      yield;
    }
  }
  effects.touched = touched.instances;
  return effects;
}

/**
 * Plans a delete_product: revokes the product instances that match. They match against what was active when the order
 * began, and an instance is revoked once (rules 6.5 delete_product).
 */
export function* planDeleteProduct(ledger: Ledger, order: DeleteProductOrder, limits: Limits): Steps<Effects> {
  const effects = emptyEffects(null);
  const touched = new Touched(limits);
  const revoked = new Set<ProductInstance>();
  const emptied = new EmptiedMerchandises(effects, touched);
  /** What was looked for on each asset. The same matches the same again, and there may be thousands of the same. */
  const lookedFor = new Map<Asset, Set<string>>();
  for (const element of order.assets) {
    const products = element.products.map((product) => ({ product, key: keyOf(product) }));
    for (const assetNum of element.assetNos) {
      const asset = findOwnAsset(ledger, order, assetNum);
      touched.addGrantsOf(asset);
      const known = lookedFor.get(asset) ?? new Set();
      lookedFor.set(asset, known);
      for (const { product, key } of products) {
        if (known.has(key)) continue;
        known.add(key);
        const wanted = { product, srcLicenseOrderId: order.srcLicenseOrderId };
        const matches = findMatches(asset, wanted);
        if (matches.length === 0) throw new ProductNotFound(asset, wanted, listOldest(asset.products));
        for (const instance of matches) {
          if (revoked.has(instance)) continue;
          touched.add(1);
          revoked.add(instance);
          effects.products.push({ action: 'revoke', asset, product: instance });
          emptied.takeFrom(instance.merchandise, asset);
        }
      }
      yield;
    }
  }
  effects.touched = touched.instances;
  return effects;
}

/** Revokes merchandises when the last product and merchandise in them is revoked. */
class EmptiedMerchandises {
  readonly #effects: Effects;
  readonly #touched: Touched;
  /** Active items left in each merchandise after this order, by merchandise. */
  readonly #left = new Map<MerchandiseInstance, number>();

  constructor(effects: Effects, touched: Touched) {
    this.#effects = effects;
    this.#touched = touched;
  }

  takeFrom(merchandise: MerchandiseInstance | null, asset: Asset): void {
    if (merchandise === null) return;
    const left = (this.#left.get(merchandise) ?? merchandise.activeContents) - 1;
    this.#left.set(merchandise, left);
    if (left > 0) return;
    this.#touched.add(1);
    this.#effects.merchandises.push({ action: 'revoke', asset, merchandise });
    if (merchandise.parent === null && merchandise.parentId !== null) throw new Error('A merchandise was not loaded');
    this.takeFrom(merchandise.parent, asset);
  }
}

/** Finds the customer's active asset of a number, of the order's license type. Throws a Refusal. */
function findOwnAsset(ledger: Ledger, order: DeleteAssetOrder | DeleteProductOrder, assetNum: string): Asset {
  const asset = ledger.assets.get(assetNum);
  if (asset === undefined || asset.customerId !== order.customerId)
    throw new Refusal('asset_not_found', assetNum, ' of the customer');
  checkLicenseType(asset, order);
  return asset;
}
