import { ORDERS_PER_BATCH } from '@lockstep/assets';
import type { BatchId, Cause, CustomerId, LicenseOrderId, Operator } from '@lockstep/contract';
import type { HoldPage, HoldsQuery, TracedOrder } from '@lockstep/contract/console';
import { type Database, inMs } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import { isOfChannel } from './viewer.ts';

// What operators see beside the outcome of an order: why it waits, and as which order it was resent.

/** Returns a page of the holds of orders that an operator sees, by customer. */
export async function listHolds(db: Database, viewer: Operator, { limit, cursor }: HoldsQuery): Promise<HoldPage> {
  const rows = await selectHolds(
    db,
    sql`exists (
      select from batch where batch.id = license_order_id / ${sql.lit(ORDERS_PER_BATCH)} and ${isOfChannel(viewer)}
    ) and customer_id > ${cursor ?? ''} order by customer_id limit ${limit + 1}`,
  );
  const holds = rows.slice(0, limit);
  return { holds, nextCursor: rows.length > limit ? holds.at(-1)!.customerId : null };
}

/** Returns the holds of customers, by customer. */
export async function readHolds(db: Database, customerIds: readonly CustomerId[]) {
  const holds = await selectHolds(db, sql`customer_id = any (${customerIds}::text[])`);
  return new Map(holds.map(({ customerId, orders, since, ...hold }) => [customerId as CustomerId, hold]));
}

async function selectHolds(db: Database, wanted: RawBuilder<unknown>) {
  const { rows } = await sql<HoldPage['holds'][number]>`
    select customer_id as "customerId", license_order_id as "licenseOrderId", (
      select count(*)::int from (
        select from held_order where held_order.customer_id = hold.customer_id limit 1000
      ) as waiting
    ) as orders, ${inMs('since')} as since, tries, ${inMs('next_try')} as "nextTryTime",
      last_error as "lastError"
    from order_hold as hold where ${wanted}`.execute(db);
  return rows;
}

/** A batch that an operator made of failed orders of another one. */
export interface MadeBatch {
  fromBatchId: BatchId;
  batchId: BatchId;
}

/** A failed order, and the newest order that an operator sent in its place. */
export interface Resent {
  licenseOrderId: LicenseOrderId;
  cause: Cause;
  resentAs: NonNullable<TracedOrder['resentAs']>;
}

/**
 * Returns the failed orders that were resent in these batches (rules 9): those whose sequence the batch has, too.
 * `orderIds`: only these orders, if given.
 */
export async function readResent(
  db: Database,
  made: readonly MadeBatch[],
  orderIds: readonly LicenseOrderId[] | null,
): Promise<Resent[]> {
  const { rows } = await sql<Resent>`
    with resend as (
      select * from unnest(
        ${made.map(({ fromBatchId }) => fromBatchId)}::bigint[], ${made.map(({ batchId }) => batchId)}::bigint[]
      ) as resend (from_id, made_id)
    ), failed as (
      select license_order.id, cause, from_id,
        numbers.sequences[license_order.id % ${sql.lit(ORDERS_PER_BATCH)} + 1] as sequence
      from (select distinct from_id from resend) as source join batch on batch.id = from_id
      cross join lateral (select batch.sequences[:] offset 0) as numbers (sequences)
      join license_order on license_order.id >= from_id * ${sql.lit(ORDERS_PER_BATCH)}
        and license_order.id < (from_id + 1) * ${sql.lit(ORDERS_PER_BATCH)} and cause is not null
      where ${orderIds}::bigint[] is null or license_order.id = any (${orderIds}::bigint[])
    ), sent as (
      select from_id, made_id, sequence, made_id * ${sql.lit(ORDERS_PER_BATCH)} + place - 1 as id
      from resend join batch on batch.id = made_id
      cross join unnest(sequences) with ordinality as listed (sequence, place)
    )
    select distinct on (failed.id) failed.id as "licenseOrderId", failed.cause, json_build_object(
      'licenseOrderId', sent.id::text, 'batchId', made_id::text, 'state', case
        when finished.id is null then 'pending' when finished.cause is null then 'succeeded' else 'failed'
      end
    ) as "resentAs"
    from failed join sent using (from_id, sequence) left join license_order as finished on finished.id = sent.id
    order by failed.id, made_id desc`.execute(db);
  return rows;
}
