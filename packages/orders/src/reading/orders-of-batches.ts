import { ORDERS_PER_BATCH, splitOrderId } from '@lockstep/assets';
import type { BatchId, LicenseOrderId } from '@lockstep/contract';
import { prepared, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { andIs, type FoundOrders, hasOutcome, isOfChannel, type OrderSearch } from './viewer.ts';
import { microsecondsOf, type Place, walkBatches } from './walks.ts';

/** How many orders one call reads at most, even if few match. */
const MAX_ORDERS = 2_000;

const FIRST = sql`batch.id * ${sql.lit(ORDERS_PER_BATCH)}`;

/**
 * Returns orders batch by batch in acceptance order, newest first, and within a batch from its end. `after`: the order
 * after which the page starts, as the list's cursors have it.
 */
export async function findOrdersOfBatches(
  trx: Trx,
  search: OrderSearch,
  after: readonly string[] | null,
): Promise<FoundOrders> {
  const { viewer, filters, limit } = search;
  const { state, cause, orderType } = filters;
  const isFailed = state === 'failed' || cause !== undefined;
  const isExact = state === undefined && !isFailed && orderType === undefined;
  const isIndexed = state === 'failed' && cause === undefined && orderType === undefined;
  // The walk begins with the batch of the position. Only that batch is cut.
  const cutBatch = after && BigInt(splitOrderId(after[1] as LicenseOrderId).batchId);
  const end = sql`case when batch.id = ${cutBatch}::bigint then ${after?.[1] ?? null}::bigint
    else ${FIRST} + ${sql.lit(ORDERS_PER_BATCH)} end`;
  const ofBatch = isFailed
    ? sql`
      select license_order.id, license_order.order_type from license_order
      where license_order.id >= ${FIRST} and license_order.id < ${end} and cause is not null
      order by license_order.id desc limit ${isIndexed ? limit + 1 : MAX_ORDERS}`
    : sql`
      select ${FIRST} + place - 1 as id, order_type
      from unnest(batch.order_types) with ordinality as sent (order_type, place)
      where ${FIRST} + place - 1 < ${end} order by place desc limit ${MAX_ORDERS}`;
  const walk = walkBatches({
    ...search,
    kinds: state === 'pending' ? ['open'] : isFailed ? ['failed', 'open'] : ['all'],
    named: null,
    after: after && [after[0]!, String(cutBatch! + 1n) as BatchId],
    isExact,
  });
  const placed = sql`
    with ${walk}, placed as (
      select placed.*, reached.accepted_time
      from reached cross join lateral (select * from batch where batch.id = reached.id offset 0) as batch
      cross join lateral (${ofBatch}) as placed
      where ${isOfChannel(viewer, filters)}
      order by reached.accepted_time desc, placed.id desc limit ${MAX_ORDERS}
    )`;
  // Looks up outcomes order by order: a join might read the whole table.
  const rows = await prepared<Place<LicenseOrderId>>(trx, 'orders_of_batches')`${placed}
    select placed.id, ${microsecondsOf('accepted_time')} as time from placed
    left join lateral (
      select license_order.id, cause from license_order where license_order.id = placed.id offset 0
    ) as finished on true
    where ${hasOutcome(filters)} ${andIs('order_type', orderType)}
    order by accepted_time desc, placed.id desc limit ${limit + 1}`;
  const page = rows.slice(0, limit);
  const [stop] =
    rows.length > limit
      ? page.slice(-1)
      : await prepared<Place<LicenseOrderId>>(trx, 'orders_of_batches_floor')`${placed}
        select id, ${microsecondsOf('accepted_time')} as time from (
          (select id, accepted_time from placed order by accepted_time desc, id desc offset ${MAX_ORDERS - 1} limit 1)
          union all select id * ${sql.lit(ORDERS_PER_BATCH)}, accepted_time from floor
        ) as stop order by accepted_time desc, id desc limit 1`;
  return { ids: page.map(({ id }) => id), stop: stop ? [stop.time, stop.id] : null };
}
