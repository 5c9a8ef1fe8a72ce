import { ORDERS_PER_BATCH } from '@lockstep/assets';
import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';
import { batchesOf, ordersOf } from './periods.ts';

/** What one statement copies at most: batches, and orders beyond which it takes no further batch. */
const BATCHES_AT_ONCE = 200;
const ORDERS_AT_ONCE = 10_000;

/** What is copied of a period. */
export interface CopiedPeriod {
  batches: number;
  /** Those that succeeded. */
  orders: number;
}

/**
 * Copies what stays of the batches and orders of a period into `archived_batch` and `archived_order`, piece by piece, and
 * goes on behind what was copied before. Nothing of the period changes any more. Throws an Error if not all is there then.
 */
export async function copyPeriod(db: Database, period: number): Promise<CopiedPeriod> {
  for (let after: string | null = await findLastCopied(db, period); after !== null; ) {
    after = await copyPiece(db, period, after);
  }
  return await countCopied(db, period);
}

/** The last batch of a period that is copied, or what is before its first one. */
async function findLastCopied(db: Database, period: number): Promise<string> {
  const { from, to } = batchesOf(period);
  const { rows } = await sql<{ last: string }>`
    select coalesce(max(id), ${from}::bigint - 1)::text as last
    from archived_batch where id >= ${from} and id < ${to}`.execute(db);
  return rows[0]!.last;
}

/** Copies the next batches with their orders, all or nothing, and returns the last batch; null at the end. */
async function copyPiece(db: Database, period: number, after: string): Promise<string | null> {
  const { to } = batchesOf(period);
  const { rows } = await sql<{ last: string | null }>`
    with walked as materialized (
      select * from batch where id > ${after} and id < ${to} order by id limit ${BATCHES_AT_ONCE}
    ), piece as materialized (
      select * from (
        select walked.*, sum(cardinality(sequences)) over (order by id) - cardinality(sequences) as orders_before from walked
      ) as counted where orders_before < ${ORDERS_AT_ONCE}
    ), kept_batches as (
      insert into archived_batch (id, application_id, channel_code, channel_order_id, sync_mode, digest, digest_version,
        request_id, accepted_time, completed_time, succeeded, failed)
      select id, application_id, channel_code, channel_order_id, sync_mode, digest, digest_version,
        request_id, accepted_time, completed_time, succeeded, failed
      from piece order by id
    ), kept_orders as (
      insert into archived_order (id, finished_time, src_license_order_id, sequence, order_type, customer_id)
      select done.id, finished_time, src_license_order_id, sent.sequence, order_type, customer_id
      from piece cross join lateral unnest(sequences) with ordinality as sent (sequence, place)
      cross join lateral (
        select * from license_order
        where license_order.id = piece.id * ${sql.lit(ORDERS_PER_BATCH)} + place - 1 and cause is null offset 0
      ) as done order by done.id
    ), noted as (
      update period_archive set changed_time = statement_timestamp() where number = ${period}
    )
    select max(id)::text as last from piece`.execute(db);
  return rows[0]!.last;
}

async function countCopied(db: Database, period: number): Promise<CopiedPeriod> {
  const [batches, orders] = [batchesOf(period), ordersOf(period)];
  const { rows } = await sql<CopiedPeriod & { stored_batches: number; stored_orders: number }>`
    select batches::float8 as batches, orders::float8 as orders, stored_batches::float8, stored_orders::float8 from (
      select count(*) as batches from archived_batch where id >= ${batches.from} and id < ${batches.to}
    ) as copied_batch cross join (
      select count(*) as orders from archived_order where id >= ${orders.from} and id < ${orders.to}
    ) as copied_order cross join (
      select count(*) as stored_batches from batch where id >= ${batches.from} and id < ${batches.to}
    ) as stored_batch cross join (
      select count(*) as stored_orders from license_order
      where id >= ${orders.from} and id < ${orders.to} and cause is null
    ) as stored_order`.execute(db);
  const { stored_batches, stored_orders, ...copied } = rows[0]!;
  if (copied.batches !== stored_batches || copied.orders !== stored_orders) {
    throw new Error(
      `Of ${stored_batches} batches and ${stored_orders} succeeded orders of period ${period} ` +
        `${copied.batches} and ${copied.orders} are copied. Nothing is archived.`,
    );
  }
  return copied;
}
