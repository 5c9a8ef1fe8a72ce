import type { LicenseOrderId } from '@lockstep/contract';
import { countUnder, createGrant, endGrant, type Grant, heldBy, takeOver } from './grants.ts';
import {
  type Asset,
  type AssetTerms,
  type Effects,
  type Instance,
  type Ledger,
  type LedgerChanges,
  listNewCodes,
} from './ledger.ts';

/** Applies an order's effects to the ledger in memory, and records what must be written. */
export function advance(ledger: Ledger, licenseOrderId: LicenseOrderId, effects: Effects): void {
  const { changes } = ledger;
  const revoked = new Map<LicenseOrderId, Grant>();
  if (effects.purchaserId !== null) ledger.customerOfPurchase.set(licenseOrderId, effects.purchaserId);
  for (const effect of effects.assets) advanceAsset(ledger, licenseOrderId, effect);
  for (const effect of effects.grants) {
    const { asset, grant } = effect;
    if (effect.action === 'create') {
      asset.grants.push(grant);
      count(asset, { grants: 1 });
      changes.newGrants.push({ asset, grant });
    } else {
      const { products, merchandises } = effect.numbers;
      endGrant(grant, licenseOrderId);
      noteReduced(asset, changes);
      count(asset, { grants: -1, contents: -products - merchandises });
      noteEnded(asset, grant, changes);
    }
  }
  for (const effect of effects.merchandises) {
    const { action, asset, merchandise } = effect;
    const merchandises = action === 'create' ? 1 : -1;
    if (merchandise.parent !== null) merchandise.parent.activeContents += merchandises;
    countUnder(merchandise.grant, { merchandises });
    count(asset, { contents: merchandises });
    if (action === 'create') changes.newMerchandises.push(effect);
    else {
      noteReduced(asset, changes);
      revoke(merchandise, licenseOrderId, revoked);
      if (merchandise.id !== null) changes.revokedMerchandises.push(merchandise);
    }
  }
  for (const effect of effects.products) {
    const { action, asset, product } = effect;
    const products = action === 'create' ? 1 : -1;
    if (product.merchandise !== null) product.merchandise.activeContents += products;
    countUnder(product.grant, { products });
    count(asset, { contents: products });
    if (action === 'create') {
      asset.products.push(product);
      changes.newProducts.push(effect);
    } else {
      noteReduced(asset, changes);
      revoke(product, licenseOrderId, revoked);
      if (product.id !== null) changes.revokedProducts.set(product.id, effect);
    }
  }
}

/** Notes that an asset has less on it, because the time of its last change says so (rules 6.7). */
function noteReduced(asset: Asset, { changedAssets }: LedgerChanges): void {
  if (asset.revokedBy === null) changedAssets.add(asset);
}

/**
 * Revokes an instance. It moves to a grant for revoked contents, so that an order that takes over its old grant does
 * not take over the instance. Each holder has one such grant, because an order may revoke thousands of instances.
 */
function revoke(instance: Instance, licenseOrderId: LicenseOrderId, revoked: Map<LicenseOrderId, Grant>): void {
  const holderId = heldBy(instance);
  const grant = revoked.get(holderId) ?? createGrant(holderId);
  revoked.set(holderId, grant);
  instance.revokedBy = licenseOrderId;
  instance.grant = grant;
}

function count({ active }: Asset, { grants = 0, contents = 0 }: Partial<NonNullable<Asset['active']>>): void {
  if (active === null) return;
  active.grants += grants;
  active.contents += contents;
}

function noteEnded(asset: Asset, grant: Grant, { endedGrants }: LedgerChanges): void {
  if (grant.stored !== null) endedGrants.set(grant, asset);
}

function advanceAsset(ledger: Ledger, licenseOrderId: LicenseOrderId, effect: Effects['assets'][number]): void {
  const { assets, changes } = ledger;
  const { asset } = effect;
  switch (effect.action) {
    case 'create':
      assets.set(asset.assetNum, asset);
      changes.newAssets.add(asset);
      break;
    case 'revoke':
      asset.revokedBy = licenseOrderId;
      assets.delete(asset.assetNum);
      changes.revokedAssets.add(asset);
      noteReleased(asset, licenseOrderId, changes);
      break;
    case 'transfer': {
      const { customerId: toCustomerId } = effect;
      const { customerId: fromCustomerId, limitEndDate: formerEndDate } = asset;
      changes.transfers.push({ asset, licenseOrderId, fromCustomerId, toCustomerId, formerEndDate });
      asset.customerId = toCustomerId;
      takeGrantsOver(asset, effect.grant, changes);
      noteReleased(asset, licenseOrderId, changes);
      replaceTerms(asset, effect.terms);
      changes.changedAssets.add(asset);
      break;
    }
    case 'extend':
      // An asset that becomes or stops being a borrowed lock loses its assignment: borrowed locks cannot be assigned.
      if ((effect.terms.borrowedUsbKey ?? asset.borrowedUsbKey) !== asset.borrowedUsbKey) {
        noteReleased(asset, licenseOrderId, changes);
      }
      replaceTerms(asset, effect.terms);
      changes.changedAssets.add(asset);
      break;
  }
}

/** Notes the first order that releases an asset: it ends what others then find ended. */
function noteReleased(asset: Asset, licenseOrderId: LicenseOrderId, { releasedAssets }: LedgerChanges): void {
  if (!releasedAssets.has(asset)) releasedAssets.set(asset, licenseOrderId);
}

/** Makes the order that transfers an asset the holder of all its contents (rules 6.5). */
function takeGrantsOver(asset: Asset, grant: Grant, changes: LedgerChanges): void {
  const formers = asset.grants.filter(({ revokedBy }) => revokedBy === null);
  takeOver(grant, formers);
  for (const former of formers) noteEnded(asset, former, changes);
  count(asset, { grants: -formers.length });
}

function replaceTerms(asset: Asset, terms: AssetTerms): void {
  asset.limitStartDate = terms.limitStartDate ?? asset.limitStartDate;
  if (terms.limitEndDate !== undefined) asset.limitEndDate = terms.limitEndDate;
  asset.borrowedUsbKey = terms.borrowedUsbKey ?? asset.borrowedUsbKey;
  const codes = Object.keys(terms.extends);
  if (codes.length === 0) return;
  asset.codeCount += listNewCodes(asset, codes).length;
  asset.extends = { ...asset.extends, ...terms.extends };
}
