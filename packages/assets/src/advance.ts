import type { LicenseOrderId } from '@lockstep/contract';
import { createGrant, type Grant, heldBy, takeOver } from './grants.ts';
import type { Asset, AssetTerms, Effects, Instance, Ledger, LedgerChanges, MerchandiseInstance } from './ledger.ts';

/** Carries an order's effects out on the ledger in memory, and notes what has to be written. */
export function advance(ledger: Ledger, licenseOrderId: LicenseOrderId, effects: Effects): void {
  const { changes } = ledger;
  if (effects.purchaserId !== null) ledger.customerOfPurchase.set(licenseOrderId, effects.purchaserId);
  for (const effect of effects.assets) advanceAsset(ledger, licenseOrderId, effect);
  for (const { action, asset, grant } of effects.grants) {
    if (action === 'create') {
      asset.grants.push(grant);
      changes.newGrants.push({ asset, grant });
    } else {
      grant.revokedBy = licenseOrderId;
      changes.revokedGrants.push({ asset, grant });
    }
  }
  for (const effect of effects.merchandises) {
    const { action, asset, merchandise } = effect;
    countIn(merchandise.parent, action);
    if (action === 'create') {
      asset.merchandises.push(merchandise);
      changes.newMerchandises.push(effect);
    } else {
      revoke(merchandise, licenseOrderId);
      changes.revokedMerchandises.add(merchandise);
    }
  }
  for (const effect of effects.products) {
    const { action, asset, product } = effect;
    countIn(product.merchandise, action);
    if (action === 'create') {
      asset.products.push(product);
      changes.newProducts.push(effect);
    } else {
      revoke(product, licenseOrderId);
      changes.revokedProducts.add(product);
    }
  }
}

/** Revokes an instance. It gets a grant of its own: an order that takes the old one over does not take what is revoked. */
function revoke(instance: Instance, licenseOrderId: LicenseOrderId): void {
  instance.revokedBy = licenseOrderId;
  instance.grant = createGrant(heldBy(instance));
}

function countIn(merchandise: MerchandiseInstance | null, action: 'create' | 'revoke'): void {
  if (merchandise !== null) merchandise.activeContents += action === 'create' ? 1 : -1;
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
      changes.releasedAssets.add(asset);
      break;
    case 'transfer': {
      const { customerId: toCustomerId } = effect;
      changes.transfers.push({ asset, licenseOrderId, fromCustomerId: asset.customerId, toCustomerId });
      asset.customerId = toCustomerId;
      takeGrantsOver(asset, effect.grant, changes);
      changes.releasedAssets.add(asset);
      replaceTerms(asset, effect.terms);
      changes.changedAssets.add(asset);
      break;
    }
    case 'extend':
      // An asset that becomes a borrowed lock, or stops being one, loses its holder: only other assets can be assigned.
      if ((effect.terms.borrowedUsbKey ?? asset.borrowedUsbKey) !== asset.borrowedUsbKey) {
        changes.releasedAssets.add(asset);
      }
      replaceTerms(asset, effect.terms);
      changes.changedAssets.add(asset);
      break;
  }
}

/** Lets the order that transfers an asset stand for all that comes with it (rules 6.5). */
function takeGrantsOver(asset: Asset, grant: Grant, changes: LedgerChanges): void {
  const formers = asset.grants.filter(({ revokedBy }) => revokedBy === null);
  for (const former of formers) {
    former.revokedBy = grant.licenseOrderId;
    changes.revokedGrants.push({ asset, grant: former });
  }
  takeOver(grant, formers);
}

function replaceTerms(asset: Asset, terms: AssetTerms): void {
  asset.limitStartDate = terms.limitStartDate ?? asset.limitStartDate;
  asset.limitEndDate = terms.limitEndDate ?? asset.limitEndDate;
  asset.borrowedUsbKey = terms.borrowedUsbKey ?? asset.borrowedUsbKey;
  asset.extends = { ...asset.extends, ...terms.extends };
}
