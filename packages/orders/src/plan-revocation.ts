import {
  type Asset,
  type Effects,
  type Grant,
  heldBy,
  type Ledger,
  type MerchandiseInstance,
  type ProductInstance,
} from '@lockstep/assets';
import { type DeleteAssetOrder, type DeleteProductOrder, type LicenseOrderId, Refusal } from '@lockstep/contract';
import { emptyEffects } from './effects.ts';
import { findMatches, ProductNotFound } from './matching.ts';
import { checkLicenseType } from './plan-checks.ts';

/** Plans a delete_asset: ends grants with what is under them, and assets whose last grant ends (rules 6.5 delete_asset). */
export function planDeleteAsset(ledger: Ledger, order: DeleteAssetOrder): Effects {
  const effects = emptyEffects(null);
  const revokedAssets = new Set<Asset>();
  const revokedGrants = new Set<Grant>();
  for (const element of order.assets) {
    for (const assetNum of element.assetNos) {
      const asset = findOwnAsset(ledger, order, assetNum);
      if (revokedAssets.has(asset)) throw new Refusal('asset_not_found', assetNum, ' of the customer');
      const grants = asset.grants.filter((grant) => grant.revokedBy === null && !revokedGrants.has(grant));
      const ended = grants.filter(({ licenseOrderId }) => isMeant(order.srcLicenseOrderId, licenseOrderId));
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

/** Whether a revocation covers what this order bought; `source` limits it to one order. */
function isMeant(source: LicenseOrderId | undefined, licenseOrderId: LicenseOrderId): boolean {
  return source === undefined || source === licenseOrderId;
}

/** Revokes an asset's active products and merchandises, or only those that `source` stands for. */
function revokeContents(asset: Asset, source: LicenseOrderId | undefined, effects: Effects): void {
  for (const product of asset.products) {
    if (product.revokedBy !== null || !isMeant(source, heldBy(product))) continue;
    effects.products.push({ action: 'revoke', asset, product });
  }
  for (const merchandise of asset.merchandises) {
    if (merchandise.revokedBy !== null || !isMeant(source, heldBy(merchandise))) continue;
    effects.merchandises.push({ action: 'revoke', asset, merchandise });
  }
}

/**
 * Plans a delete_product: revokes the product instances that match. They match against what was active when the order
 * began, and an instance is revoked once (rules 6.5 delete_product).
 */
export function planDeleteProduct(ledger: Ledger, order: DeleteProductOrder): Effects {
  const effects = emptyEffects(null);
  const revoked = new Set<ProductInstance>();
  const emptied = new EmptiedMerchandises(effects);
  for (const element of order.assets) {
    for (const assetNum of element.assetNos) {
      const asset = findOwnAsset(ledger, order, assetNum);
      for (const product of element.products) {
        const wanted = { product, srcLicenseOrderId: order.srcLicenseOrderId };
        const matches = findMatches(asset, wanted);
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

/** Revokes merchandises when the last product and merchandise in them is revoked. */
class EmptiedMerchandises {
  readonly #effects: Effects;
  /** Active items left in each merchandise after this order, by merchandise. */
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

/** Finds the customer's active asset of a number, of the order's license type. Throws a Refusal. */
function findOwnAsset(ledger: Ledger, order: DeleteAssetOrder | DeleteProductOrder, assetNum: string): Asset {
  const asset = ledger.assets.get(assetNum);
  if (asset === undefined || asset.customerId !== order.customerId)
    throw new Refusal('asset_not_found', assetNum, ' of the customer');
  checkLicenseType(asset, order);
  return asset;
}
