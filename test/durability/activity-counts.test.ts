import { countActivity } from '@lockstep/orders/testing';
import { type Database, openDatabase } from '@lockstep/platform';
import { sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import { countWaiting } from '../harness/databases/waiting.ts';
import { type TestDatabase, testDatabase } from '../harness/stack.ts';

/** The activity that transactions note is added up, each note once, even if several processes add up and some die. */

let database: TestDatabase;
let db: Database;

beforeEach(async () => {
  database = await testDatabase();
  db = database.db;
});

/**
 * Writes the notes of `transactions` transactions over a minute. Each accepted one order; one transaction failed its
 * order.
 */
async function note(on: Database, transactions: number): Promise<void> {
  await sql`
    insert into uncounted_activity (noted_time, application_id, channel_id, pending, accepted, succeeded, failed, causes)
    select '2026-08-01 10:00:00Z'::timestamptz + make_interval(secs => n % 60), 7, n % 3, 2, 1, 0, 1, '{"asset_not_found": 1}'
    from generate_series(1, ${transactions}::int) as n`.execute(on);
}

/** Returns the added-up counts: orders by period, and all failures. */
async function readCounted() {
  const { rows: periods } = await sql<{ period: string; accepted: number }>`
    select to_char(period_start at time zone 'UTC', 'HH24:MI:SS') as period, accepted::int
    from order_activity order by period_start`.execute(db);
  const { rows } = await sql<{ failed: number }>`
    select coalesce(sum(failed), 0)::int as failed from failure_activity`.execute(db);
  const { rows: channels } = await sql<{ channel: number; pending: number; accepted: number; failed: number }>`
    select channel_id as channel, pending::int, accepted, failed from pending_orders join (
      select channel_id, sum(accepted)::int as accepted, sum(failed)::int as failed from channel_activity group by 1
    ) as counted using (channel_id) order by channel_id`.execute(db);
  const { rows: left } = await sql<{ notes: number }>`
    select count(*)::int as notes from uncounted_activity`.execute(db);
  const orders = periods.reduce((sum, { accepted }) => sum + accepted, 0);
  return { periods, channels, orders, failed: rows[0]!.failed, left: left[0]!.notes };
}

it('is added up in ten-second intervals, again when more is noted for one, and by channel, with its backlog', async () => {
  await note(db, 120);
  await countActivity(db);
  await note(db, 60);
  await countActivity(db);
  const { periods, channels } = await readCounted();
  expect(periods).toEqual(['00', '10', '20', '30', '40', '50'].map((s) => ({ period: `10:00:${s}`, accepted: 30 })));
  expect(channels).toEqual([0, 1, 2].map((channel) => ({ channel, pending: 120, accepted: 60, failed: 60 })));
});

it('counts each note once when many processes add up at the same time', async () => {
  const others = [1, 2, 3].map(() =>
    openDatabase({ url: database.url, poolSize: 1, applicationName: 'test', onError: () => {} }),
  );
  await note(db, 12_000);
  await Promise.all([db, db, ...others].map((each) => countActivity(each)));
  await countActivity(db);
  for (const other of others) await other.destroy();
  expect(await readCounted()).toMatchObject({ orders: 12_000, failed: 12_000, left: 0 });
});

it('leaves notes to the transaction that adds them up, and recovers them if it dies', async () => {
  await note(db, 100);
  const dying = await db.startTransaction().execute();
  await countActivity(dying);
  await note(db, 10);
  const waiting = countActivity(db);
  await expect.poll(() => countWaiting(db, 'transactionid')).toBe(1);
  await sql`select pg_terminate_backend(${await pidOf(dying)}::int)`.execute(db);
  await waiting;
  await dying
    .rollback()
    .execute()
    .catch(() => {});
  expect(await readCounted()).toMatchObject({ orders: 10, failed: 10, left: 100 });
  await countActivity(db);
  expect(await readCounted()).toMatchObject({ orders: 110, failed: 110, left: 0 });
});

it('misses no note that was written early and committed late', async () => {
  const late = await db.startTransaction().execute();
  await note(late, 5);
  await note(db, 7);
  await countActivity(db);
  expect(await readCounted()).toMatchObject({ orders: 7 });
  await late.commit().execute();
  await countActivity(db);
  expect(await readCounted()).toMatchObject({ orders: 12, failed: 12, left: 0 });
});

it('is added up in steps if there is a backlog, with a limit of notes per call', async () => {
  await note(db, 52_000);
  await countActivity(db);
  expect(await readCounted()).toMatchObject({ orders: 50_000, left: 2_000 });
  await countActivity(db);
  expect(await readCounted()).toMatchObject({ orders: 52_000, left: 0 });
});

async function pidOf(connection: Database): Promise<number> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(connection);
  return rows[0]!.pid;
}
