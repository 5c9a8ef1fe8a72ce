import { BatchResult } from '@lockstep/contract';
import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { type Api, dataOf } from '../api.ts';
import { checkNumbers } from '../databases/numbers.ts';
import { dropTriggerFunction } from '../databases/past-triggers.ts';
import { batchOf, type Sent } from './orders.ts';

type Batch = { channelCode: string; channelOrderId: string };

/** A sync batch of orders under a channelOrderId of its own. */
export const syncOf = (...orders: Sent[]) => ({ ...batchOf(...orders), syncMode: 'sync' as const });

/** Reads a batch's result as it is now, with up to 1,000 orders unless `query` says otherwise. */
export async function readResult(api: Api, batch: Batch, query: Record<string, string> = {}): Promise<BatchResult> {
  const { channelCode, channelOrderId } = batch;
  const all = { channelCode, channelOrderId, limit: '1000', ...query };
  return BatchResult.parse(dataOf(await api.call('GET', '/licenseOrder/batchOrder', { query: all })));
}

/** Reads all assets of a number, oldest first: their customers, and whether they are active. */
export async function readRecords(db: Database, assetNum: string): Promise<{ customerId: string; active: boolean }[]> {
  const { rows } = await sql<{ customerId: string; active: boolean }>`
    select customer_id as "customerId", revoked_time is null as active from asset
    where asset_num = ${assetNum} order by id`.execute(db);
  return rows;
}

/**
 * Checks what must hold after any calls: exactly one order counts each asset and product that was created or revoked,
 * no number is active twice, and each order of a sync batch has succeeded. Only open batches have chunks.
 */
export async function expectSumsRight(db: Database): Promise<void> {
  const { rows } = await sql<Record<'stored' | 'told', Record<string, number>>>`
    select json_build_object(
      'created', (select count(*) from asset),
      'revoked', (select count(*) from asset where revoked_time is not null),
      'products', (select count(*) + count(revoked_time) from product_instance),
      'activeTwice', (select count(*) - count(distinct asset_num) from asset where revoked_time is null),
      'ofSync', (select count(*) from license_order join batch on batch.id = license_order.id / 8192 where sync_mode = 'sync'),
      'chunksOfEnded', (select count(*) from lane_chunk join batch on id = batch_id where completed_time is not null)
    ) as stored, json_build_object(
      'created', (select coalesce(sum(assets), 0) from license_order where order_type = 'new_buy'),
      'revoked', (select coalesce(sum(assets), 0) from license_order where order_type = 'delete_asset'),
      'products', (select coalesce(sum(products), 0) from license_order),
      'activeTwice', 0,
      'ofSync', (select coalesce(sum(cardinality(sequences)), 0) from batch where sync_mode = 'sync'),
      'chunksOfEnded', 0
    ) as told`.execute(db);
  expect(rows[0]!.stored).toEqual(rows[0]!.told);
  expect(await checkNumbers(db)).toEqual([]);
}

/** Counts the rows of a table. */
export const countRows = async (db: Database, table: 'batch' | 'license_order' | 'asset' | 'nonce') => {
  const { rows } = await sql<{ rows: number }>`select count(*)::int as rows from ${sql.table(table)}`.execute(db);
  return rows[0]!.rows;
};

/**
 * Makes every transaction that stores a batch (or a row of another `table`, or only the batch with `channelOrderId`)
 * or, with `event`, updates it wait while `work` runs: right after it did so, or in its commit. It waits without a time
 * limit.
 */
export async function whileHeld<Result>(
  db: Database,
  moment: 'insert' | 'commit',
  work: () => Promise<Result>,
  {
    table = 'batch',
    event = 'insert',
    channelOrderId,
  }: {
    table?: 'batch' | 'asset' | 'license_order' | 'lane_chunk' | 'webhook' | 'kept_answer';
    event?: 'insert' | 'update';
    channelOrderId?: string;
  } = {},
): Promise<Result> {
  const isHeld = channelOrderId === undefined ? 'true' : `new.channel_order_id = '${channelOrderId}'`;
  await sql`
    create function wait_for_test() returns trigger language plpgsql as $$
    begin
      perform set_config('lock_timeout', '0', true), pg_advisory_xact_lock_shared(42::bigint);
      return null;
    end $$`.execute(db);
  await sql`
    create constraint trigger wait_for_test after ${sql.raw(event)} on ${sql.table(table)}
    deferrable ${sql.raw(moment === 'commit' ? 'initially deferred' : '')}
    for each row when (${sql.raw(isHeld)}) execute function wait_for_test()`.execute(db);
  try {
    return await db.transaction().execute(async (trx) => {
      await sql`select pg_advisory_xact_lock(42::bigint)`.execute(trx);
      return await work();
    });
  } finally {
    await dropTriggerFunction(db, table, 'wait_for_test');
  }
}

/** Ends the connections of transactions that wait for the test in `whileHeld`. */
export const endWaiting = (db: Database) =>
  sql`
    select pg_terminate_backend(pid) from pg_locks join pg_stat_activity using (pid)
    where not granted and mode = 'ShareLock' and datname = current_database()`.execute(db);

/** Waits until a transaction waits for the test in `whileHeld`. */
export async function untilOneWaits(db: Database): Promise<void> {
  const waiting = async () => {
    const { rows } = await sql`
      select from pg_locks join pg_stat_activity using (pid)
      where not granted and locktype = 'advisory' and mode = 'ShareLock' and datname = current_database()`.execute(db);
    return rows.length;
  };
  // A call that shares its transaction gives up after 100 ms, so poll often enough to see it wait.
  await expect.poll(waiting, { interval: 5 }).toBeGreaterThan(0);
}
