import type { Database, Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { ENDS_CHANNEL, MAX_PAYLOAD_CHARACTERS } from './batch-watch.ts';

/**
 * Ends those of some batches whose chunks are all finished and which have no end yet, and returns their ids. This is the
 * one place where a batch ends: from then on its row says so, and the calls that wait for it wake up after the commit.
 * Each batch ends once, however many callers find it finished at the same time. They lock the rows in the order of their
 * ids, and whoever comes second finds an end.
 *
 * Call it in the transaction that finishes a last chunk, or right after the commit of one that finishes chunks: two
 * transactions that finish the last two chunks do not see each other, but whoever commits later sees both.
 */
export async function endBatches(db: Database | Trx, batchIds: readonly string[]): Promise<string[]> {
  if (batchIds.length === 0) return [];
  // The chunks are looked up batch by batch in their index: a join might read them all. The end of a sync batch is not
  // notified: nobody could see the batch before, so nobody waits, and transactions that notify commit one at a time.
  const { rows } = await sql<{ ids: string[] }>`
    with finished as (
      select id, chunks.* from batch cross join lateral (
        select max(finished_time) as last_time, sum(succeeded)::int as succeeded_sum, sum(failed)::int as failed_sum
        from lane_chunk where batch_id = batch.id
        having bool_and(finished_time is not null)
      ) as chunks
      where id = any (${batchIds}::bigint[]) and completed_time is null
      order by id for no key update of batch
    ), ended as (
      update batch set completed_time = last_time, succeeded = succeeded_sum, failed = failed_sum
      from finished where batch.id = finished.id
      returning batch.id, sync_mode
    ), listed as (
      select coalesce(array_agg(id::text), '{}') as ids,
        string_agg(id::text, ',') filter (where sync_mode = 'async') as awaited
      from ended
    )
    select ids, case when awaited is not null then
      pg_notify(${ENDS_CHANNEL}, case when length(awaited) <= ${MAX_PAYLOAD_CHARACTERS} then awaited else '' end)
    end
    from listed`.execute(db);
  return rows[0]!.ids;
}

/** Locks batches, so that nobody ends them before the commit. */
export async function lockBatches(trx: Trx, batchIds: readonly string[]): Promise<void> {
  await sql`select from batch where id = any (${batchIds}::bigint[]) order by id for no key update`.execute(trx);
}

/** Takes the ends of batches back that have a pending chunk again. Lock them before the chunk is pending. */
export async function reopenBatches(trx: Trx, batchIds: readonly string[]): Promise<void> {
  await sql`
    update batch set completed_time = null, succeeded = null, failed = null
    where id = any (${batchIds}::bigint[]) and completed_time is not null`.execute(trx);
}
