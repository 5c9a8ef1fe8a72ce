import type {
  AssetId,
  CustomerId,
  EnterpriseId,
  LicenseOrderId,
  LicenseType,
  Merchandise,
  ProductToBuy,
} from '@lockstep/contract';
import type { Grant, Numbers } from './grants.ts';

/** An asset. Ids are null on what the plan creates, until it is written. */
export interface Asset {
  id: AssetId | null;
  readonly assetNum: string;
  customerId: CustomerId;
  readonly licenseType: LicenseType;
  limitStartDate: number | null;
  limitEndDate: number | null;
  borrowedUsbKey: boolean;
  /** The extended attributes that the plan adds or replaces. Stored ones are not loaded. */
  extends: Readonly<Record<string, string>>;
  /** The codes of stored extended attributes, as far as an order gives them too. */
  readonly storedCodes: ReadonlySet<string>;
  /** How many extended attributes it has. Counted only if an order gives some. */
  codeCount: number;
  /** How much on it is active, loaded or not: what its active grants have together. */
  readonly active: Numbers & { grants: number };
  /** Its grants, oldest first. Until they are loaded (see loadContents), only those that the plan adds. */
  grants: Grant[];
  areGrantsLoaded: boolean;
  /** What the plan adds, and what was loaded of the rest because an order may mean it. */
  products: ProductInstance[];
  /** The order that revoked it; null while it is active. */
  revokedBy: LicenseOrderId | null;
}

/** What an order put onto an asset. */
export interface Instance {
  id: string | null;
  /** The order that bought it. */
  readonly licenseOrderId: LicenseOrderId;
  /** The grant under which it was bought or loaded; see heldBy. */
  grant: Grant;
  /** The holder as stored in the database; null for a new instance. */
  readonly storedHeldBy: LicenseOrderId | null;
  /** The order that revoked it by itself. It may also have ended with its grant: see revokerOf. */
  revokedBy: LicenseOrderId | null;
}

/** A package on an asset. `bought` is null on a loaded one; no rule looks at it. */
export interface MerchandiseInstance extends Instance {
  readonly bought: Merchandise | null;
  parent: MerchandiseInstance | null;
  /** The parent of a stored one. It is loaded only if an order may revoke everything in this one. */
  readonly parentId: string | null;
  /** Active products and merchandises directly in it; it ends with the last of them. */
  activeContents: number;
}

/** A product on an asset, inside a merchandise or not. `bought` is null on a loaded one. */
export interface ProductInstance extends Instance {
  readonly productUri: string;
  readonly limitStartDate: number | null;
  readonly limitEndDate: number | null;
  readonly limitConcurrent: number;
  readonly bought: ProductToBuy | null;
  merchandise: MerchandiseInstance | null;
}

/** What an element of a new_buy replaces on an asset that is there already (rules 6.5); undefined keeps. */
export interface AssetTerms {
  limitStartDate: number | undefined;
  limitEndDate: number | undefined;
  borrowedUsbKey: boolean | undefined;
  extends: Readonly<Record<string, string>>;
}

/** Lists those of some codes that an asset does not have yet. */
export function listNewCodes(asset: Asset, codes: readonly string[]): string[] {
  return codes.filter((code) => !Object.hasOwn(asset.extends, code) && !asset.storedCodes.has(code));
}

/** What one order does to the ledger, in the order in which it does it. */
export interface Effects {
  /** The customer of a purchase, which later orders can name as their source; null for a revocation. */
  purchaserId: CustomerId | null;
  assets: (
    | { action: 'create' | 'revoke'; asset: Asset }
    | { action: 'extend'; asset: Asset; terms: AssetTerms }
    | { action: 'transfer'; asset: Asset; terms: AssetTerms; customerId: CustomerId; grant: Grant }
  )[];
  /** A grant is revoked with the numbers of what is under it, none of which is listed one by one. */
  grants: (
    | { action: 'create'; asset: Asset; grant: Grant }
    | { action: 'revoke'; asset: Asset; grant: Grant; numbers: Readonly<Numbers> }
  )[];
  merchandises: { action: 'create' | 'revoke'; asset: Asset; merchandise: MerchandiseInstance }[];
  products: { action: 'create' | 'revoke'; asset: Asset; product: ProductInstance }[];
  /** How many products and merchandises it creates, revokes or moves to another customer (rules 6.5 Size). */
  touched: number;
}

/** The part of a customer that the rules look at. */
export interface LedgerCustomer {
  enterpriseId: EnterpriseId;
  channelCode: string;
}

/** An order has moved an asset from one customer to another. */
export interface Transfer {
  asset: Asset;
  licenseOrderId: LicenseOrderId;
  fromCustomerId: CustomerId;
  toCustomerId: CustomerId;
}

/**
 * The part of the ledger that some orders touch, and what they have changed of it so far. The planner reads it,
 * `advance` carries an order's effects out on it, so that the next order sees them, and `writeLedger` stores the
 * changes.
 */
export interface Ledger {
  /** The customers that exist, by id. */
  readonly customers: Map<CustomerId, LedgerCustomer>;
  /** The customer of each succeeded new_buy order. */
  readonly customerOfPurchase: Map<LicenseOrderId, CustomerId>;
  /** The active assets by number. */
  readonly assets: Map<string, Asset>;
  /** Assets onto which products were loaded. */
  readonly loadedOnto: Set<Asset>;
  /** Stored merchandises that are loaded, by id. */
  readonly merchandises: Map<string, MerchandiseInstance>;
  readonly changes: LedgerChanges;
}

/** What orders have changed of a ledger since it was loaded. */
export interface LedgerChanges {
  readonly newAssets: Set<Asset>;
  readonly changedAssets: Set<Asset>;
  /** Assets on which the number of active grants, products or merchandises changed. */
  readonly countedAssets: Set<Asset>;
  readonly revokedAssets: Set<Asset>;
  /**
   * Assets that lost their assignment and their lending: they were revoked or transferred, or are of another kind now.
   */
  readonly releasedAssets: Set<Asset>;
  readonly transfers: Transfer[];
  readonly newGrants: { asset: Asset; grant: Grant }[];
  /** Grants that were there and are revoked, taken over, or have fewer contents. */
  readonly changedGrants: Map<Grant, Asset>;
  readonly newMerchandises: Effects['merchandises'];
  /** Merchandises that were there and are revoked, or have fewer contents. */
  readonly changedMerchandises: Set<MerchandiseInstance>;
  readonly newProducts: Effects['products'];
  /** Products that were there and are revoked by themselves, by id. */
  readonly revokedProducts: Map<string, { asset: Asset; product: ProductInstance }>;
}

/** No changes yet. */
export function emptyChanges(): LedgerChanges {
  return {
    newAssets: new Set(),
    changedAssets: new Set(),
    countedAssets: new Set(),
    revokedAssets: new Set(),
    releasedAssets: new Set(),
    transfers: [],
    newGrants: [],
    changedGrants: new Map(),
    newMerchandises: [],
    changedMerchandises: new Set(),
    newProducts: [],
    revokedProducts: new Map(),
  };
}
