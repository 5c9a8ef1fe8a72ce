import { licenseOrderIdOf, ORDERS_PER_BATCH, splitOrderId } from '@lockstep/assets';
import type { LicenseOrderId } from '@lockstep/contract';
import { prepared, type Trx } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import { type FoundOrders, hasOutcome, isOfChannel, type OrderFilters, type OrderSearch } from './viewer.ts';
import { type BatchWalk, findWalkStop, walkBatches } from './walks.ts';

/** How many batches and orders one call reads at most, even if few match. */
const MAX_BATCHES = 1_000;
const MAX_ORDERS = 2_000;

/** A position in the walk: the order after which a page starts, and when its batch was accepted. */
interface OrderPlace {
  acceptedTime: string;
  id: LicenseOrderId;
}

/** Returns orders batch by batch in acceptance order, newest first, and within a batch from its end. */
export async function findOrdersOfBatches(trx: Trx, search: OrderSearch): Promise<FoundOrders> {
  const { viewer, filters, limit } = search;
  const after = search.after && { acceptedTime: search.after[0]!, id: search.after[1] as LicenseOrderId };
  const walk: BatchWalk = {
    viewer,
    filters,
    kinds: kindsOf(filters),
    maxBatches: MAX_BATCHES + 1,
    from: after && { acceptedTime: after.acceptedTime, batchId: splitOrderId(after.id).batchId },
  };
  const orders = walkOrders(walk, search, after);
  // Looks up outcomes order by order: a join might read the whole table.
  const rows = await prepared<OrderPlace>(trx, 'orders_of_batches')`
    select walked.id, accepted_time::text as "acceptedTime" from ${orders} as walked
    left join lateral (
      select license_order.id, cause from license_order where license_order.id = walked.id offset 0
    ) as finished on true
    where ${hasOutcome(filters)} ${filters.orderType === undefined ? sql`` : sql`and order_type = ${filters.orderType}`}
    order by accepted_time desc, walked.id desc limit ${limit + 1}`;
  const page = rows.slice(0, limit);
  const stop = rows.length > limit ? page.at(-1)! : await findStop(trx, walk, orders);
  return { ids: page.map(({ id }) => id), stop: stop && [stop.acceptedTime, stop.id] };
}

function kindsOf({ state, cause }: OrderFilters): BatchWalk['kinds'] {
  if (state === 'pending') return ['open'];
  return state === 'failed' || cause !== undefined ? ['failed', 'open'] : ['all'];
}

/** The orders of a walk through batches after a position, with id, order_type and accepted_time. */
function walkOrders(walk: BatchWalk, search: OrderSearch, after: OrderPlace | null): RawBuilder<unknown> {
  const { viewer, filters, limit } = search;
  const failedOnly = filters.state === 'failed' || filters.cause !== undefined;
  const isIndexed = filters.state === 'failed' && filters.cause === undefined && filters.orderType === undefined;
  const first = sql`batch.id * ${sql.lit(ORDERS_PER_BATCH)}`;
  // The walk starts in the batch of the position, so only that batch is cut.
  const end =
    after === null
      ? sql`${first} + ${sql.lit(ORDERS_PER_BATCH)}`
      : sql`case when batch.id = ${splitOrderId(after.id).batchId}::bigint then ${after.id}::bigint
          else ${first} + ${sql.lit(ORDERS_PER_BATCH)} end`;
  const ofBatch = failedOnly
    ? sql`
      select license_order.id, license_order.order_type from license_order
      where license_order.id >= ${first} and license_order.id < ${end} and cause is not null
      order by license_order.id desc limit ${isIndexed ? limit + 1 : MAX_ORDERS}`
    : sql`
      select ${first} + place - 1 as id, order_type
      from unnest(batch.order_types) with ordinality as sent (order_type, place)
      where ${first} + place - 1 < ${end} order by place desc limit ${MAX_ORDERS}`;
  return sql`(
    select placed.id, placed.order_type, batch.accepted_time
    from ${walkBatches(walk)} cross join lateral (${ofBatch}) as placed
    where ${isOfChannel(viewer, filters)}
    order by batch.accepted_time desc, placed.id desc limit ${MAX_ORDERS}
  )`;
}

/** Returns the position of a walk that reached its limit; null if it reached the end. */
async function findStop(trx: Trx, walk: BatchWalk, orders: RawBuilder<unknown>): Promise<OrderPlace | null> {
  const rows = await prepared<OrderPlace>(trx, 'orders_of_batches_floor')`
    select id, accepted_time::text as "acceptedTime" from ${orders} as walked
    order by accepted_time desc, id desc offset ${MAX_ORDERS - 1} limit 1`;
  if (rows[0] !== undefined) return rows[0];
  const batch = await findWalkStop(trx, walk);
  return batch && { acceptedTime: batch.acceptedTime, id: licenseOrderIdOf(batch.batchId, 0) };
}
