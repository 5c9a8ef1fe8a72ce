import type { ApplicationId } from '@lockstep/contract';
import { EventNumbering, EventWatch } from '@lockstep/orders';
import { type EventsAfter, numberEvents } from '@lockstep/orders/testing';
import { createLogger, type Database, Listener, openDatabase } from '@lockstep/platform';
import { type KyselyPlugin, RawNode, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../harness/stack.ts';

/** Thousands of calls wait for events at a cost that doesn't grow with their number (rules 6.8). */

const PATIENTLY = { timeout: 30_000 };
const LONG_MS = 30_000;
const log = createLogger({ name: 'test', level: 'silent', secrets: new Set() });
const OTHERS = 20;
const READERS = 1_000;

let database: TestDatabase;
/** The only connection of the watch. */
let db: Database;
let watch: EventWatch;
let listener: Listener;
let gone: AbortController;
/** The notifications received so far. */
let told: string[];
/** The number of statements that read events, and of those that check which applications have new ones. */
let statements: { reads: number; looks: number };

const counting: KyselyPlugin = {
  transformQuery({ node }) {
    if (RawNode.is(node)) statements[JSON.stringify(node).includes('event_limit') ? 'reads' : 'looks']++;
    return node;
  },
  transformResult: async ({ result }) => result,
};

beforeEach(async () => {
  database = await createTestDatabase();
  await sql`
    insert into application (id, app_key, name, secret_hash, scopes) overriding system value
    select id, id, 'Test', '', '{auth_order}' from generate_series(1, ${OTHERS + 1}::int) as id`.execute(database.db);
  await sql`
    insert into batch (id, application_id, channel_code, channel_order_id, sync_mode, digest, sequences, customer_ids,
      order_types, digest_version, request_id)
    select id, 1, 'test', id, 'async', '', '{1}', '{0}', '{new_buy}', 1, 'R' from generate_series(1, 100) as id`.execute(
    database.db,
  );
  db = openDatabase({ url: database.url, poolSize: 1, applicationName: 'watch', onError: () => {} });
  statements = { reads: 0, looks: 0 };
  watch = new EventWatch(db.withPlugin(counting));
  told = [];
  const receive = (payload: string) => {
    told.push(payload);
    watch.receive(payload);
  };
  listener = new Listener({
    url: database.url,
    applicationName: 'test',
    subscribers: [{ channel: watch.channel, receive }],
    onLost: () => {},
  });
  await listener.start();
  gone = new AbortController();
});
afterEach(async () => {
  watch.close();
  await listener.close();
  await db.destroy();
  await database.close();
});

/** Inserts completed batches of an application, as far as the feed needs them, and numbers their events. */
async function end(batchIds: number[], applicationId = 1): Promise<void> {
  await sql`
    insert into unnumbered_event (application_id, batch_id, type, completed_time, succeeded, failed, cancelled)
    select ${applicationId}, id, 'batch.completed', now(), 1, 0, 0 from unnest(${batchIds}::bigint[]) as id`.execute(
    database.db,
  );
  await numberEvents(database.db);
}

interface Waiting {
  applicationId?: number;
  after?: number;
  limit?: number;
  ms?: number;
}

/** Waits as a call does. Returns the batches of the events in its answer, and whether more follow. */
async function wait({ applicationId = 1, after = 0, limit = 100, ms = LONG_MS }: Waiting = {}) {
  const place = { applicationId: String(applicationId) as ApplicationId, after: BigInt(after), limit };
  return show(await watch.wait(place, performance.now() + ms, gone.signal).found);
}

const show = (found: EventsAfter | null) =>
  found && { batches: found.events.map(({ data }) => data.channelOrderId), hasMore: found.hasMore };

describe('a thousand waiting calls, and some of other applications,', () => {
  const others = Array.from({ length: OTHERS }, (_, index) => index + 2);

  it('are answered with one read per application, without a query per call', async () => {
    const answers = Array.from({ length: READERS }, () => wait());
    const waiting = others.map((applicationId) => wait({ applicationId }));
    // Waiting calls don't hold the connection.
    await sql`select`.execute(db);
    await end([1]);
    for (const answer of await Promise.all(answers)) expect(answer).toEqual({ batches: ['1'], hasMore: false });
    expect(statements.reads).toBe(1);
    gone.abort();
    expect(await Promise.all(waiting)).toEqual(others.map(() => null));
    expect(statements.reads).toBe(1);
    expect(statements.looks).toBeLessThan(30);
  });

  it('are answered the same way if the notification is lost', async () => {
    await listener.close();
    const answers = Array.from({ length: READERS }, () => wait());
    const waiting = others.map((applicationId) => wait({ applicationId }));
    await end([1]);
    for (const answer of await Promise.all(answers)) expect(answer).toEqual({ batches: ['1'], hasMore: false });
    expect(statements.reads).toBe(1);
    expect(statements.looks).toBeLessThan(30);
    gone.abort();
    await Promise.all(waiting);
  });
});

it('each call gets the events after its own position, up to its limit', async () => {
  const [first, small, second, beyond] = [wait(), wait({ limit: 1 }), wait({ after: 1 }), wait({ after: 3 })];
  await end([11, 12, 13]);
  expect(await first).toEqual({ batches: ['11', '12', '13'], hasMore: false });
  expect(await small).toEqual({ batches: ['11'], hasMore: true });
  expect(await second).toEqual({ batches: ['12', '13'], hasMore: false });
  await end([14]);
  expect(await beyond).toEqual({ batches: ['14'], hasMore: false });
});

it('a call that waits at a later position is answered if a full page ends before it', async () => {
  const [first, further] = [wait({ limit: 2 }), wait({ after: 2, limit: 2 })];
  await end([11, 12, 13, 14, 15]);
  expect(await first).toEqual({ batches: ['11', '12'], hasMore: true });
  expect(await further).toEqual({ batches: ['13', '14'], hasMore: true });
});

it('events of many applications at once wake the calls of each', async () => {
  const applicationIds = Array.from({ length: OTHERS + 1 }, (_, index) => index + 1);
  const answers = applicationIds.map((applicationId) => wait({ applicationId }));
  await sql`
    insert into unnumbered_event (application_id, batch_id, type, completed_time, succeeded, failed, cancelled)
    select id, id, 'batch.completed', now(), 1, 0, 0 from generate_series(1, ${OTHERS + 1}::int) as id`.execute(
    database.db,
  );
  const numbered: ApplicationId[][] = [];
  const numbering = new EventNumbering({ db: database.db, log, onNumbered: (ids) => numbered.push([...ids]) });
  numbering.number();
  for (const [index, answer] of answers.entries()) expect(await answer).toMatchObject({ batches: [`${index + 1}`] });
  await numbering.settle();
  expect(numbered.map((ids) => ids.map(Number).toSorted((a, b) => a - b))).toEqual([applicationIds]);
});

describe('a waiting call ends', () => {
  it('when its time is up, and leaves no queries behind', async () => {
    expect(await wait({ ms: 1 })).toBe(null);
    await end([1]);
    await vi.waitUntil(() => told.length > 0, PATIENTLY);
    expect(told).toEqual(['1']);
    expect(statements.reads).toBe(0);
  });

  it('when its client disconnects, before or while it waits', async () => {
    const leaving = wait();
    gone.abort();
    expect(await leaving).toBe(null);
    expect(await wait()).toBe(null);
  });

  it('when the process stops, before or while it waits', async () => {
    const stopping = wait();
    watch.close();
    expect(await stopping).toBe(null);
    expect(await wait()).toBe(null);
  });

  it('with the fault if the events cannot be read', async () => {
    await sql`alter table event rename to away`.execute(database.db);
    await expect(wait({ ms: 2_000 })).rejects.toThrow('event');
  });

  it('with the events if a fault passes in time', async () => {
    await sql`alter table event rename to away`.execute(database.db);
    const answer = wait();
    await vi.waitUntil(() => statements.looks > 0, PATIENTLY);
    await sql`alter table away rename to event`.execute(database.db);
    await end([1]);
    expect(await answer).toMatchObject({ batches: ['1'] });
  });
});
