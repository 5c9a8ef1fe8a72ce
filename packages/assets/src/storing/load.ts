import type { AssetId, CustomerId, EnterpriseId, LicenseOrderId, LicenseType } from '@lockstep/contract';
import { arrayText, isId, parseBigint, run, type Statement, type Trx, together } from '@lockstep/platform';
import { type Asset, emptyChanges, type Ledger, type LedgerCustomer } from '../ledger/ledger.ts';
import { lockAll } from './lock-all.ts';

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
  const assetNums = [...needs.assetNums];
  const { locked, purchases, customers } = await lockAll(async () => {
    const [locked, rows, customers] = await together<[AssetRow, FoundRow, CustomerRow]>(trx, [
      readingAssets(assetNums, [...needs.codes], areLocked),
      readingFound(assetNums, ids(needs.purchaseIds)),
      readingCustomers(ids(needs.customerIds)),
    ]);
    const purchases = rows.filter((row): row is PurchaseRow => row.customer_id !== null);
    return { locked, found: rows.filter((row) => row.customer_id === null), purchases, customers };
  });
  const assets = new Map(locked.map((row) => [row.asset_num, buildAsset(row)]));
  const ownerIds = [...locked, ...purchases].map((row) => row.customer_id);
  const owners = needs.owners ? await run(trx, readingCustomers([...new Set(ownerIds)])) : [];
  return {
    customers: new Map([...customers, ...owners].map((row) => [row.id, buildCustomer(row)])),
    customerOfPurchase: new Map(purchases.map((row) => [row.id, row.customer_id])),
    assets,
    loadedOnto: new Set(),
    merchandises: new Map(),
    changes: emptyChanges(),
  };
}

interface CustomerRow {
  id: CustomerId;
  enterprise_id: EnterpriseId;
  channel_code: string;
}

function buildCustomer(row: CustomerRow): LedgerCustomer {
  return { enterpriseId: row.enterprise_id, channelCode: row.channel_code };
}

const readingCustomers = (customerIds: CustomerId[]): Statement<CustomerRow> => ({
  name: 'read_customers',
  text: 'select id, enterprise_id, channel_code from customer where id = any ((select $1::bigint[])::bigint[])',
  values: [arrayText('bigint', customerIds)],
});

/** A purchase with its customer, or an active asset. */
type FoundRow = PurchaseRow | { id: AssetId; customer_id: null };

interface PurchaseRow {
  id: LicenseOrderId;
  customer_id: CustomerId;
}

/** Reads which orders are purchases, and which numbers belong to active assets, in one statement: at one moment. */
const readingFound = (assetNums: string[], orderIds: LicenseOrderId[]): Statement<FoundRow> => ({
  name: 'read_found',
  text: `
    select id, customer_id from license_order
    where id = any ((select $1::bigint[])::bigint[]) and order_type = 'new_buy' and cause is null
    union all
    select found.id, null from unnest((select $2::text[])) as num
    cross join lateral (select id from asset where asset_num = num and revoked_time is null limit 1) as found`,
  values: [arrayText('bigint', orderIds), arrayText('text', assetNums)],
});

interface AssetRow {
  id: AssetId;
  asset_num: string;
  customer_id: CustomerId;
  license_type: LicenseType;
  limit_start_date: string | null;
  limit_end_date: string | null;
  borrowed_usb_key: boolean;
  code_count: number;
  stored_codes: string[];
  active_grants: number;
  active_products: number;
  active_merchandises: number;
}

/**
 * Reads active assets in the order of their numbers, one lookup each. With a list, a plan might scan all active assets,
 * because PostgreSQL without statistics expects few. Extended attributes stay in the database, as they may take a
 * hundred kilobytes per asset; if orders set some, it returns how many exist and which of these codes.
 */
const readingAssets = (assetNums: string[], codes: string[], areLocked: boolean): Statement<AssetRow> => ({
  // A separate statement without codes: PostgreSQL would plan a statement with a parameter that is mostly null anew
  // each time.
  name: `${areLocked ? 'lock' : 'read'}_assets${codes.length === 0 ? '' : '_with_codes'}`,
  text: `
    select id, asset_num, customer_id, license_type, limit_start_date, limit_end_date, borrowed_usb_key,
      active_grants, active_products, active_merchandises, ${codes.length === 0 ? NO_CODE_COLUMNS : CODE_COLUMNS}
    from (select num from unnest((select $1::text[])) as num order by num) as wanted
    cross join lateral (
      select id, asset_num, customer_id, license_type, limit_start_date, limit_end_date, borrowed_usb_key, extends,
        active_grants, active_products, active_merchandises
      from asset where asset_num = num and revoked_time is null limit 1 ${areLocked ? 'for update' : ''}
    ) as found`,
  values: [arrayText('text', assetNums), ...(codes.length === 0 ? [] : [asKeys(codes)])],
});

const NO_CODE_COLUMNS = `0 as code_count, '{}'::text[] as stored_codes`;
const CODE_COLUMNS = `
  (select count(*)::int from jsonb_object_keys(extends)) as code_count,
  array(select code from jsonb_object_keys(extends) as code where $2::jsonb ? code) as stored_codes`;

/** Returns a JSON object with these keys: PostgreSQL finds a key in an object faster than in a list. */
const asKeys = (keys: string[]) => JSON.stringify(Object.fromEntries(keys.map((key) => [key, 0])));

const NO_CODES: ReadonlySet<string> = new Set();

function buildAsset(row: AssetRow): Asset {
  return {
    id: row.id,
    assetNum: row.asset_num,
    customerId: row.customer_id,
    licenseType: row.license_type,
    limitStartDate: parseBigint(row.limit_start_date),
    limitEndDate: parseBigint(row.limit_end_date),
    borrowedUsbKey: row.borrowed_usb_key,
    extends: {},
    storedCodes: row.stored_codes.length === 0 ? NO_CODES : new Set(row.stored_codes),
    codeCount: row.code_count,
    active: { grants: row.active_grants, products: row.active_products, merchandises: row.active_merchandises },
    grants: [],
    areGrantsLoaded: false,
    products: [],
    revokedBy: null,
  };
}
