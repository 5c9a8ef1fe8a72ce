import type {
  AssetId,
  ContactFields,
  CustomerId,
  EnterpriseId,
  LicenseOrderId,
  LicenseType,
  Merchandise,
  ProductToBuy,
} from '@lockstep/contract';
import type { Grant, Numbers } from './grants.ts';

/** An asset. Ids of what the plan creates are null until it is written. */
export interface Asset {
  id: AssetId | null;
  readonly assetNum: string;
  customerId: CustomerId;
  readonly licenseType: LicenseType;
  limitStartDate: number | null;
  limitEndDate: number | null;
  borrowedUsbKey: boolean;
  /** Extended attributes that the plan adds or replaces. Stored ones are not loaded. */
  extends: Readonly<Record<string, string>>;
  /** The codes of stored extended attributes that an order also sets. */
  readonly storedCodes: ReadonlySet<string>;
  /** How many extended attributes the asset has. Counted only if an order sets some. */
  codeCount: number;
  /**
   * How many grants, and how many products and merchandise are active on it, loaded or not. Null if they are not
   * counted: on a stored asset for which no order buys, or that none reaches (see loadContents).
   */
  active: { grants: number; contents: number } | null;
  /** Its grants, oldest first. Until they are loaded (see loadContents), only those that the plan adds. */
  grants: Grant[];
  areGrantsLoaded: boolean;
  /** Products that the plan adds, and those that were loaded because an order may refer to them. */
  products: ProductInstance[];
  /** The order that revoked it; null while it is active. */
  revokedBy: LicenseOrderId | null;
}

/** A product or merchandise that an order put on an asset. */
export interface Instance {
  id: string | null;
  /** The order that bought it. */
  readonly licenseOrderId: LicenseOrderId;
  /** The grant under which it was bought or loaded (see heldBy). */
  grant: Grant;
  /** The holder stored in the database; null for a new instance. */
  readonly storedHeldBy: LicenseOrderId | null;
  /** The order that revoked it by itself. It may also have ended with its grant (see revokerOf). */
  revokedBy: LicenseOrderId | null;
}

/** Merchandise on an asset. `bought` is null if it was loaded; no rule needs it then. */
export interface MerchandiseInstance extends Instance {
  readonly bought: Merchandise | null;
  parent: MerchandiseInstance | null;
  /** The parent of a stored merchandise, which is loaded only if an order may revoke everything in this one. */
  readonly parentId: string | null;
  /** Active products and merchandise directly inside. The merchandise ends with the last of them. */
  activeContents: number;
}

/** A product on an asset, inside merchandise or not. `bought` is null if it was loaded. */
export interface ProductInstance extends Instance {
  readonly productUri: string;
  readonly limitStartDate: number | null;
  readonly limitEndDate: number | null;
  readonly limitConcurrent: number;
  readonly bought: ProductToBuy | null;
  merchandise: MerchandiseInstance | null;
}

/** What an element of a new_buy changes on an existing asset (rules 6.5). Undefined keeps a value, null removes it. */
export interface AssetTerms {
  limitStartDate: number | undefined;
  limitEndDate: number | null | undefined;
  borrowedUsbKey: boolean | undefined;
  extends: Readonly<Record<string, string>>;
}

/** Returns the codes that the asset does not have yet. */
export function listNewCodes(asset: Asset, codes: readonly string[]): string[] {
  return codes.filter((code) => !Object.hasOwn(asset.extends, code) && !asset.storedCodes.has(code));
}

/** The effects of one order on the ledger, in the order in which they apply. */
export interface Effects {
  /** The customer of a purchase, which later orders can name as their source; null for a revocation. */
  purchaserId: CustomerId | null;
  assets: (
    | { action: 'create' | 'revoke'; asset: Asset }
    | { action: 'extend'; asset: Asset; terms: AssetTerms }
    | { action: 'transfer'; asset: Asset; terms: AssetTerms; customerId: CustomerId; grant: Grant }
  )[];
  /** A grant is revoked with the counts of its contents, which are not listed one by one. */
  grants: (
    | { action: 'create'; asset: Asset; grant: Grant }
    | { action: 'revoke'; asset: Asset; grant: Grant; numbers: Readonly<Numbers> }
  )[];
  merchandises: { action: 'create' | 'revoke'; asset: Asset; merchandise: MerchandiseInstance }[];
  products: { action: 'create' | 'revoke'; asset: Asset; product: ProductInstance }[];
  /** How many products and merchandise it creates, revokes or moves to another customer (rules 6.5 Size). */
  touched: number;
}

/** The fields of a customer that the rules need. */
export interface LedgerCustomer {
  enterpriseId: EnterpriseId;
  channelCode: string;
  /** What its newest order said of who buys; null if none is stored. */
  contact: ContactFields | null;
}

/** An asset that an order moved from one customer to another. */
export interface Transfer {
  asset: Asset;
  licenseOrderId: LicenseOrderId;
  fromCustomerId: CustomerId;
  toCustomerId: CustomerId;
  /** When the asset ended for the former customer. */
  formerEndDate: number | null;
}

/**
 * The part of the ledger that some orders touch, and their changes so far. The planner reads it, `advance` applies an
 * order's effects to it, so that the next order sees them, and `writeLedger` stores the changes.
 */
export interface Ledger {
  /** Existing customers, by id. */
  readonly customers: Map<CustomerId, LedgerCustomer>;
  /** The customer of each new_buy that succeeded. */
  readonly customerOfPurchase: Map<LicenseOrderId, CustomerId>;
  /** Active assets, by number. */
  readonly assets: Map<string, Asset>;
  readonly changes: LedgerChanges;
}

/** The changes of a ledger since it was loaded. */
export type LedgerChanges = ReturnType<typeof emptyChanges>;

/** Returns an empty set of changes. */
export function emptyChanges() {
  return {
    /** What orders newly said of who buys for a customer (rules 5), and which of them first did. */
    contacts: new Map<CustomerId, { licenseOrderId: LicenseOrderId; contact: ContactFields }>(),
    newAssets: new Set<Asset>(),
    changedAssets: new Set<Asset>(),
    revokedAssets: new Set<Asset>(),
    /**
     * Assets that were released, because they were revoked or transferred, or became or stopped being a borrowed lock,
     * each with the first order that did so. In the order of those orders.
     */
    releasedAssets: new Map<Asset, LicenseOrderId>(),
    transfers: [] as Transfer[],
    newGrants: [] as { asset: Asset; grant: Grant }[],
    /** Stored grants that were revoked or taken over. */
    endedGrants: new Map<Grant, Asset>(),
    newMerchandises: [] as Effects['merchandises'],
    /** Stored merchandise that was revoked by itself. */
    revokedMerchandises: [] as MerchandiseInstance[],
    newProducts: [] as Effects['products'],
    /** Stored products that were revoked by themselves, by id. */
    revokedProducts: new Map<string, { asset: Asset; product: ProductInstance }>(),
  };
}
