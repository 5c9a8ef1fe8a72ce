import type { AssetId, CustomerId, LicenseOrderId } from '@lockstep/contract';
import {
  bigintArray,
  isId,
  jsonKeys,
  run,
  type Statement,
  type Tables,
  type Trx,
  textArray,
  together,
} from '@lockstep/platform';
import { type SelectQueryBuilder, sql } from 'kysely';
import { type Asset, emptyChanges, type Ledger, type LedgerCustomer } from '../../ledger/ledger.ts';
import {
  type ActiveRow,
  activeRows,
  addActive,
  addGrants,
  type CountRow,
  countRows,
  type GrantRow,
  grantRows,
  type HeldContents,
} from './grants.ts';
import { loadMerchandises } from './merchandises.ts';
import { addProducts, type ProductLookUp, type ProductRow, productRows } from './products.ts';

/** The part of the ledger that orders may need. */
export interface LedgerNeeds {
  customerIds: Set<CustomerId>;
  /** Orders named as sources. */
  purchaseIds: Set<LicenseOrderId>;
  assetNums: Set<string>;
  /** Codes of the extended attributes that orders set. */
  codes: Set<string>;
  /** Whether to load the customers of assets and purchases too, because an application may be bound to channels. */
  owners: boolean;
}

const ids = <Id extends string>(digits: Iterable<Id>) => [...digits].filter(isId);

/**
 * Loads the part of the ledger that orders need, without contents (see loadContents), as of one moment, and locks its
 * assets until the transaction ends. They are locked in the order of their numbers, so that transactions that need the
 * same assets wait; only one that has to lock again (lockAll) may deadlock, and runs again.
 */
export function loadLedger(trx: Trx, needs: LedgerNeeds): Promise<Ledger> {
  return load(trx, needs, true);
}

/** Reads the part of the ledger that orders need without locking it, in a snapshot, for a preview. */
export function readLedger(trx: Trx, needs: LedgerNeeds): Promise<Ledger> {
  return load(trx, needs, false);
}

async function load(trx: Trx, needs: LedgerNeeds, areLocked: boolean): Promise<Ledger> {
  const { locked, purchases, customers } = await lockAll(async () => {
    const [locked, rows, customers] = await together<[AssetRow, FoundRow, CustomerRow]>(trx, [
      assetRows([...needs.assetNums], [...needs.codes], areLocked),
      foundRows([...needs.assetNums], ids(needs.purchaseIds)),
      customerRows(ids(needs.customerIds)),
    ]);
    const purchases = rows.filter((row): row is PurchaseRow => row.customer_id !== null);
    return { locked, found: rows.filter((row) => row.customer_id === null), purchases, customers };
  });
  const ownerIds = [...locked.map((row) => row.customerId), ...purchases.map((row) => row.customer_id)];
  const owners = needs.owners ? await run(trx, customerRows([...new Set(ownerIds)])) : [];
  return {
    customers: new Map([...customers, ...owners].map(({ id, ...customer }) => [id, customer])),
    customerOfPurchase: new Map(purchases.map((row) => [row.id, row.customer_id])),
    assets: new Map(locked.map((row) => [row.assetNum, buildAsset(row)])),
    changes: emptyChanges(),
  };
}

type CustomerRow = LedgerCustomer & { id: CustomerId };

const customerRows = (customerIds: CustomerId[]): Statement<CustomerRow> => ({
  name: 'read_customers',
  text: `
    select id, enterprise_id as "enterpriseId", channel_code as "channelCode",
      (select fields from customer_contact where customer_id = customer.id) as contact
    from customer where id = any ((select $1::bigint[])::bigint[])`,
  values: [bigintArray(customerIds)],
});

/** The contents of stored assets that orders need, in the order in which they need them. */
export interface ContentsNeeds {
  /** Assets that are bought for. What they hold is counted. */
  bought: Set<Asset>;
  /** Assets with a grant that may be revoked, taken over, or lose contents. */
  grantsOf: Set<Asset>;
  /** Contents that may be revoked together with their grants, and are counted for that. By a key, each once. */
  counts: Map<string, HeldContents>;
  lookUps: ProductLookUp[];
}

/** How much to read. */
interface ReadingLimits {
  /** What assets that are bought for hold together. */
  counted: number;
  /** Of each other kind. */
  together: number;
}

/**
 * Loads the contents that orders may refer to, before any is planned: how much the assets hold that they buy for,
 * active grants, the numbers of their contents, the active products that match, and the merchandise around them.
 * Returns whether it has loaded everything. Of each kind it reads one row more than its limit, in the order of the
 * needs, and loads only assets that it has read to the end; but if what assets hold is more than `counted`, they get
 * the numbers that it has read. If `together` is at least what one order may touch plus what one asset may hold, an
 * order that needs more is refused before it reaches what was not loaded. Loading for fewer orders replaces what was
 * loaded for more.
 */
export async function loadContents(trx: Trx, needs: ContentsNeeds, limits: ReadingLimits): Promise<boolean> {
  const [bought, assets, held] = [[...needs.bought], [...needs.grantsOf], [...needs.counts.values()]];
  if (bought.length === 0 && assets.length === 0) return true;
  const { counted: most, together: limit } = limits;
  const counting = activeRows(bought, most + 1);
  const [active, grants, counts, products] =
    assets.length === 0
      ? [await run(trx, counting), [], [], []]
      : await together<[ActiveRow, GrantRow, CountRow, ProductRow]>(trx, [
          counting,
          grantRows(assets, limit + 1),
          countRows(held, limit + 1),
          productRows(needs.lookUps, limit + 1),
        ]);
  const found = active.reduce((sum, row) => sum + row.grants + row.contents, 0);
  const areAllCounted = found <= most;
  addActive(bought, active, areAllCounted ? bought.length : active.at(-1)!.place);
  const counted = counts.reduce((sum, row) => sum + row.products + row.merchandises, 0);
  const toGrant = lastWhole(grants, grants.length, limit);
  const toCount = lastWhole(counts, counted, limit);
  const toLookUp = lastWhole(products, products.length, limit);
  addGrants(assets.slice(0, toGrant), grants, held.slice(0, toCount), counts);
  const loaded = addProducts(
    needs.lookUps,
    products.filter(({ place }) => place <= toLookUp),
  );
  await loadMerchandises(trx, loaded);
  return areAllCounted && Math.min(toGrant, toCount, toLookUp) === Number.POSITIVE_INFINITY;
}

/** Returns the last place that was read to its end, given how much was read; infinity if that is all. */
function lastWhole(rows: readonly { place: number }[], read: number, limit: number): number {
  return read > limit ? rows.at(-1)!.place - 1 : Number.POSITIVE_INFINITY;
}

type Found = readonly { id: string }[];

/**
 * Returns what `round` found when it had locked all of it. `round` locks assets and then, in a later statement, reads
 * which there are. If a transaction that the lock waited for has added some, the next round locks these, too. So no
 * transaction decides on half of another (rules 6.2 Isolated).
 */
async function lockAll<Round extends { locked: Found; found: Found }>(round: () => Promise<Round>): Promise<Round> {
  for (;;) {
    const result = await round();
    const lockedIds = new Set(result.locked.map(({ id }) => id));
    if (result.found.every(({ id }) => lockedIds.has(id))) return result;
  }
}

/** Locks the assets that a query finds, in the order of their numbers as drains do. Returns them as they are now. */
export async function lockFound<From extends keyof Tables, Row extends { id: string }>(
  query: SelectQueryBuilder<Tables, From, Row>,
): Promise<Row[]> {
  const sorted = query.orderBy(sql`asset.asset_num`);
  const { found } = await lockAll(async () => ({
    locked: await sorted.modifyEnd(sql`for update of asset`).execute(),
    found: await sorted.execute(),
  }));
  return found;
}

type Terms = Pick<
  Asset,
  'assetNum' | 'customerId' | 'licenseType' | 'limitStartDate' | 'limitEndDate' | 'borrowedUsbKey'
>;
type AssetRow = Terms & { id: AssetId; codeCount: number; storedCodes: string[] };

/**
 * The active assets with these numbers, in the order of the numbers, one lookup each. With a list, a plan might scan
 * all active assets, because PostgreSQL without statistics expects few. Extended attributes stay in the database, as
 * they may take a hundred kilobytes per asset; if orders set some, it returns how many exist and which of these codes.
 */
const assetRows = (assetNums: string[], codes: string[], areLocked: boolean): Statement<AssetRow> => ({
  // A separate statement without codes: PostgreSQL would plan a statement with a parameter that is mostly null anew
  // each time.
  name: `${areLocked ? 'lock' : 'read'}_assets${codes.length === 0 ? '' : '_with_codes'}`,
  text: `
    select id, asset_num as "assetNum", customer_id as "customerId", license_type as "licenseType",
      limit_start_date::float8 as "limitStartDate", limit_end_date::float8 as "limitEndDate",
      borrowed_usb_key as "borrowedUsbKey",
      ${codes.length === 0 ? NO_CODE_COLUMNS : CODE_COLUMNS}
    from (select num from unnest((select $1::text[])) as num order by num) as wanted
    cross join lateral (
      select id, asset_num, customer_id, license_type, limit_start_date, limit_end_date, borrowed_usb_key, extends
      from asset where asset_num = num and revoked_time is null limit 1 ${areLocked ? 'for update' : ''}
    ) as found`,
  values: [textArray(assetNums), ...(codes.length === 0 ? [] : [jsonKeys(codes)])],
});

const NO_CODE_COLUMNS = `0 as "codeCount", '{}'::text[] as "storedCodes"`;
const CODE_COLUMNS = `
  (select count(*)::int from jsonb_object_keys(extends)) as "codeCount",
  array(select code from jsonb_object_keys(extends) as code where $2::jsonb ? code) as "storedCodes"`;

/** A purchase with its customer, or an active asset. */
type FoundRow = PurchaseRow | { id: AssetId; customer_id: null };

interface PurchaseRow {
  id: LicenseOrderId;
  customer_id: CustomerId;
}

/** The purchases among these orders, and the active assets with these numbers, in one statement: at one moment. */
const foundRows = (assetNums: string[], orderIds: LicenseOrderId[]): Statement<FoundRow> => ({
  name: 'read_found',
  text: `
    select id, customer_id from license_order
    where id = any ((select $1::bigint[])::bigint[]) and order_type = 'new_buy' and cause is null
    union all
    select found.id, null from unnest((select $2::text[])) as num
    cross join lateral (select id from asset where asset_num = num and revoked_time is null limit 1) as found`,
  values: [bigintArray(orderIds), textArray(assetNums)],
});

const NO_CODES: ReadonlySet<string> = new Set();

function buildAsset(row: AssetRow): Asset {
  return {
    ...row,
    extends: {},
    storedCodes: row.storedCodes.length === 0 ? NO_CODES : new Set(row.storedCodes),
    active: null,
    grants: [],
    areGrantsLoaded: false,
    products: [],
    revokedBy: null,
  };
}
