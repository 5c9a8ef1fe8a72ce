import type { CustomerId, EnterpriseId, Viewer } from '@lockstep/contract';
import type { AssetRow, ConsoleData, ConsoleRequest } from '@lockstep/contract/console';
import { customersOf, ownerOf } from '@lockstep/customers';
import { type Database, inMs, isId, ListCursor, readWalk } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import { assetsOf } from '../tenant.ts';

/** The columns of `asset` that a list shows, with its owner, and whether it is assigned and lent. */
export const assetColumns = (viewer: Viewer) => sql`asset.id as "assetId", asset_num as "assetNum",
  license_type as "licenseType", ${ownerOf(viewer, 'asset.customer_id')} as owner,
  limit_start_date::float8 as "limitStartDate", limit_end_date::float8 as "limitEndDate", locked,
  borrowed_usb_key as "borrowedUsbKey", ${inMs('asset.created_time')} as "createdTime",
  ${inMs('revoked_time')} as "revokedTime",
  exists (select from asset_assignment where asset_assignment.asset_id = asset.id) as assigned,
  exists (select from asset_lending where asset_lending.asset_id = asset.id) as lent`;

/** The asset after which a page begins, and its owner at that time. */
interface Place {
  customerId: string;
  assetId: string;
}

type Filters = Omit<ConsoleRequest<'listAssets'>['query'], 'limit' | 'cursor'>;

/**
 * Lists assets: by number if a number is given, otherwise by customer and newest first. It walks one index. Revoked
 * assets are found only by number. Throws a WrongCursor.
 */
export async function listAssets(
  db: Database,
  viewer: Viewer,
  { limit, cursor, ...filters }: ConsoleRequest<'listAssets'>['query'],
): Promise<ConsoleData<'listAssets'>> {
  const { assetNum, customerId, enterpriseGlobalId: enterpriseId } = filters;
  const cursors = new ListCursor(['assets', viewer.applicationId, filters], cursor, [isId, isId]);
  if (![customerId, enterpriseId].every((id) => id === undefined || isId(id))) return { assets: [], nextCursor: null };
  const [ownerId, assetId] = cursors.after ?? [];
  const after = cursors.after && { customerId: ownerId!, assetId: assetId! };
  const { walk, wanted = null } =
    assetNum !== undefined
      ? walkByNumber(viewer, filters, assetNum, after)
      : { walk: walkByCustomer(viewer, { customerId, enterpriseId }, after, limit) };
  const columns = sql`${assetColumns(viewer)}, asset.customer_id as "customerId"`;
  const { page, last } = await readWalk<AssetRow & { customerId: CustomerId }>(db, {
    walk,
    wanted,
    as: 'asset',
    columns,
    limit,
  });
  return {
    assets: page.map(({ customerId: _, ...asset }) => asset),
    nextCursor: cursors.write(last ? [last.customerId, last.assetId] : null),
  };
}

/** By number; earlier assets of a number oldest first. */
function walkByNumber(viewer: Viewer, filters: Filters, prefix: string, after: Place | null) {
  const { state, customerId, enterpriseGlobalId: enterpriseId } = filters;
  const assets = assetsOf(viewer);
  const isOf = state === 'active' ? sql`revoked_time is null` : sql`revoked_time is not null`;
  const order = state === 'active' ? sql`asset_num` : sql`asset_num, revoked_time, id`;
  const behind =
    after === null
      ? sql`asset_num >= ${prefix}`
      : sql`(${order}) > (select ${order} from ${assets} as before where id = ${after.assetId})`;
  const end = endAbove(prefix);
  const until = end === null ? sql`` : sql`and asset_num < ${end}`;
  const ofCustomer = customerId === undefined ? sql`` : sql`and asset.customer_id = ${customerId}`;
  const ofEnterprise =
    enterpriseId === undefined
      ? sql``
      : sql`and exists (
          select from ${customersOf(viewer)} as customer
          where customer.id = asset.customer_id and customer.enterprise_id = ${enterpriseId}
        )`;
  return {
    walk: sql`select * from ${assets} as asset where ${isOf} and ${behind} ${until} order by ${order}`,
    wanted: sql`starts_with(asset_num, ${prefix}) ${ofCustomer} ${ofEnterprise}`,
  };
}

/**
 * Newest first, or by customer and newest first for each. A page by customer reads the times of all assets of the
 * customers it shows; an index in this order would make every purchase more expensive.
 */
function walkByCustomer(
  viewer: Viewer,
  { customerId, enterpriseId }: { customerId: CustomerId | undefined; enterpriseId: EnterpriseId | undefined },
  after: Place | null,
  limit: number,
): RawBuilder<unknown> {
  const assets = assetsOf(viewer);
  // Newer assets may have lower ids, because processes draw ids in blocks.
  const isOlder = sql`(asset.created_time, asset.id) < (
    select created_time, id from ${assets} as before where id = ${after?.assetId}
  )`;
  if (customerId === undefined && enterpriseId === undefined) {
    const behind = after === null ? sql`` : sql`and ${isOlder}`;
    return sql`
      select * from ${assets} as asset where revoked_time is null ${behind} order by created_time desc, id desc`;
  }
  const wanted = [
    customerId === undefined ? sql`true` : sql`customer.id = ${customerId}`,
    enterpriseId === undefined ? sql`true` : sql`customer.enterprise_id = ${enterpriseId}`,
    after === null ? sql`true` : sql`customer.id >= ${after.customerId}`,
  ];
  const behind = after === null ? sql`` : sql`and (customer.id <> ${after.customerId}::bigint or ${isOlder})`;
  // The innermost query is planned alone: to get the order for free, a plan might read all assets of all customers.
  return sql`
    select asset.* from (
      select id from ${customersOf(viewer)} as customer where ${sql.join(wanted, sql` and `)} order by id
    ) as customer cross join lateral (
      select created_time, id from (
        select created_time, id from ${assets} as asset
        where customer_id = customer.id and revoked_time is null ${behind} offset 0
      ) as own order by created_time desc, id desc limit ${limit + 1}
    ) as newest cross join lateral (select * from ${assets} as asset where asset.id = newest.id) as asset
    order by customer.id, newest.created_time desc, newest.id desc`;
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
