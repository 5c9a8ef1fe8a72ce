import {
  type Asset,
  type Effects,
  type Grant,
  type Ledger,
  type MerchandiseInstance,
  numbersOf,
  type ProductInstance,
} from '@lockstep/assets';
import { type DeleteAssetOrder, type DeleteProductOrder, Refusal } from '@lockstep/contract';
import { findMatches, keyOf, listOldest, ProductNotFound } from './matching.ts';
import { checkLicenseType, emptyEffects, grantsOf, type Limits, pathOf, Touched } from './order.ts';

/**
 * Plans a delete_asset: revokes grants with their contents, and assets whose last grant is revoked (rules 6.5
 * delete_asset).
 */
export function planDeleteAsset(ledger: Ledger, order: DeleteAssetOrder, limits: Limits): Effects {
  const effects = emptyEffects(null);
  const touched = new Touched(order, limits);
  const revokedAssets = new Set<Asset>();
  const revokedGrants = new Set<Grant>();
  for (const element of order.assets) {
    for (const assetNum of element.assetNos) {
      touched.startOn(element, assetNum);
      const asset = findOwnAsset(ledger, order, assetNum, touched);
      if (revokedAssets.has(asset)) throw notOwned(assetNum, touched);
      touched.addGrantsOf(asset);
      const grants = grantsOf(asset).filter((grant) => grant.revokedBy === null && !revokedGrants.has(grant));
      const matching = grants.filter(
        ({ licenseOrderId }) => order.srcLicenseOrderId === undefined || order.srcLicenseOrderId === licenseOrderId,
      );
      if (order.srcLicenseOrderId !== undefined && matching.length === 0) {
        throw new Refusal('asset_not_in_source_order', assetNum, order.srcLicenseOrderId, touched.place);
      }
      for (const grant of matching) {
        const numbers = numbersOf(grant);
        touched.add(numbers.products + numbers.merchandises);
        revokedGrants.add(grant);
        effects.grants.push({ action: 'revoke', asset, grant, numbers });
      }
      if (matching.length === grants.length) {
        revokedAssets.add(asset);
        effects.assets.push({ action: 'revoke', asset });
      }
    }
  }
  effects.touched = touched.instances;
  return effects;
}

/**
 * Plans a delete_product: revokes the product instances that match. It matches against what was active before the
 * order, and revokes each instance once (rules 6.5 delete_product).
 */
export function planDeleteProduct(ledger: Ledger, order: DeleteProductOrder, limits: Limits): Effects {
  const effects = emptyEffects(null);
  const touched = new Touched(order, limits);
  const revoked = new Set<ProductInstance>();
  const takeFrom = emptying(effects, touched);
  /**
   * What has been looked for on each asset. The same product matches the same instances, and an order may name it
   * thousands of times.
   */
  const lookedFor = new Map<Asset, Set<string>>();
  for (const element of order.assets) {
    const products = element.products.map((product) => ({ product, key: keyOf(product) }));
    for (const assetNum of element.assetNos) {
      touched.startOn(element, assetNum);
      const asset = findOwnAsset(ledger, order, assetNum, touched);
      touched.addGrantsOf(asset);
      const known = lookedFor.get(asset) ?? new Set();
      lookedFor.set(asset, known);
      for (const { product, key } of products) {
        if (known.has(key)) continue;
        known.add(key);
        const wanted = { product, srcLicenseOrderId: order.srcLicenseOrderId, place: () => pathOf(order, product) };
        const matches = findMatches(asset, wanted);
        if (matches.length === 0) throw new ProductNotFound(asset, wanted, listOldest(asset.products));
        for (const instance of matches) {
          if (revoked.has(instance)) continue;
          touched.add(1);
          revoked.add(instance);
          effects.products.push({ action: 'revoke', asset, product: instance });
          takeFrom(instance.merchandise, asset);
        }
      }
    }
  }
  effects.touched = touched.instances;
  return effects;
}

/** Returns a function that revokes a merchandise when the last product or merchandise in it is taken from it. */
function emptying(effects: Effects, touched: Touched) {
  /** How many active products and merchandise each merchandise has left after this order. */
  const leftIn = new Map<MerchandiseInstance, number>();
  return function takeFrom(merchandise: MerchandiseInstance | null, asset: Asset): void {
    if (merchandise === null) return;
    const left = (leftIn.get(merchandise) ?? merchandise.activeContents) - 1;
    leftIn.set(merchandise, left);
    if (left > 0) return;
    touched.add(1);
    effects.merchandises.push({ action: 'revoke', asset, merchandise });
    if (merchandise.parent === null && merchandise.parentId !== null) throw new Error('merchandise not loaded');
    takeFrom(merchandise.parent, asset);
  };
}

/** Returns the customer's active asset with a number and the order's license type. Throws a Refusal. */
function findOwnAsset(
  ledger: Ledger,
  order: DeleteAssetOrder | DeleteProductOrder,
  assetNum: string,
  touched: Touched,
): Asset {
  const asset = ledger.assets.get(assetNum);
  if (asset === undefined || asset.customerId !== order.customerId) throw notOwned(assetNum, touched);
  checkLicenseType(asset, order, touched);
  return asset;
}

const notOwned = (assetNum: string, { place }: Touched) =>
  new Refusal('asset_not_found', assetNum, 'of_customer', place);
