import { ofTerms } from '@lockstep/assets';
import { MAX_NAMED } from '@lockstep/contract';
import { type Database, inTransaction, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';

/** How many lead times take a step each second. */
const SEARCHES_AT_ONCE = 10;
/** How many assets or products a step reads at least. */
const READ_AT_ONCE = 250;
/** About how many messages the events of a step lead to if all webhooks hear of them, and the fewest events. */
const MESSAGES_AT_ONCE = 40;
const TOLD_AT_LEAST = 2;

/** The present day, since 1970-01-01 UTC. It begins some minutes late, when orders of the day before are committed. */
const TODAY = sql`(extract(epoch from statement_timestamp() - interval '5 minutes')::bigint / 86400)::integer`;

/** A lead time of -1 stands for licenses that ended on the day before. */
interface Search {
  leadDays: number;
  day: number;
  part: 'assets' | 'products' | 'telling';
  afterId: string;
}

/**
 * Takes a step in the search for licenses that end or have ended, for each lead time of applications (rules 6.8). It
 * makes one event for each customer and day. A step is one transaction of bounded size, which continues where the
 * last one of any process stopped. All times are the database's. At a step a second, a worker reads a million ends of a
 * day in little more than an hour. The more webhooks there are, the slower it tells, so that orders hardly notice.
 */
export async function searchExpiries(db: Database): Promise<void> {
  // After an outage of days, what has ended meanwhile is not told as expiring. A search that no application needs goes
  // on without reading, so that it tells no day again when one needs it again.
  const { rows } = await sql<{ lead_days: number }>`
    with wanted as (
      select distinct days from application, unnest(lead_days || -1) as days
      where status <> 'pending' and (channels is not null or hears_licenses)
    ), passed as (
      update expiry_search set part = 'assets', after_id = 0,
        day = case when lead_days in (select days from wanted) then ${TODAY} else ${TODAY} + lead_days end
      where (lead_days > 0 and day < ${TODAY})
        or (day < ${TODAY} + lead_days and lead_days not in (select days from wanted))
      returning lead_days
    ), forgotten as (
      delete from found_expiry where lead_days in (select lead_days from passed)
    ), begun as (
      insert into expiry_search (lead_days, day) select days, ${TODAY} + days from wanted
      where days not in (select lead_days from expiry_search) on conflict do nothing
    )
    select lead_days from expiry_search
    where day <= ${TODAY} + lead_days and lead_days in (select days from wanted)
    order by random() limit ${SEARCHES_AT_ONCE}`.execute(db);
  let failure: unknown;
  for (const { lead_days: leadDays } of rows) {
    // One that fails does not stop the others.
    await inTransaction(db, (trx) => step(trx, leadDays)).catch((error: unknown) => {
      failure = error;
    });
  }
  if (failure !== undefined) throw failure;
}

async function step(trx: Trx, leadDays: number): Promise<void> {
  const { rows } = await sql<Search>`
    select lead_days as "leadDays", day, part, after_id as "afterId" from expiry_search
    where lead_days = ${leadDays} and day <= ${TODAY} + lead_days for update skip locked`.execute(trx);
  const [search] = rows;
  if (search === undefined) return;
  const { day, part, afterId } = search.part === 'telling' ? await tell(trx, search) : await read(trx, search);
  await sql`update expiry_search set day = ${day}, part = ${part}, after_id = ${afterId}
    where lead_days = ${leadDays}`.execute(trx);
}

type Place = Omit<Search, 'leadDays'>;

const endsOn = (day: number) => sql`
  revoked_time is null and limit_end_date is not null and (limit_end_date / 86400000)::integer = ${day}`;

const URI = sql.raw(ofTerms('product_uri'));

/** Reads the next assets or products that end on the day of a search. */
async function read(trx: Trx, search: Search): Promise<Place> {
  const { leadDays, day, part, afterId } = search;
  const isOfAssets = part === 'assets';
  // All products of an asset in one step. One that ends after its asset ends with it, and one of which the asset has
  // another that ends later was renewed: neither is told.
  const found = isOfAssets
    ? sql`select id as asset_id, id, customer_id, asset_num, limit_end_date from asset
        where ${endsOn(day)} and id > ${afterId} order by id limit ${READ_AT_ONCE}`
    : sql`with ending as (
        select *, ${URI} as uri from product_instance where ${endsOn(day)} and asset_id > ${afterId}
        order by asset_id fetch first ${sql.lit(READ_AT_ONCE)} rows with ties
      ), last as (
        select asset_id, uri, max(at) as at from (select distinct asset_id from ending) as asset cross join lateral (
          select ${URI} as uri, coalesce(limit_end_date, 'infinity'::float8) as at from product_instance as product
          where product.asset_id = asset.asset_id and revoked_time is null offset 0
        ) as product group by asset_id, uri
      )
      select asset_id, ending.id, customer_id, asset_num, ending.limit_end_date, uri
      from ending join last using (asset_id, uri)
      left join lateral (select customer_id, asset_num from asset where id = asset_id and at = ending.limit_end_date
        and (limit_end_date is null or limit_end_date >= ending.limit_end_date) offset 0) as owner on true`;
  const shown = isOfAssets
    ? sql`'assetId', id::text, 'assetNum', asset_num, 'limitEndDate', limit_end_date`
    : sql`'id', id::text, 'productUri', uri, 'assetNum', asset_num, 'limitEndDate', limit_end_date`;
  const [count, list] = isOfAssets ? [sql`assets`, sql`named_assets`] : [sql`products`, sql`named_products`];
  const { rows } = await sql<{ count: number; last: string | null }>`
    with found as (${found}), ranked as (
      select *, row_number() over (partition by customer_id order by id) as nth from found where customer_id is not null
    ), kept as (
      insert into found_expiry as known (lead_days, customer_id, ${count}, ${list})
      select ${leadDays}, customer_id, count(*),
        coalesce(array_agg(json_build_object(${shown}) order by id) filter (where nth <= ${MAX_NAMED}), '{}')
      from ranked group by customer_id
      on conflict (lead_days, customer_id) do update set ${count} = known.${count} + excluded.${count},
        ${list} = (known.${list} || excluded.${list})[:${sql.lit(MAX_NAMED)}]
    )
    select count(*)::int as count, max(asset_id) as last from found`.execute(trx);
  const { count: read, last } = rows[0]!;
  if (read >= READ_AT_ONCE) return { day, part, afterId: last! };
  return { day, part: isOfAssets ? 'products' : 'telling', afterId: '0' };
}

/** Makes events of what a search has found; after the last one, the search goes on to the next day. */
async function tell(trx: Trx, { leadDays, day }: Search): Promise<Place> {
  const date = new Date(day * 86_400_000).toISOString().slice(0, 10);
  const { numAffectedRows } = await sql`
    with told as (
      delete from found_expiry where lead_days = ${leadDays} and customer_id in (
        select customer_id from found_expiry where lead_days = ${leadDays} order by customer_id
        limit (
          select greatest(${TOLD_AT_LEAST}::int, ${MESSAGES_AT_ONCE}::int / greatest(1, count(*)::int)) from webhook
          where num_nonnulls(deleted_time, disabled_time, paused_time) = 0
        )
      ) returning *
    )
    insert into unnumbered_event (type, customer_id, lead_days, data)
    select ${leadDays < 0 ? 'licenses.expired' : 'licenses.expiring'}, customer_id, lead_days, json_build_object(
      'customerId', customer_id::text, 'day', ${date}::text, 'leadDays', greatest(lead_days, 0),
      'assets', named_assets, 'products', named_products,
      'counts', json_build_object('assets', assets, 'products', products)
    ) from told`.execute(trx);
  const isOver = numAffectedRows === 0n;
  return isOver ? { day: day + 1, part: 'assets', afterId: '0' } : { day, part: 'telling', afterId: '0' };
}
