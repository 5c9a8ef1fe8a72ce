import type { ApplicationId } from '@lockstep/contract';
import { EventNumbering, readEventsAfter } from '@lockstep/orders';
import { numberEvents } from '@lockstep/orders/testing';
import { createLogger, type Database, openDatabase } from '@lockstep/platform';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { countWaiting } from '../harness/databases/waiting.ts';
import { batchOfEvent } from '../harness/orders/events.ts';
import { type TestDatabase, testDatabase } from '../harness/stack.ts';

/** Events get increasing numbers, so that a reader that continues after the last one misses none (rules 6.8). */

const PATIENTLY = { timeout: 30_000 };
const APPLICATION = '1' as ApplicationId;
const log = createLogger({ name: 'test', level: 'silent', secrets: new Set() });

let database: TestDatabase;
let db: Database;

beforeEach(async () => {
  database = await testDatabase();
  db = database.db;
  await sql`
    insert into application (id, app_key, name, secret_hash, scopes) overriding system value
    values (1, 'k1', 'Test', '', '{auth_order}')`.execute(db);
  await sql`
    insert into batch (id, application_id, channel_code, channel_order_id, sync_mode, digest, sequences, customer_ids,
      order_types, digest_version, request_id)
    select number, 1, 'test', number, 'async', '', '{1}', '{0}', '{new_buy}', 1, 'R'
    from generate_series(1, 5000) as number`.execute(db);
});

/** Writes the rows that a batch's completion writes. */
async function end(on: Database, ...batchIds: number[]): Promise<void> {
  await sql`
    insert into unnumbered_event (application_id, batch_id, type, happened_time, succeeded, failed, cancelled)
    select 1, id, 'batch.completed', now(), 1, 0, 0 from unnest(${batchIds}::bigint[]) as id`.execute(on);
}

/** Reads the feed from a position to its end. Returns the batches' numbers and the ID to continue from. */
async function readOn(after: bigint): Promise<{ batches: number[]; after: bigint }> {
  const batches: number[] = [];
  let place = after;
  for (let hasMore = true; hasMore; ) {
    const [page] = await readEventsAfter(db, [{ applicationId: APPLICATION, after: place, limit: 700 }]);
    for (const event of page!.events) {
      expect(BigInt(event.id)).toBeGreaterThan(place);
      place = BigInt(event.id);
      batches.push(Number(batchOfEvent(event).channelOrderId));
    }
    hasMore = page!.hasMore;
  }
  return { batches, after: place };
}

/** Blocks the commit of each transaction that numbers this batch while `work` runs. */
async function withHeldNumbering(batchId: number, work: () => Promise<void>): Promise<void> {
  await sql`
    create function wait_for_test() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock_shared(42::bigint); return null; end $$`.execute(db);
  await sql`
    create constraint trigger wait_for_test after insert on event deferrable initially deferred
    for each row when (new.batch_id = ${sql.lit(batchId)}) execute function wait_for_test()`.execute(db);
  await db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(42::bigint)`.execute(trx);
    await work();
  });
}

const waitingFor = (lockType: string, count: number) =>
  vi.waitUntil(async () => (await countWaiting(db, lockType)) === count, PATIENTLY);

describe('a reader that has read past the completion of a batch', () => {
  it('gets the event of a transaction that began before its read and commits after it', async () => {
    const early = await db.startTransaction().execute();
    await end(early, 1);
    await end(db, 2, 3);
    await numberEvents(db);
    const before = await readOn(0n);
    expect(before.batches).toEqual([2, 3]);
    await early.commit().execute();
    await numberEvents(db);
    expect((await readOn(before.after)).batches).toEqual([1]);
  });

  it('sees no later events while the numbering of earlier ones has not committed', async () => {
    const numberings: Promise<unknown>[] = [];
    let seen = { batches: [] as number[], after: 0n };
    const readMore = async () => {
      const { batches, after } = await readOn(seen.after);
      seen = { batches: [...seen.batches, ...batches], after };
    };
    await withHeldNumbering(1, async () => {
      await end(db, 1);
      numberings.push(numberEvents(db));
      await waitingFor('advisory', 1);
      await end(db, 2, 3);
      numberings.push(numberEvents(db));
      // The second transaction waits for the counter. Otherwise it would commit here, and the reader would skip the
      // first event.
      await Promise.race([waitingFor('transactionid', 1), numberings[1]]);
      await readMore();
    });
    await Promise.all(numberings);
    await readMore();
    expect(seen).toEqual({ batches: [1, 2, 3], after: 3n });
  });

  it('gets the events of a numbering that was rolled back', async () => {
    const other = openDatabase({ url: database.url, poolSize: 1, applicationName: 'victim', onError: () => {} });
    await withHeldNumbering(1, async () => {
      await end(db, 1);
      const dying = expect(numberEvents(other)).rejects.toThrow();
      await waitingFor('advisory', 1);
      await end(db, 2);
      const second = numberEvents(db);
      await waitingFor('transactionid', 1);
      await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'victim'`.execute(db);
      await dying;
      expect(await second).toEqual({ count: 1, applicationIds: [APPLICATION] });
    });
    await other.destroy();
    const before = await readOn(0n);
    expect(before).toEqual({ batches: [2], after: 1n });
    await numberEvents(db);
    expect(await readOn(before.after)).toEqual({ batches: [1], after: 2n });
  });
});

it('concurrent completions and numberings give each event one number, without gaps', async () => {
  const readers = { batches: [] as number[], after: 0n };
  let isWriting = true;
  const reading = (async () => {
    for (let last = false; !last; ) {
      last = !isWriting;
      const { batches, after } = await readOn(readers.after);
      readers.batches.push(...batches);
      readers.after = after;
    }
  })();
  const writers = Array.from({ length: 6 }, async (_, writer) => {
    for (let turn = 0; turn < 60; turn++) {
      const batchId = writer * 60 + turn + 1;
      await db.transaction().execute(async (trx) => {
        await end(trx as unknown as Database, batchId);
        if (turn % 7 === writer) await sql`select pg_sleep(0.01)`.execute(trx);
      });
      await numberEvents(db);
    }
  });
  await Promise.all(writers);
  isWriting = false;
  await reading;
  expect(readers.batches.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 360 }, (_, index) => index + 1));
  expect(readers.after).toBe(360n);
});

it('a process numbers any number of waiting events without the sweep', async () => {
  const numbers = Array.from({ length: 2_500 }, (_, index) => index + 1);
  await end(db, ...numbers);
  const numbering = new EventNumbering({ db, log });
  numbering.number();
  await numbering.settle();
  expect((await readOn(0n)).batches).toEqual(numbers);
});
