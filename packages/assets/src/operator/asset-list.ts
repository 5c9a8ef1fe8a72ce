import type { AssetId, CustomerId, EnterpriseId, LicenseType } from '@lockstep/contract';
import { type Database, isId, parseBigint } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';

/** The most assets that one call scans, however few match. */
const MAX_LOOKED_AT = 2_000;

/** The filters of a list. Revoked assets are found only by number. */
interface AssetFilters {
  /** A prefix of the number. */
  assetNum: string | undefined;
  customerId: CustomerId | undefined;
  enterpriseId: EnterpriseId | undefined;
  state: 'active' | 'revoked';
}

/** The asset after which a page begins. */
export interface AssetPlace {
  /** Its owner at that time. */
  customerId: CustomerId;
  assetId: AssetId;
}

/** An asset in a list, and the ids of its owner and employee. */
export interface ListedAsset {
  assetId: AssetId;
  assetNum: string;
  licenseType: LicenseType;
  customerId: CustomerId;
  limitStartDate: number | null;
  limitEndDate: number | null;
  locked: boolean;
  borrowedUsbKey: boolean;
  assigned: boolean;
  lent: boolean;
  createdTime: number;
  revokedTime: number | null;
}

/** The columns of `asset` that a list shows, and whether the asset is assigned. */
const LISTED_COLUMNS = sql`asset.id, asset_num, asset.customer_id, license_type, limit_start_date,
  limit_end_date, borrowed_usb_key, locked, asset.created_time, revoked_time,
  exists (select from asset_assignment where asset_assignment.asset_id = asset.id) as assigned,
  exists (select from asset_lending where asset_lending.asset_id = asset.id) as lent`;

/** A row with LISTED_COLUMNS. */
interface ListedRow {
  id: AssetId;
  asset_num: string;
  customer_id: CustomerId;
  license_type: LicenseType;
  limit_start_date: string | null;
  limit_end_date: string | null;
  borrowed_usb_key: boolean;
  locked: boolean;
  created_time: Date;
  revoked_time: Date | null;
  assigned: boolean;
  lent: boolean;
}

function buildListed(row: ListedRow): ListedAsset {
  return {
    assetId: row.id,
    assetNum: row.asset_num,
    licenseType: row.license_type,
    customerId: row.customer_id,
    limitStartDate: parseBigint(row.limit_start_date),
    limitEndDate: parseBigint(row.limit_end_date),
    locked: row.locked,
    borrowedUsbKey: row.borrowed_usb_key,
    assigned: row.assigned,
    lent: row.lent,
    createdTime: row.created_time.getTime(),
    revokedTime: row.revoked_time?.getTime() ?? null,
  };
}

/**
 * Lists assets of all channels: by number if a number is given, otherwise by customer and newest first. It walks one
 * index, scans at most MAX_LOOKED_AT assets, and returns where the next page begins; null at the end.
 */
export async function listAssetsOfAll(
  db: Database,
  filters: AssetFilters,
  { after, limit }: { after: AssetPlace | null; limit: number },
): Promise<{ assets: ListedAsset[]; stop: AssetPlace | null }> {
  const { customerId, enterpriseId } = filters;
  if (![customerId, enterpriseId].every((id) => id === undefined || isId(id))) return { assets: [], stop: null };
  const { walk, wanted } = planWalk(filters, after, limit);
  const maxLookedAt = wanted === null ? limit + 1 : MAX_LOOKED_AT;
  const statement = sql<ListedRow & { is_wanted: boolean }>`
    with walked as (
      select row_number() over () as place, found.* from (${walk} limit ${maxLookedAt}) as found
    )
    select ${LISTED_COLUMNS}, is_wanted from (
      (select *, true as is_wanted from walked as asset where ${wanted ?? sql`true`} order by place limit ${limit + 1})
      union all
      (select *, false from walked where place = ${maxLookedAt})
    ) as asset order by is_wanted desc, place`;
  const { rows } = await statement.execute(db);
  const found = rows.filter((row) => row.is_wanted);
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : rows.find((row) => !row.is_wanted);
  return {
    assets: page.map(buildListed),
    stop: last === undefined ? null : { customerId: last.customer_id, assetId: last.id },
  };
}

/** How to walk a list: rows of `asset` in order, and which of them match; null for all. */
interface Walk {
  walk: RawBuilder<unknown>;
  wanted: RawBuilder<unknown> | null;
}

function planWalk(filters: AssetFilters, after: AssetPlace | null, limit: number): Walk {
  const { assetNum, customerId, enterpriseId } = filters;
  if (assetNum !== undefined) return planByNumber(filters, assetNum, after);
  if (customerId !== undefined || enterpriseId !== undefined) return planByCustomer(filters, after, limit);
  const behind = after === null ? sql`` : sql`and ${isOlderThan(after)}`;
  return {
    walk: sql`select * from asset where revoked_time is null ${behind} order by created_time desc, id desc`,
    wanted: null,
  };
}

/** Newer assets may have lower ids, because processes draw ids in blocks. */
const isOlderThan = ({ assetId }: AssetPlace) =>
  sql`(asset.created_time, asset.id) < (select created_time, id from asset where id = ${assetId})`;

/** By number; earlier assets of a number oldest first. */
function planByNumber(filters: AssetFilters, prefix: string, after: AssetPlace | null): Walk {
  const { state, customerId, enterpriseId } = filters;
  const isOf = state === 'active' ? sql`revoked_time is null` : sql`revoked_time is not null`;
  const order = state === 'active' ? sql`asset_num` : sql`asset_num, revoked_time, id`;
  const behind =
    after === null
      ? sql`asset_num >= ${prefix}`
      : sql`(${order}) > (select ${order} from asset where id = ${after.assetId})`;
  const end = endAbove(prefix);
  const until = end === null ? sql`` : sql`and asset_num < ${end}`;
  const ofCustomer = customerId === undefined ? sql`` : sql`and asset.customer_id = ${customerId}`;
  const ofEnterprise =
    enterpriseId === undefined
      ? sql``
      : sql`and exists (
          select from customer where customer.id = asset.customer_id and customer.enterprise_id = ${enterpriseId}
        )`;
  return {
    walk: sql`select * from asset where ${isOf} and ${behind} ${until} order by ${order}`,
    wanted: sql`starts_with(asset_num, ${prefix}) ${ofCustomer} ${ofEnterprise}`,
  };
}

/**
 * By customer, newest first for each. A page reads the times of all assets of the customers it shows; an index in this
 * order would make every purchase more expensive.
 */
function planByCustomer({ customerId, enterpriseId }: AssetFilters, after: AssetPlace | null, limit: number): Walk {
  const wanted = [
    customerId === undefined ? sql`true` : sql`customer.id = ${customerId}`,
    enterpriseId === undefined ? sql`true` : sql`customer.enterprise_id = ${enterpriseId}`,
    after === null ? sql`true` : sql`customer.id >= ${after.customerId}`,
  ];
  const behind =
    after === null ? sql`` : sql`and (customer.id <> ${after.customerId}::bigint or ${isOlderThan(after)})`;
  // The innermost query is planned alone: to get the order for free, a plan might read all assets of all customers.
  return {
    walk: sql`
      select asset.* from (
        select id from customer where ${sql.join(wanted, sql` and `)} order by id
      ) as customer cross join lateral (
        select created_time, id from (
          select created_time, id from asset where customer_id = customer.id and revoked_time is null ${behind} offset 0
        ) as own order by created_time desc, id desc limit ${limit + 1}
      ) as newest cross join lateral (select * from asset where asset.id = newest.id) as asset
      order by customer.id, newest.created_time desc, newest.id desc`,
    wanted: null,
  };
}

const LAST_CHARACTERS = '9zZ';

/**
 * Returns a string that sorts after all strings with a prefix, in any collation; null if there is none. Letters and
 * digits sort alike everywhere, other characters do not, so the bound omits those at the end of the prefix.
 */
function endAbove(prefix: string): string | null {
  for (let length = prefix.length; length > 0; length--) {
    const last = prefix[length - 1]!;
    if (!/[0-9A-Za-z]/.test(last) || LAST_CHARACTERS.includes(last)) continue;
    return prefix.slice(0, length - 1) + String.fromCharCode(last.charCodeAt(0) + 1);
  }
  return null;
}
