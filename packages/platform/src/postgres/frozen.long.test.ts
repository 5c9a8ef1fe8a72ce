import { openPool } from '@lockstep/test/harness/databases/pool';
import { ForwardedAddress } from '@lockstep/test/harness/network/forwarded-address';
import { sql } from 'kysely';
import { describe, expect, inject, it, vi } from 'vitest';
import { type Database, openDatabase } from './database.ts';

/** A second process, which wants the advisory locks that the frozen one's transactions hold. */
const beside = openPool({ poolSize: 8 });

/** Begins a transaction that holds a lock. Returns it and its session. */
async function begin(db: Database, lock: number) {
  const trx = await db.startTransaction().execute();
  const { rows } = await sql<{ pid: number }>`
    select pg_backend_pid() as pid, pg_advisory_xact_lock(29, ${lock})`.execute(trx);
  return { trx, pid: rows[0]!.pid };
}

/** Waits until a lock is free. Returns the seconds that took. */
async function untilFree(lock: number): Promise<number> {
  const startedMs = performance.now();
  await sql`select pg_advisory_lock(29, ${lock}), pg_advisory_unlock(29, ${lock})`.execute(beside);
  return (performance.now() - startedMs) / 1_000;
}

async function readSession(pid: number) {
  const { rows } = await sql<{ state: string; wait: string | null; seconds: number }>`
    select state, wait_event as wait, extract(epoch from clock_timestamp() - xact_start)::float8 as seconds
    from pg_stat_activity where pid = ${pid}`.execute(beside);
  return rows[0];
}

/** Opens a way to PostgreSQL, and the database handle of the process that freezes. */
async function openWay() {
  const way = await ForwardedAddress.open(inject('postgresUrl'));
  return { way, db: openDatabase({ url: way.url, poolSize: 1, applicationName: 'test', onError: () => {} }) };
}

const waitsFor = (pid: number, event: string) =>
  vi.waitUntil(async () => (await readSession(pid))?.wait === event, { timeout: 60_000 });

describe.concurrent('a transaction whose process freezes', () => {
  it('ends within 15 seconds when it was between two statements', async () => {
    const { way, db } = await openWay();
    await begin(db, 1);
    way.freeze();
    expect(await untilFree(1)).toBeLessThan(15);
    way.close();
  });

  it('ends within 15 seconds while it receives a large result', async () => {
    const { way, db } = await openWay();
    const { trx, pid } = await begin(db, 2);
    way.freezeAnswers();
    void sql`select repeat('x', 1000000) from generate_series(1, 200)`.execute(trx).catch(() => {});
    await waitsFor(pid, 'ClientWrite');
    way.freeze();
    expect(await untilFree(2)).toBeLessThan(15);
    way.close();
  });

  it('ends within 15 seconds of getting the lock for which it waited', async () => {
    const { way, db } = await openWay();
    const { trx, pid } = await begin(db, 3);
    const holder = await begin(beside, 4);
    void sql`select pg_advisory_xact_lock(29, 4)`.execute(trx).catch(() => {});
    await waitsFor(pid, 'advisory');
    way.freeze();
    await holder.trx.rollback().execute();
    expect(await untilFree(3)).toBeLessThan(15);
    way.close();
  });
});

it('keeps a transaction whose process works for long without a statement', async () => {
  const { trx, pid } = await begin(beside, 5);
  await vi.waitUntil(async () => ((await readSession(pid))?.seconds ?? 99) > 12, { timeout: 60_000 });
  expect((await sql`select 29 as still`.execute(trx)).rows).toEqual([{ still: 29 }]);
  await trx.commit().execute();
});
