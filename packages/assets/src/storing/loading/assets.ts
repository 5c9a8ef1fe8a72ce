import type { AssetId, CustomerId, LicenseOrderId, LicenseType } from '@lockstep/contract';
import { arrayText, parseBigint, type Statement } from '@lockstep/platform';
import type { Asset } from '../../ledger/ledger.ts';

export interface AssetRow {
  id: AssetId;
  asset_num: string;
  customer_id: CustomerId;
  license_type: LicenseType;
  limit_start_date: string | null;
  limit_end_date: string | null;
  borrowed_usb_key: boolean;
  code_count: number;
  stored_codes: string[];
}

/**
 * The active assets with these numbers, in the order of the numbers, one lookup each. With a list, a plan might scan
 * all active assets, because PostgreSQL without statistics expects few. Extended attributes stay in the database, as
 * they may take a hundred kilobytes per asset; if orders set some, it returns how many exist and which of these codes.
 */
export const assetRows = (assetNums: string[], codes: string[], areLocked: boolean): Statement<AssetRow> => ({
  // A separate statement without codes: PostgreSQL would plan a statement with a parameter that is mostly null anew
  // each time.
  name: `${areLocked ? 'lock' : 'read'}_assets${codes.length === 0 ? '' : '_with_codes'}`,
  text: `
    select id, asset_num, customer_id, license_type, limit_start_date, limit_end_date, borrowed_usb_key,
      ${codes.length === 0 ? NO_CODE_COLUMNS : CODE_COLUMNS}
    from (select num from unnest((select $1::text[])) as num order by num) as wanted
    cross join lateral (
      select id, asset_num, customer_id, license_type, limit_start_date, limit_end_date, borrowed_usb_key, extends
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

/** A purchase with its customer, or an active asset. */
export type FoundRow = PurchaseRow | { id: AssetId; customer_id: null };

export interface PurchaseRow {
  id: LicenseOrderId;
  customer_id: CustomerId;
}

/** The purchases among these orders, and the active assets with these numbers, in one statement: at one moment. */
export const foundRows = (assetNums: string[], orderIds: LicenseOrderId[]): Statement<FoundRow> => ({
  name: 'read_found',
  text: `
    select id, customer_id from license_order
    where id = any ((select $1::bigint[])::bigint[]) and order_type = 'new_buy' and cause is null
    union all
    select found.id, null from unnest((select $2::text[])) as num
    cross join lateral (select id from asset where asset_num = num and revoked_time is null limit 1) as found`,
  values: [arrayText('bigint', orderIds), arrayText('text', assetNums)],
});

/** How much is active on the asset with a place in a list. */
export interface ActiveRow {
  place: number;
  grants: number;
  contents: number;
}

/** The numbers of active grants, and of products and merchandise, by place. It reads at most a number of them. */
export const activeRows = (assets: readonly Asset[], atMost: number): Statement<ActiveRow> => ({
  name: 'count_active',
  text: `
    select place::int, sum(granted)::int as grants, sum(1 - granted)::int as contents
    from (
      select place, granted
      from unnest((select $1::bigint[])) with ordinality as wanted (asset_id, place)
      cross join lateral (
        ${activeIn('asset_grant', 1)}
        union all
        ${activeIn('product_instance', 0)}
        union all
        ${activeIn('merchandise_instance', 0)}
        offset 0
      ) as active
      order by place limit $2
    ) as read
    group by place order by 1`,
  values: [
    arrayText(
      'bigint',
      assets.map(({ id }) => id),
    ),
    atMost,
  ],
});

const activeIn = (table: string, granted: number) =>
  `select ${granted} as granted from ${table} as held where held.asset_id = wanted.asset_id and held.revoked_time is null`;

/**
 * Gives assets the numbers that were read, up to `last`, where reading stopped. That of the last one may be too low.
 */
export function addActive(assets: readonly Asset[], rows: readonly ActiveRow[], last: number): void {
  const byPlace = new Map(rows.map((row) => [row.place, row]));
  for (const [index, asset] of assets.entries()) {
    const { grants = 0, contents = 0 } = byPlace.get(index + 1) ?? {};
    asset.active = index < last ? { grants, contents } : null;
  }
}

const NO_CODES: ReadonlySet<string> = new Set();

export function buildAsset(row: AssetRow): Asset {
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
    active: null,
    grants: [],
    areGrantsLoaded: false,
    products: [],
    revokedBy: null,
  };
}
