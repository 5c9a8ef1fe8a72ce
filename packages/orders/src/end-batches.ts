import { ORDERS_PER_BATCH } from '@lockstep/assets';
import type { BatchId } from '@lockstep/contract';
import { buildRows, type Database, named, run, send, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { notingActivity } from './activity-notes.ts';
import { keyOf, type SubmittedBatch } from './batch.ts';
import { BATCH_COLUMNS, batchRows, batchValues } from './batch-rows.ts';
import { ENDS_CHANNEL } from './batch-watch.ts';
import { notify } from './notify.ts';
import { DIGEST_VERSION } from './order-text.ts';

/** When the orders of a new row finish: not before it is accepted, even if the clock was set back since. */
const FINISHED_NOW = sql<Date>`greatest(now(), statement_timestamp())`;

// This file is the one place where batches end: from then on their rows say so, and there is an event of each end.

/**
 * Ends those of some batches whose chunks are all finished and which have no end yet, and returns their ids. The calls that
 * wait for them wake up after the commit. Their events have to be numbered after it (EventNumbering).
 *
 * Each batch ends once, however many callers find it finished at the same time: they lock the rows in the order of their
 * ids. A row that somebody else has locked is left out, so that one batch never keeps others from ending. Whoever has it
 * ends or reopens the batch; if not, the sweep comes by.
 *
 * Call it in the transaction that finishes a last chunk, or right after the commit of one that finishes chunks: two
 * transactions that finish the last two chunks do not see each other, but whoever commits later sees both.
 */
export async function endBatches(db: Database | Trx, batchIds: readonly BatchId[]): Promise<BatchId[]> {
  if (batchIds.length === 0) return [];
  // The chunks are looked up batch by batch in their index: a join might read them all.
  const ending = sql<{ ids: BatchId[] }>`
    with finished as (
      select id, chunks.* from batch cross join lateral (
        select max(finished_time) as last_time, sum(succeeded)::int as succeeded_sum, sum(failed)::int as failed_sum
        from lane_chunk where batch_id = batch.id
        having bool_and(finished_time is not null)
      ) as chunks
      where id = any ((select ${batchIds}::bigint[])::bigint[]) and completed_time is null
      order by id for no key update of batch skip locked
    ), ended as (
      update batch set completed_time = last_time, succeeded = succeeded_sum, failed = failed_sum
      from finished where batch.id = any ((select ${batchIds}::bigint[])::bigint[]) and batch.id = finished.id
      returning batch.id, application_id, completed_time, succeeded, failed, reopened_time
    ), noted as (
      insert into unnumbered_event (application_id, batch_id, type, completed_time, succeeded, failed, cancelled)
      select application_id, id, case when reopened_time is null then 'batch.completed' else 'batch.retried' end,
        completed_time, succeeded, failed, case when failed = 0 then 0 else (
          select count(*) from license_order
          where license_order.id >= ended.id * ${ORDERS_PER_BATCH} and license_order.id < (ended.id + 1) * ${ORDERS_PER_BATCH}
            and cause = 'cancelled'
        ) end
      from ended order by id
    ), listed as (
      select coalesce(array_agg(id::text), '{}') as ids, string_agg(id::text, ',') as awaited from ended
    )
    select ids, ${notify(ENDS_CHANNEL, sql`awaited`)} from listed`;
  const rows = await run(db, named('end_batches', ending));
  return rows[0]!.ids;
}

/**
 * Stores sync batches with their end, in the transaction in which all of their orders succeed. Nobody waits for them:
 * nobody can see them before the commit. Call it when their outcomes are stored.
 *
 * Inserts keys before batches and in their order, as async batches are inserted: calls that store the same ones wait and do
 * not deadlock. It is sent ahead: PostgreSQL's unique_violation comes with the next answer or the commit if another call has
 * stored one of the keys.
 */
export async function insertEndedBatches(
  trx: Trx,
  batches: readonly { id: BatchId; batch: SubmittedBatch }[],
): Promise<void> {
  const sorted = batches.map((each) => ({ ...each, key: keyOf(each.batch) })).sort((a, b) => (a.key < b.key ? -1 : 1));
  const rows = batchRows(
    'input',
    sorted.map(({ batch }) => batch),
    [['id', 'bigint', sorted.map(({ id }) => id)]],
  );
  const chunks = sorted.flatMap(({ id, batch }) => batch.chunks.map((chunk) => ({ id, ...chunk })));
  const chunkRows = buildRows([
    ['batch_id', 'bigint', chunks.map(({ id }) => id)],
    ['lane', 'smallint', chunks.map(({ lane }) => lane)],
    ['order_count', 'integer', chunks.map(({ orderCount }) => orderCount)],
    ['weight', 'integer', chunks.map(({ weight }) => weight)],
  ]);
  const storing = sql`
    with input as (select * from ${rows}), keyed as (
      insert into batch_key (application_id, channel_code, channel_order_id, batch_id)
      select application_id, channel_code, channel_order_id, id from input order by place
      returning batch_id
    ), stored as (
      insert into batch (id, ${BATCH_COLUMNS}, completed_time, succeeded, failed)
      select id, ${batchValues(DIGEST_VERSION)}, ${FINISHED_NOW}, cardinality(sequences::int[]), 0
      from input join keyed on batch_id = id
      returning id, application_id, completed_time, succeeded, failed
    ), noted as (
      insert into unnumbered_event (application_id, batch_id, type, completed_time, succeeded, failed, cancelled)
      select application_id, id, 'batch.completed', completed_time, succeeded, failed, 0 from stored order by id
    ), noted_activity as (
      ${notingActivity({ accepted: sql`sum(succeeded)`, succeeded: sql`sum(succeeded)` }, sql`from stored`)}
    )
    insert into lane_chunk (batch_id, lane, order_count, weight, payload, finished_time, succeeded, failed)
    select batch_id, lane, order_count, weight, null, ${FINISHED_NOW}, order_count, 0
    from ${chunkRows} as chunk (batch_id, lane, order_count, weight)`;
  await send(trx, named('store_ended_batches', storing));
}

/** Locks batches, so that nobody ends them before the commit. */
export async function lockBatches(trx: Trx, batchIds: readonly BatchId[]): Promise<void> {
  await sql`select from batch where id = any (${batchIds}::bigint[]) order by id for no key update`.execute(trx);
}

/** Takes the ends of batches back that have a pending chunk again. Lock them before the chunk is pending. */
export async function reopenBatches(trx: Trx, batchIds: readonly BatchId[]): Promise<void> {
  await sql`
    update batch set completed_time = null, succeeded = null, failed = null, reopened_time = statement_timestamp()
    where id = any (${batchIds}::bigint[]) and completed_time is not null`.execute(trx);
}
