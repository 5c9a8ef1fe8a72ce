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
  /** The order that revoked it; null while it is active. */
  revokedBy: string | null;
}

/**
 * That an order granted to an asset. It lasts until a delete_asset names the order, the asset is revoked, or the order
 * that transfers the asset takes it over, with everything that is under it.
 */
export interface Grant {
  readonly licenseOrderId: string;
  readonly holder: Holder;
  revokedBy: string | null;
}

/** Who stands for what is under a grant. Holders that one order took over are one: each leads to it. */
interface Holder {
  orderId: string;
  into: Holder | null;
  /** How many lead here. */
  size: number;
}

export function newGrant(licenseOrderId: string): Grant {
  return { licenseOrderId, holder: { orderId: licenseOrderId, into: null, size: 1 }, revokedBy: null };
}

/** The order that stands for a product or a merchandise: that which bought it, or the last that transferred its asset. */
export function heldBy({ grant }: { grant: Grant }): string {
  return lastOf(grant.holder).orderId;
}

function lastOf(holder: Holder): Holder {
  let last = holder;
  while (last.into !== null) last = last.into;
  return last;
}

/** What an order put onto an asset. */
export interface Instance {
  id: string | null;
  /** The order that bought it. */
  readonly licenseOrderId: string;
  /** Under which it was bought or loaded; see heldBy. */
  grant: Grant;
  /** As heldBy answered when it was loaded; null of a new one. */
  readonly storedHeldBy: string | null;
  revokedBy: string | null;
}

/** A package on an asset. `bought` is that of a new one; no rule looks at it later. */
export interface MerchandiseInstance extends Instance {
  readonly bought: Merchandise | null;
  readonly parent: MerchandiseInstance | null;
  /** Active products and merchandises directly in it; it ends with the last of them. */
  activeContents: number;
}

/** A product on an asset, inside a merchandise or not. `bought` is that of a new one. */
export interface ProductInstance extends Instance {
  readonly productUri: string;
  readonly limitStartDate: number | null;
  readonly limitEndDate: number | null;
  readonly limitConcurrent: number;
  readonly bought: ProductToBuy | null;
  readonly merchandise: MerchandiseInstance | null;
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
    | { action: 'transfer'; asset: Asset; terms: AssetTerms; customerId: string; grant: Grant }
  )[];
  grants: { action: 'create' | 'revoke'; asset: Asset; grant: Grant }[];
  merchandises: { action: 'create' | 'revoke'; asset: Asset; merchandise: MerchandiseInstance }[];
  products: { action: 'create' | 'revoke'; asset: Asset; product: ProductInstance }[];
}

/** What a rule looks at of a customer. */
export interface Customer {
  enterpriseId: string;
  channelCode: string;
}

/** That an order moved an asset from one customer to another. */
export interface Transfer {
  asset: Asset;
  licenseOrderId: string;
  fromCustomerId: string;
  toCustomerId: string;
}

/**
 * The part of the ledger that some orders touch, and what they have changed of it so far. `planOrder` reads it;
 * `advance` carries a plan out on it, so that the next order sees it; `writeLedger` stores the changes.
 */
export interface Ledger {
  /** The customers that exist. */
  readonly customers: Map<string, Customer>;
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
  readonly transfers: Transfer[];
  readonly newGrants: { asset: Asset; grant: Grant }[];
  readonly revokedGrants: { asset: Asset; grant: Grant }[];
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
    transfers: [],
    newGrants: [],
    revokedGrants: [],
    newMerchandises: [],
    revokedMerchandises: new Set(),
    newProducts: [],
    revokedProducts: new Set(),
  };
}

/** Carries an order's effects out on the ledger in memory, and notes what has to be written. */
export function advance(ledger: Ledger, licenseOrderId: string, effects: Effects): void {
  const { changes } = ledger;
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
      end(merchandise, licenseOrderId);
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
      end(product, licenseOrderId);
      changes.revokedProducts.add(product);
    }
  }
}

/** Revokes an instance. What takes its grant over later does not take it. */
function end(instance: Instance, licenseOrderId: string): void {
  instance.revokedBy = licenseOrderId;
  instance.grant = newGrant(heldBy(instance));
}

function countIn(merchandise: MerchandiseInstance | null, action: 'create' | 'revoke'): void {
  if (merchandise !== null) merchandise.activeContents += action === 'create' ? 1 : -1;
}

function advanceAsset(ledger: Ledger, licenseOrderId: string, effect: Effects['assets'][number]): void {
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
      takeOver(asset, effect.grant, changes);
      changes.releasedAssets.add(asset);
      replaceTerms(asset, effect.terms);
      changes.changedAssets.add(asset);
      break;
    }
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

/**
 * Lets the order that transfers an asset stand for all that came with it (decisions 6.5). What is under the grants is not
 * looked at: an asset may hold a hundred thousand products and be transferred by each order of a batch.
 */
function takeOver(asset: Asset, grant: Grant, changes: LedgerChanges): void {
  let largest = lastOf(grant.holder);
  for (const former of asset.grants) {
    if (former.revokedBy !== null) continue;
    former.revokedBy = grant.licenseOrderId;
    changes.revokedGrants.push({ asset, grant: former });
    largest = joined(largest, lastOf(former.holder));
  }
  largest.orderId = grant.licenseOrderId;
}

/** The smaller one leads to the larger one, so that no way gets long. */
function joined(one: Holder, other: Holder): Holder {
  const [small, large] = one.size < other.size ? [one, other] : [other, one];
  small.into = large;
  large.size += small.size;
  return large;
}

function replaceTerms(asset: Asset, terms: AssetTerms): void {
  asset.limitStartDate = terms.limitStartDate ?? asset.limitStartDate;
  asset.limitEndDate = terms.limitEndDate ?? asset.limitEndDate;
  asset.borrowedUsbKey = terms.borrowedUsbKey ?? asset.borrowedUsbKey;
  asset.extends = { ...asset.extends, ...terms.extends };
}
