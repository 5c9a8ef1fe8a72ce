import type { AssetListQuery, AssetPage, ListedAsset, Viewer } from '@lockstep/contract';
import type { ConsoleData, Owner } from '@lockstep/contract/console';
import { customersOf, enterprisesOf, newestCustomers, ownerOf } from '@lockstep/customers';
import {
  type CursorPart,
  type Database,
  inMs,
  inSnapshot,
  isId,
  ListCursor,
  MAX_SCANNED,
  readWalkIn,
  type Trx,
} from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import type { VerdictFacts } from '../ledger/verdict.ts';
import { ALL_ASSETS } from '../tenant.ts';
import { ofTerms } from '../terms.ts';
import { showFacts } from './show-assets.ts';
import { ASSET_VALIDITY, HAS_REASON, NOW_MS, validityIn, verdictFacts } from './verdict-facts.ts';

/** How many assets one page shows with counts or products, and how many products, beyond the first asset with some. */
const MAX_COUNTED = 100;
const MAX_PRODUCTS = 4_000;

type Filters = ReturnType<typeof pickFilters>;

/** Picks what a cursor belongs to. A query has more, such as its nonce. */
function pickFilters({ assetNum, channelCode, customerId, enterpriseGlobalId, ...query }: AssetListQuery) {
  const { licenseType, productUri, validity, reason, expiresFrom, expiresTo, updatedFrom, assigned, locked } = query;
  const dates = { validity, reason, expiresFrom, expiresTo, updatedFrom };
  const { state, include } = query;
  const owner = { channelCode, customerId, enterpriseGlobalId };
  return { assetNum, ...owner, licenseType, productUri, ...dates, assigned, locked, state, include };
}

/** A way through the assets that needs a bounded number of rows for each page, by an index. */
interface AssetWalk {
  /** The parts of a position, and their columns. */
  parts: readonly CursorPart[];
  place: readonly RawBuilder<unknown>[];
  /** Selects assets in order, from a position. */
  from: (after: readonly string[] | null) => RawBuilder<unknown>;
  /** A further condition on its rows. */
  wanted?: RawBuilder<unknown>;
}

type Row = Omit<
  ListedAsset,
  keyof Owner | keyof ReturnType<typeof showFacts> | 'memberGlobalId' | 'lent' | 'products'
> & {
  owner: Owner;
  facts: VerdictFacts;
  position: string[];
};

/** Lists the assets that a viewer can see (rules 6.7). Throws a WrongCursor. */
export function listAssets(db: Database, viewer: Viewer, query: AssetListQuery): Promise<AssetPage> {
  const { limit, cursor } = query;
  const filters = pickFilters(query);
  const walk = chooseWalk(viewer, filters);
  const cursors = new ListCursor(['assets', viewer.applicationId, filters], cursor, walk.parts);
  const { customerId, enterpriseGlobalId, include } = filters;
  return inSnapshot(db, async (trx) => {
    if (![customerId, enterpriseGlobalId].every((id) => id === undefined || isId(id)))
      return { assets: [], nextCursor: null };
    const { page, last } = await readWalkIn<Row>(trx, {
      walk: walk.from(cursors.after),
      wanted: sql.join([...(walk.wanted ? [walk.wanted] : []), ...listConditions(viewer, filters)], sql` and `),
      as: 'asset',
      columns: sql`${columnsOf(viewer, include)}, array[${sql.join(walk.place)}]::text[] as position`,
      limit: include === undefined ? limit : Math.min(limit, MAX_COUNTED),
    });
    const shown = include === 'products' ? page.slice(0, countShown(page)) : page;
    const products = include === 'products' ? await readProducts(trx, shown) : undefined;
    const end = shown.length < page.length ? shown.at(-1) : last;
    return {
      assets: shown.map(({ owner, facts, position: _, ...asset }) => ({
        ...asset,
        ...showFacts(facts),
        memberGlobalId: facts.holderId,
        lent: facts.lent !== null,
        ...owner,
        ...(products && { products: products.get(asset.assetId) ?? [] }),
      })),
      nextCursor: cursors.write(end ? end.position : null),
    };
  });
}

/** Returns how many assets of a page to show with their products. */
function countShown(page: readonly Row[]): number {
  let products = 0;
  for (const [index, { productCount = 0 }] of page.entries()) {
    products += productCount;
    if (products > MAX_PRODUCTS) return Math.max(index, 1);
  }
  return page.length;
}

const MS_PER_DAY = sql.lit(86_400_000);

/** SQL: the active products on `asset`; with a URI, those of this product. */
const productsOn = (uri?: string) => sql`
  from product_instance as product where product.asset_id = asset.id and product.revoked_time is null
    ${uri === undefined ? sql`` : sql`and uri_hash = hash_uri(${uri}) and ${sql.raw(ofTerms('product_uri'))} = ${uri}`}`;

/** SQL: the ends (`at`) of `asset` and of the active products on it; with a URI, those of this product. */
const endsOf = (uri?: string) => sql`(
  ${uri === undefined ? sql`select asset.limit_end_date as at union all` : sql``}
  select least(limit_end_date, asset.limit_end_date) as at ${productsOn(uri)}
) as ended`;

function columnsOf(viewer: Viewer, include: Filters['include']): RawBuilder<unknown> {
  const counts = sql`, (select count(*)::int ${productsOn()}) as "productCount",
    (
      select count(*)::int from merchandise_instance as m where m.asset_id = asset.id and m.revoked_time is null
    ) as "merchandiseCount"`;
  return sql`asset.id as "assetId", asset_num as "assetNum", license_type as "licenseType",
    ${ownerOf(viewer, 'asset.customer_id')} as owner, limit_start_date::float8 as "limitStartDate",
    limit_end_date::float8 as "limitEndDate",
    (select min(at)::float8 from ${endsOf()} where at >= ${NOW_MS}) as "nextEndDate",
    ${verdictFacts(viewer)} as facts, locked, freezing, borrowed_usb_key as "borrowedUsbKey",
    ${inMs('asset.created_time')} as "createdTime", ${inMs('asset.updated_time')} as "updatedTime",
    ${inMs('revoked_time')} as "revokedTime", revoked_by_order_id as "revokedByOrderId"
    ${include === undefined ? sql`` : counts}`;
}

/** Reads the active products on assets, by asset. */
async function readProducts(trx: Trx, assets: readonly Row[]) {
  const ids = assets.map(({ assetId }) => assetId);
  const { rows } = await sql<NonNullable<ListedAsset['products']>[number] & Pick<ListedAsset, 'assetId'>>`
    select asset.id as "assetId", product.* from ${ALL_ASSETS} as asset cross join lateral (
      select product.id, ${sql.raw(ofTerms('product_uri'))} as "productUri",
        ${sql.raw(ofTerms('product_name'))} as "productName",
        coalesce(held_by_order_id, license_order_id) as "licenseOrderId", limit_concurrent as "limitConcurrent",
        product.limit_start_date::float8 as "limitStartDate", product.limit_end_date::float8 as "limitEndDate",
        ${validityIn(
          sql`greatest(product.limit_start_date, asset.limit_start_date)`,
          sql`least(product.limit_end_date, asset.limit_end_date)`,
        )} as validity
      ${productsOn()} order by license_order_id, id
    ) as product
    where asset.id = any (${ids}::bigint[])`.execute(trx);
  const byAsset = Map.groupBy(rows, ({ assetId }) => assetId);
  return new Map([...byAsset].map(([id, all]) => [id, all.map(({ assetId: _, ...product }) => product)]));
}

/** Returns the conditions of a list on an asset, whichever way it walks. */
function listConditions(viewer: Viewer, filters: Filters): RawBuilder<unknown>[] {
  const { assetNum, channelCode, customerId, enterpriseGlobalId, licenseType, productUri } = filters;
  const { validity, assigned, locked, reason, expiresFrom, expiresTo, updatedFrom, state } = filters;
  const owner = [
    ...(channelCode === undefined ? [] : [sql`customer.channel_code = ${channelCode}`]),
    ...(enterpriseGlobalId === undefined ? [] : [sql`customer.enterprise_id = ${enterpriseGlobalId}`]),
  ];
  const isOwned = sql`exists (
    select from ${customersOf(viewer)} as customer
    where ${sql.join([sql`customer.id = asset.customer_id`, ...owner], sql` and `)}
  )`;
  const isAssigned = sql`exists (select from asset_assignment as held where held.asset_id = asset.id)`;
  const given: [unknown, RawBuilder<unknown> | undefined][] = [
    [owner[0] ?? viewer.channels, isOwned],
    [assetNum, sql`starts_with(asset_num, ${assetNum})`],
    [customerId, sql`asset.customer_id = ${customerId}`],
    [licenseType, sql`license_type = ${licenseType}`],
    [validity, sql`${ASSET_VALIDITY} = ${validity}`],
    // A revoked asset has no other reason.
    [reason, reason && sql`${HAS_REASON[reason]} and (revoked_time is null or ${reason} = 'revoked')`],
    [assigned, sql`${isAssigned} = (${assigned}::text = 'true')`],
    [locked, sql`locked = (${locked}::text = 'true')`],
    [updatedFrom, sql`asset.updated_time >= to_timestamp(${updatedFrom}::float8 / 1000)`],
    [productUri, sql`exists (select ${productsOn(productUri)})`],
    [expiresFrom ?? expiresTo, sql`exists (select from ${endsOf(productUri)} where ${isIn(filters)})`],
  ];
  const states = { active: sql`revoked_time is null`, revoked: sql`revoked_time is not null`, all: sql`true` };
  return [
    states[state],
    ...given.flatMap(([value, condition]) => (value === undefined || value === null ? [] : [condition!])),
  ];
}

/** SQL: whether an end, `at`, is in the period that a list asks for. */
const isIn = ({ expiresFrom = 0, expiresTo }: Period, at = sql`at`) =>
  sql`${at} >= ${expiresFrom}::bigint ${expiresTo === undefined ? sql`` : sql`and ${at} <= ${expiresTo}::bigint`}`;

function chooseWalk(viewer: Viewer, filters: Filters): AssetWalk {
  const { assetNum, channelCode, customerId, enterpriseGlobalId, expiresFrom, expiresTo, updatedFrom, state } = filters;
  if (state === 'all') return byChange(updatedFrom ?? 0);
  if (assetNum !== undefined) return byNumber(filters, assetNum);
  if (customerId !== undefined || enterpriseGlobalId !== undefined) return byCustomer(viewer, filters);
  if (state === 'active' && (expiresFrom ?? expiresTo) !== undefined) return byEnd(filters);
  if (updatedFrom !== undefined) return byChange(updatedFrom);
  if (channelCode !== undefined || viewer.channels !== null) return byCustomer(viewer, filters);
  return state === 'active' ? newestFirst() : byChange(0);
}

const ID = [sql`asset.id`];

/** By number; revoked assets of a number oldest first. */
function byNumber({ state }: Filters, prefix: string): AssetWalk {
  const isOf = state === 'active' ? sql`revoked_time is null` : sql`revoked_time is not null`;
  const order = state === 'active' ? sql`asset_num` : sql`asset_num, revoked_time, id`;
  const end = endAbove(prefix);
  return {
    parts: [isId],
    place: ID,
    from: (after) => sql`
      select * from ${ALL_ASSETS} as asset where ${isOf}
        and ${after === null ? sql`asset_num >= ${prefix}` : sql`(${order}) > (select ${order} from ${ALL_ASSETS} as before where id = ${after[0]})`}
        ${end === null ? sql`` : sql`and asset_num < ${end}`}
      order by ${order}`,
  };
}

function newestFirst(): AssetWalk {
  return {
    parts: [isId],
    place: ID,
    from: (after) => sql`
      select * from ${ALL_ASSETS} as asset where revoked_time is null
        ${after === null ? sql`` : sql`and (created_time, id) < (select created_time, id from ${ALL_ASSETS} as before where id = ${after[0]})`}
      order by created_time desc, id desc`,
  };
}

/**
 * By customer, newest customer and asset first. A customer without assets is a row, too, so that a page examines a
 * bounded number of customers; its position has the asset id 0.
 */
function byCustomer(viewer: Viewer, { customerId, enterpriseGlobalId, channelCode, state }: Filters): AssetWalk {
  const [isOf, time] =
    state === 'active'
      ? [sql`revoked_time is null`, sql`created_time`]
      : [sql`revoked_time is not null`, sql`revoked_time`];
  return {
    parts: [isId, isId],
    place: [sql`asset.owner_id`, sql`coalesce(asset.id, 0)`],
    from: (after) => {
      const behind = after === null ? sql`true` : after[1] === '0' ? sql`id < ${after[0]}` : sql`id <= ${after[0]}`;
      const customers =
        customerId !== undefined
          ? sql`select * from ${customersOf(viewer)} as customer where id = ${customerId} and ${behind}`
          : enterpriseGlobalId !== undefined
            ? sql`
              select * from ${customersOf(viewer)} as customer where enterprise_id = ${enterpriseGlobalId} and ${behind}
              order by id desc`
            : newestCustomers(viewer, { channelCode, behind, limit: MAX_SCANNED });
      const isBehind =
        after === null
          ? sql`true`
          : sql`(
              owner.id <> ${after[0]} or (${time}, asset.id) < (
                select ${time}, before.id from ${ALL_ASSETS} as before where before.id = ${after[1]}
              )
            )`;
      return sql`
        select owner.id as owner_id, asset.* from (${customers}) as owner left join lateral (
          select * from ${ALL_ASSETS} as asset where asset.customer_id = owner.id and ${isOf} and ${isBehind}
          order by ${time} desc, asset.id desc
        ) as asset on true`;
    },
    wanted: sql`asset.id is not null`,
  };
}

/**
 * By the day on which the asset or a product on it ends, then by id; each asset at its first day. Each of two indexes
 * gives as many rows as a page examines.
 */
function byEnd(filters: Filters): AssetWalk {
  const { productUri } = filters;
  return {
    parts: [isId, isId],
    place: [sql`asset.day`, sql`asset.id`],
    from: (after) => sql`
      select ended.day, is_first, asset.* from (
        select day, asset_id, lag(asset_id) over (order by day, asset_id) is distinct from asset_id as is_first
        from (${firstEnds(filters, after, MAX_SCANNED)}) as found order by day, asset_id
      ) as ended cross join lateral (select * from ${ALL_ASSETS} as asset where asset.id = ended.asset_id offset 0) as asset`,
    wanted: sql`asset.is_first and asset.day = (
      select min(at) from ${endsOf(productUri)} where ${isIn(filters)}
    ) / ${MS_PER_DAY}`,
  };
}

type Expiring = ConsoleData<'getExpiring'>;
type Period = Pick<Filters, 'expiresFrom' | 'expiresTo'>;

/** SQL: the first days of a period, or behind a position, on which an active asset or product has its own end. */
function firstEnds({ expiresFrom = 0, expiresTo }: Period, after: readonly string[] | null, most: number) {
  const until = expiresTo === undefined ? sql`` : sql`and day <= ${expiresTo}::bigint / ${MS_PER_DAY}`;
  const [day, id] =
    after === null
      ? [sql`${expiresFrom}::bigint / ${MS_PER_DAY}`, sql`0`]
      : [sql`${after[0]}::integer`, sql`${after[1]}::bigint`];
  const ending = (table: RawBuilder<unknown>, assetId: RawBuilder<unknown>) => sql`(
    select * from (
      select (limit_end_date / ${MS_PER_DAY})::integer as day, ${assetId} as asset_id, limit_end_date as at
      from ${table} as ending where revoked_time is null and limit_end_date is not null
    ) as ending where (day, asset_id) > (${day}, ${id}) ${until} order by day, asset_id limit ${most}
  )`;
  return sql`
    ${ending(ALL_ASSETS, sql`id`)} union all ${ending(sql`product_instance`, sql`asset_id`)}
    order by day, asset_id limit ${most}`;
}

/** How many ends a count examines: the first ones. */
const MAX_ENDS = 10_000;
const MAX_ENTERPRISES = 20;

/**
 * Counts the assets that a list of this period has, among the first ends of all channels, and names the enterprises
 * with the most of them (rules 9 Expiring).
 */
export async function countExpiring(db: Database, viewer: Viewer, period: Required<Period>): Promise<Expiring> {
  const { rows } = await sql<Expiring & { ends: number }>`
    with found as materialized (${firstEnds(period, null, MAX_ENDS)}),
    owned as (
      select enterprise_id, count(distinct found.asset_id)::int as assets from found
      cross join lateral (
        select customer_id, least(found.at, limit_end_date) as at from ${ALL_ASSETS} as asset
        where id = found.asset_id and revoked_time is null offset 0
      ) as ended
      cross join lateral (
        select enterprise_id from ${customersOf(viewer)} as customer where id = ended.customer_id offset 0
      ) as owner
      where ${isIn(period, sql`ended.at`)} group by enterprise_id
    ),
    most as (select * from owned order by assets desc, enterprise_id desc limit ${MAX_ENTERPRISES})
    select (select count(*)::int from found) as ends,
      (select coalesce(sum(assets), 0)::int from owned) as assets, (select count(*)::int from owned) as "enterpriseCount",
      (
        select coalesce(json_agg(json_build_object(
          'enterpriseGlobalId', id::text, 'enterpriseName', name, 'assets', assets
        ) order by assets desc, id desc), '[]')
        from most join ${enterprisesOf(viewer)} as enterprise on enterprise.id = most.enterprise_id
      ) as enterprises`.execute(db);
  const { ends, ...expiring } = rows[0]!;
  return { ...expiring, firstEnds: ends < MAX_ENDS ? null : MAX_ENDS };
}

/**
 * By the last change from a time on, oldest first. One index has all assets by the time of their purchase, another the
 * changed ones by the time of that.
 */
function byChange(fromMs: number): AssetWalk {
  return {
    parts: [isId, isId],
    place: [sql`(extract(epoch from at) * 1000000)::bigint`, sql`asset.id`],
    from: (after) => {
      const [time, id] = after ?? [String(fromMs * 1000), '0'];
      const changed = (at: RawBuilder<unknown>, isCurrent: RawBuilder<unknown>, condition: RawBuilder<unknown>) => sql`(
        select id, ${at} as at, ${isCurrent} as is_current from ${ALL_ASSETS} as asset
        where ${condition}
          and (${at}, id) > (timestamptz 'epoch' + ${time}::bigint * interval '1 microsecond', ${id}::bigint)
        order by ${at}, id limit ${MAX_SCANNED}
      )`;
      return sql`
        select changed.at, is_current, asset.* from (
          ${changed(sql`created_time`, sql`updated_time <= created_time`, sql`revoked_time is null`)}
          union all
          ${changed(sql`updated_time`, sql`true`, sql`(updated_time > created_time or revoked_time is not null)`)}
          order by at, id limit ${MAX_SCANNED}
        ) as changed
        cross join lateral (select * from ${ALL_ASSETS} as asset where asset.id = changed.id offset 0) as asset`;
    },
    wanted: sql`is_current`,
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
