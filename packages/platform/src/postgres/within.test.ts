import { openPool } from '@lockstep/test/harness/databases/pool';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { Deadline } from '../concurrency/deadline.ts';
import { type Database, inTransaction, within } from './database.ts';
import { isOverload } from './errors.ts';

const db = openPool({ poolSize: 3, queryTimeoutMs: 60_000 });
const narrow = openPool();
/** For the sessions that hold locks. */
const others = openPool({ poolSize: 3 });

const lock = (key: number) => sql`select pg_advisory_xact_lock(${sql.lit(key)})`;
/** Returns a new key. */
let lastKey = 7_000_000;
const newKey = () => ++lastKey;

/** Holds a lock until `release` is called. */
async function hold(key: number) {
  const holder = await others.startTransaction().execute();
  await lock(key).execute(holder);
  return { release: () => holder.rollback().execute() };
}

/** Waits until a session waits for a lock. */
async function untilWaitedFor(key: number): Promise<void> {
  const waiting = sql<{ count: number }>`
    select count(*)::int as count from pg_locks where locktype = 'advisory' and objid = ${key} and not granted`;
  await expect.poll(async () => (await waiting.execute(others)).rows[0]!.count, { timeout: 5_000 }).toBe(1);
}

const timeouts = async (database: Database) => {
  const { rows } = await sql`
    select current_setting('transaction_timeout') as transaction,
      current_setting('lock_timeout') as lock`.execute(database);
  return rows[0];
};

describe('a database within a deadline', () => {
  it('ends a transaction that waits for several locks when the time of all of them is over', async () => {
    const [first, second] = [newKey(), newKey()];
    const [holder, other] = [await hold(first), await hold(second)];
    const deadline = new Deadline(2_000);
    const ends: string[] = [];
    const call = inTransaction(within(db, deadline), async (trx) => {
      await lock(first).execute(trx);
      await lock(second).execute(trx);
    }).catch((error: unknown) => {
      ends.push('call');
      return error;
    });
    await untilWaitedFor(first);
    // The first lock takes half the time. If the time started anew, the call would get the second lock.
    await expect.poll(() => deadline.remainingMs < 1_000, { timeout: 5_000 }).toBe(true);
    const counting = inTransaction(within(others, new Deadline(1_500)), (trx) => lock(second).execute(trx)).catch(
      () => void ends.push('as long again'),
    );
    await holder.release();
    expect(isOverload(await call)).toBe(true);
    await counting;
    await other.release();
    expect(ends).toEqual(['call', 'as long again']);
  });

  it('waits maxLockWaitMs at most for one lock, however much time is left', async () => {
    const key = newKey();
    const holder = await hold(key);
    const deadline = new Deadline(60_000);
    const waiting = lock(key).execute(within(db, deadline, 100));
    expect(isOverload(await waiting.catch((error: unknown) => error))).toBe(true);
    expect(deadline.remainingMs).toBeGreaterThan(0);
    await holder.release();
    deadline.end();
  });

  it('ends a statement that takes too long', async () => {
    const error = await sql`select pg_sleep(60)`
      .execute(within(db, new Deadline(100)))
      .catch((error: unknown) => error);
    expect(isOverload(error)).toBe(true);
  });

  it('waits no longer for a connection, and leaves one that comes too late to the next caller', async () => {
    let error: unknown;
    await narrow.transaction().execute(async () => {
      error = await sql`select 1`.execute(within(narrow, new Deadline(50))).catch((error: unknown) => error);
    });
    expect(isOverload(error)).toBe(true);
    expect((await sql`select 1 as one`.execute(narrow)).rows).toEqual([{ one: 1 }]);
  });

  it('starts nothing after its end, and nothing for a caller who has gone', async () => {
    const over = new Deadline(0);
    await expect(sql`select 1`.execute(within(db, over))).rejects.toSatisfy(isOverload);
    const gone = new Deadline(60_000);
    gone.end();
    await expect(inTransaction(within(db, gone), async () => {})).rejects.toSatisfy(isOverload);
  });

  it('rolls back what was written before, and returns the connection as it was', async () => {
    const before = await timeouts(narrow);
    const key = newKey();
    const holder = await hold(key);
    const call = inTransaction(within(narrow, new Deadline(300)), async (trx) => {
      await sql`create table never_made ()`.execute(trx);
      await lock(key).execute(trx);
    });
    await expect(call).rejects.toSatisfy(isOverload);
    await holder.release();
    expect((await sql`select to_regclass('never_made') as made`.execute(narrow)).rows).toEqual([{ made: null }]);
    expect(await timeouts(narrow)).toEqual(before);
    await sql`select 1`.execute(within(narrow, new Deadline(1_000)));
    expect(await timeouts(narrow)).toEqual(before);
  });

  it('counts once for all tries of a transaction', async () => {
    const deadline = new Deadline(1_000);
    let tries = 0;
    const losing = inTransaction(within(db, deadline), async (trx) => {
      tries++;
      await sql`do $$ begin perform pg_sleep(0.3); raise exception using errcode = '40P01'; end $$`.execute(trx);
    });
    await expect(losing).rejects.toSatisfy(isOverload);
    expect(tries).toBeGreaterThan(1);
  });
});
