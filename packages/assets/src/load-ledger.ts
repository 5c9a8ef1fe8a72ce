import type { LicenseType } from '@lockstep/contract';
import { isId, parseBigint, type Trx, together } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import {
  type Asset,
  type Customer,
  emptyChanges,
  type Grant,
  type Ledger,
  type MerchandiseInstance,
  newGrant,
  type ProductInstance,
} from './ledger.ts';

/** What some orders may look at. */
export interface LedgerScope {
  customerIds: Set<string>;
  purchaseIds: Set<string>;
  assetNums: Set<string>;
  /** Of those, the numbers whose assets are loaded with what is on them: it may be revoked or taken over. */
  fullAssetNums: Set<string>;
  /** Whether the customers of assets and purchases are looked at too: applications may be bound to channels. */
  owners: boolean;
}

const ids = (digits: Iterable<string>) => [...digits].filter(isId);

/**
 * Loads the part of the ledger within a scope, and locks its assets until the transaction ends. They are locked in
 * the order of their numbers, so two transactions that want the same ones wait rather than deadlock.
 */
export function loadLedger(trx: Trx, scope: LedgerScope): Promise<Ledger> {
  return load(trx, scope, sql`for update`);
}

/** Reads the part of the ledger within a scope without locking it: for looking at what orders would do. */
export function readLedger(trx: Trx, scope: LedgerScope): Promise<Ledger> {
  return load(trx, scope, sql``);
}

async function load(trx: Trx, scope: LedgerScope, locking: RawBuilder<unknown>): Promise<Ledger> {
  const [customers, purchases, assetRows] = await together([
    selectCustomers(trx, ids(scope.customerIds)),
    selectPurchases(trx, ids(scope.purchaseIds)),
    selectAssets(trx, [...scope.assetNums], locking),
  ]);
  const assets = new Map(assetRows.map((row) => [row.asset_num, assetOf(row)]));
  const full = [...assets.values()].filter((asset) => scope.fullAssetNums.has(asset.assetNum));
  if (full.length > 0) await loadContents(trx, full);
  const ownerIds = [...assetRows, ...purchases].map((row) => row.customer_id);
  const owners = scope.owners ? await selectCustomers(trx, [...new Set(ownerIds)]) : [];
  return {
    customers: new Map([...customers, ...owners].map((row) => [row.id, customerOf(row)])),
    customerOfPurchase: new Map(purchases.map((row) => [row.id, row.customer_id])),
    assets,
    changes: emptyChanges(),
  };
}

interface CustomerRow {
  id: string;
  enterprise_id: string;
  channel_code: string;
}

const customerOf = (row: CustomerRow): Customer => ({ enterpriseId: row.enterprise_id, channelCode: row.channel_code });

async function selectCustomers(trx: Trx, customerIds: string[]): Promise<CustomerRow[]> {
  if (customerIds.length === 0) return [];
  const { rows } = await sql<CustomerRow>`
    select id, enterprise_id, channel_code from customer where id = any (${customerIds}::bigint[])`.execute(trx);
  return rows;
}

async function selectPurchases(trx: Trx, orderIds: string[]) {
  if (orderIds.length === 0) return [];
  const { rows } = await sql<{ id: string; customer_id: string }>`
    select id, customer_id from license_order
    where id = any (${orderIds}::bigint[]) and order_type = 'new_buy' and cause is null`.execute(trx);
  return rows;
}

interface AssetRow {
  id: string;
  asset_num: string;
  customer_id: string;
  license_type: LicenseType;
  limit_start_date: string | null;
  limit_end_date: string | null;
  borrowed_usb_key: boolean;
  extends: Record<string, string>;
}

async function selectAssets(trx: Trx, assetNums: string[], locking: RawBuilder<unknown>): Promise<AssetRow[]> {
  if (assetNums.length === 0) return [];
  const { rows } = await sql<AssetRow>`
    select id, asset_num, customer_id, license_type, limit_start_date, limit_end_date, borrowed_usb_key, extends
    from asset where asset_num = any (${assetNums}::text[]) and revoked_time is null
    order by asset_num ${locking}`.execute(trx);
  return rows;
}

function assetOf(row: AssetRow): Asset {
  return {
    id: row.id,
    assetNum: row.asset_num,
    customerId: row.customer_id,
    licenseType: row.license_type,
    limitStartDate: parseBigint(row.limit_start_date),
    limitEndDate: parseBigint(row.limit_end_date),
    borrowedUsbKey: row.borrowed_usb_key,
    extends: row.extends,
    grants: [],
    merchandises: [],
    products: [],
    revokedBy: null,
  };
}

interface GrantRow {
  asset_id: string;
  license_order_id: string;
}

interface MerchandiseRow {
  id: string;
  asset_id: string;
  license_order_id: string;
  held_by_order_id: string | null;
  parent_id: string | null;
}

interface ProductRow {
  id: string;
  asset_id: string;
  license_order_id: string;
  held_by_order_id: string | null;
  merchandise_id: string | null;
  product_uri: string;
  limit_start_date: string | null;
  limit_end_date: string | null;
  limit_concurrent: number;
}

/** Fills assets with their active grants, merchandises and products, oldest first. */
async function loadContents(trx: Trx, assets: Asset[]): Promise<void> {
  const byId = new Map(assets.map((asset) => [asset.id!, asset]));
  const assetIds = [...byId.keys()];
  const [grants, merchandises, products] = await together([
    sql<GrantRow>`
      select asset_id, license_order_id from asset_grant
      where asset_id = any (${assetIds}::bigint[]) and revoked_time is null
      order by license_order_id`.execute(trx),
    sql<MerchandiseRow>`
      select id, asset_id, license_order_id, held_by_order_id, parent_id from merchandise_instance
      where asset_id = any (${assetIds}::bigint[]) and revoked_time is null
      order by license_order_id, id`.execute(trx),
    sql<ProductRow>`
      select id, asset_id, license_order_id, held_by_order_id, merchandise_id, product_uri,
        limit_start_date, limit_end_date, limit_concurrent
      from product_instance where asset_id = any (${assetIds}::bigint[]) and revoked_time is null
      order by license_order_id, id`.execute(trx),
  ]);
  const grantsByKey = new Map<string, Grant>();
  const keyOf = (assetId: string, orderId: string) => `${assetId} ${orderId}`;
  for (const row of grants.rows) {
    const grant = newGrant(row.license_order_id);
    grantsByKey.set(keyOf(row.asset_id, row.license_order_id), grant);
    byId.get(row.asset_id)!.grants.push(grant);
  }
  // PostgreSQL holds that what is active is under an active grant.
  const grantOf: GrantOf = (row) => grantsByKey.get(keyOf(row.asset_id, holderOf(row)))!;
  const merchandiseOf = merchandiseTree(merchandises.rows, grantOf);
  for (const row of merchandises.rows) byId.get(row.asset_id)!.merchandises.push(merchandiseOf(row.id)!);
  for (const row of products.rows) {
    byId.get(row.asset_id)!.products.push(productOf(row, grantOf(row), within(merchandiseOf(row.merchandise_id))));
  }
}

type HeldRow = Pick<ProductRow, 'asset_id' | 'license_order_id' | 'held_by_order_id'>;
type GrantOf = (row: HeldRow) => Grant;

const holderOf = (row: HeldRow) => row.held_by_order_id ?? row.license_order_id;

/** The active merchandises by id, each inside its own. */
function merchandiseTree(
  rows: readonly MerchandiseRow[],
  grantOf: GrantOf,
): (id: string | null) => MerchandiseInstance | null {
  const rowsById = new Map(rows.map((row) => [row.id, row]));
  const made = new Map<string, MerchandiseInstance>();
  const merchandiseOf = (id: string | null): MerchandiseInstance | null => {
    if (id === null) return null;
    const known = made.get(id);
    if (known !== undefined) return known;
    const row = rowsById.get(id)!;
    const merchandise = {
      id,
      licenseOrderId: row.license_order_id,
      grant: grantOf(row),
      storedHeldBy: holderOf(row),
      bought: null,
      parent: within(merchandiseOf(row.parent_id)),
      activeContents: 0,
      revokedBy: null,
    };
    made.set(id, merchandise);
    return merchandise;
  };
  return merchandiseOf;
}

/** Counts something active in its merchandise, if it is in any. */
function within(merchandise: MerchandiseInstance | null): MerchandiseInstance | null {
  if (merchandise !== null) merchandise.activeContents++;
  return merchandise;
}

function productOf(row: ProductRow, grant: Grant, merchandise: MerchandiseInstance | null): ProductInstance {
  return {
    id: row.id,
    licenseOrderId: row.license_order_id,
    grant,
    storedHeldBy: holderOf(row),
    productUri: row.product_uri,
    limitStartDate: parseBigint(row.limit_start_date),
    limitEndDate: parseBigint(row.limit_end_date),
    limitConcurrent: row.limit_concurrent,
    bought: null,
    merchandise,
    revokedBy: null,
  };
}
