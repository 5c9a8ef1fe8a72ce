import type { LicenseType, Merchandise, ProductToBuy } from '@lockstep/contract';

/** Ids are null on what the plan makes, until it is written. */
export interface Asset {
  id: string | null;
  readonly assetNum: string;
  customerId: string;
  readonly licenseType: LicenseType;
  limitStartDate: number | null;
  limitEndDate: number | null;
  borrowedUsbKey: boolean;
  extends: Record<string, string>;
  readonly grants: Grant[];
  /** Of an asset that was loaded without its contents, only what the plan adds. */
  readonly merchandises: MerchandiseInstance[];
  readonly products: ProductInstance[];
  revoked: boolean;
}

/** That an order granted to an asset; it lasts until a delete_asset names the order or the asset is revoked. */
export interface Grant {
  readonly licenseOrderId: string;
  revoked: boolean;
}

/** A package on an asset. `bought` and `parent` are those of a new one; no rule looks at them later. */
export interface MerchandiseInstance {
  id: string | null;
  readonly licenseOrderId: string;
  readonly bought: Merchandise | null;
  readonly parent: MerchandiseInstance | null;
  revoked: boolean;
}

/** A product on an asset, inside a merchandise or not. `bought` and `merchandise` are those of a new one. */
export interface ProductInstance {
  id: string | null;
  readonly licenseOrderId: string;
  readonly productUri: string;
  readonly limitStartDate: number | null;
  readonly limitEndDate: number | null;
  readonly limitConcurrent: number;
  readonly bought: ProductToBuy | null;
  readonly merchandise: MerchandiseInstance | null;
  revoked: boolean;
}

/** What an element of a new_buy replaces on an asset that is there already (decisions 6.5); undefined keeps. */
export interface AssetTerms {
  limitStartDate: number | undefined;
  limitEndDate: number | undefined;
  borrowedUsbKey: boolean | undefined;
  extends: Record<string, string>;
}

/** What one order does to the ledger, in the order in which it does it. */
export interface Effects {
  assets: (
    | { action: 'create' | 'revoke'; asset: Asset }
    | { action: 'extend'; asset: Asset; terms: AssetTerms }
    | { action: 'transfer'; asset: Asset; terms: AssetTerms; customerId: string }
  )[];
  grants: { action: 'create' | 'revoke'; asset: Asset; grant: Grant }[];
  merchandises: { action: 'create' | 'revoke'; asset: Asset; merchandise: MerchandiseInstance }[];
  products: { action: 'create' | 'revoke'; asset: Asset; product: ProductInstance }[];
}

/**
 * The part of the ledger that some orders touch, and what they have changed of it so far. `planOrder` reads it;
 * `advance` carries a plan out on it, so that the next order sees it; `writeLedger` stores the changes.
 */
export interface Ledger {
  /** Of each customer that exists, its enterprise. */
  readonly enterpriseOfCustomer: Map<string, string>;
  /** Of each succeeded new_buy order, its customer. */
  readonly customerOfPurchase: Map<string, string>;
  /** The active assets by number. */
  readonly assets: Map<string, Asset>;
  readonly changes: LedgerChanges;
}

export interface LedgerChanges {
  readonly newAssets: Set<Asset>;
  readonly changedAssets: Set<Asset>;
  readonly revokedAssets: Set<Asset>;
  /** Assets that lost their assignment and their lending: revoked, transferred, or of another kind now. */
  readonly releasedAssets: Set<Asset>;
  readonly newGrants: Effects['grants'];
  readonly revokedGrants: Effects['grants'];
  readonly newMerchandises: Effects['merchandises'];
  readonly revokedMerchandises: Set<MerchandiseInstance>;
  readonly newProducts: Effects['products'];
  readonly revokedProducts: Set<ProductInstance>;
}

export function emptyChanges(): LedgerChanges {
  return {
    newAssets: new Set(),
    changedAssets: new Set(),
    revokedAssets: new Set(),
    releasedAssets: new Set(),
    newGrants: [],
    revokedGrants: [],
    newMerchandises: [],
    revokedMerchandises: new Set(),
    newProducts: [],
    revokedProducts: new Set(),
  };
}

/** Carries an order's effects out on the ledger in memory, and notes what has to be written. */
export function advance(ledger: Ledger, effects: Effects): void {
  const { changes } = ledger;
  for (const effect of effects.assets) advanceAsset(ledger, effect);
  for (const effect of effects.grants) {
    if (effect.action === 'create') {
      effect.asset.grants.push(effect.grant);
      changes.newGrants.push(effect);
    } else {
      effect.grant.revoked = true;
      changes.revokedGrants.push(effect);
    }
  }
  for (const effect of effects.merchandises) {
    if (effect.action === 'create') {
      effect.asset.merchandises.push(effect.merchandise);
      changes.newMerchandises.push(effect);
    } else {
      effect.merchandise.revoked = true;
      changes.revokedMerchandises.add(effect.merchandise);
    }
  }
  for (const effect of effects.products) {
    if (effect.action === 'create') {
      effect.asset.products.push(effect.product);
      changes.newProducts.push(effect);
    } else {
      effect.product.revoked = true;
      changes.revokedProducts.add(effect.product);
    }
  }
}

function advanceAsset({ assets, changes }: Ledger, effect: Effects['assets'][number]): void {
  const { asset } = effect;
  switch (effect.action) {
    case 'create':
      assets.set(asset.assetNum, asset);
      changes.newAssets.add(asset);
      break;
    case 'revoke':
      asset.revoked = true;
      assets.delete(asset.assetNum);
      changes.revokedAssets.add(asset);
      changes.releasedAssets.add(asset);
      break;
    case 'transfer':
      asset.customerId = effect.customerId;
      changes.releasedAssets.add(asset);
      replaceTerms(asset, effect.terms);
      changes.changedAssets.add(asset);
      break;
    case 'extend':
      // What becomes a borrowed lock, or stops being one, is nobody's any more: only other assets can be assigned.
      if ((effect.terms.borrowedUsbKey ?? asset.borrowedUsbKey) !== asset.borrowedUsbKey) {
        changes.releasedAssets.add(asset);
      }
      replaceTerms(asset, effect.terms);
      changes.changedAssets.add(asset);
      break;
  }
}

function replaceTerms(asset: Asset, terms: AssetTerms): void {
  asset.limitStartDate = terms.limitStartDate ?? asset.limitStartDate;
  asset.limitEndDate = terms.limitEndDate ?? asset.limitEndDate;
  asset.borrowedUsbKey = terms.borrowedUsbKey ?? asset.borrowedUsbKey;
  asset.extends = { ...asset.extends, ...terms.extends };
}
