import type { ApplicationId, EventId } from '@lockstep/contract';
import { awaitEvents, EventNumbering, type Watch, watchEvents } from '@lockstep/orders';
import { numberEvents } from '@lockstep/orders/testing';
import { createLogger, type Database, Listener, openDatabase } from '@lockstep/platform';
import { type KyselyPlugin, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { batchOfEvent } from '../../harness/orders/events.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/stack.ts';

/** Thousands of calls wait for events at a cost that doesn't grow with their number (rules 6.8). */

const PATIENTLY = { timeout: 30_000 };
const log = createLogger({ name: 'test', level: 'silent', secrets: new Set() });
const OTHERS = 20;
const READERS = 1_000;

let database: TestDatabase;
/** The only connection of the waiting calls. */
let db: Database;
let counted: Database;
let watch: Watch<ApplicationId>;
let listener: Listener;
let gone: AbortController;
/** The notifications received so far. */
let told: string[];
/** How many statements have read events, checked the position of a call without any, and looked for new events. */
let statements: { reads: number; checks: number; looks: number };

const counting: KyselyPlugin = {
  transformQuery({ node }) {
    const text = JSON.stringify(node);
    if (text.includes('event_limit')) statements.reads++;
    if (text.includes('as wanted (id)')) statements.looks++;
    else if (text.includes('from event_counter')) statements.checks++;
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
    select id, 1, 'test', id, 'async', '', '{1}', '{0}', '{new_buy}', 1, 'R'
    from generate_series(1, 100) as id`.execute(database.db);
  db = openDatabase({ url: database.url, poolSize: 1, applicationName: 'watch', onError: () => {} });
  statements = { reads: 0, checks: 0, looks: 0 };
  counted = db.withPlugin(counting);
  watch = watchEvents(counted);
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
    insert into unnumbered_event (application_id, batch_id, type, happened_time, succeeded, failed, cancelled)
    select ${applicationId}, id, 'batch.completed', now(), 1, 0, 0
    from unnest(${batchIds}::bigint[]) as id`.execute(database.db);
  await numberEvents(database.db);
}

interface Waiting {
  applicationId?: number;
  after?: number;
  limit?: number;
  seconds?: number;
}

/** Waits as a call does. Returns the batches of the events in its answer, and whether more follow. */
async function wait({ applicationId = 1, after = 0, limit = 100, seconds = 30 }: Waiting = {}) {
  const query = { after: String(after) as EventId, limit, waitSeconds: seconds };
  const found = await awaitEvents(counted, watch, String(applicationId) as ApplicationId, query, gone.signal);
  return { batches: found.events.map((event) => batchOfEvent(event).channelOrderId), hasMore: found.hasMore };
}
const NOTHING = { batches: [], hasMore: false };

/** Resolves when this many calls have read that there is nothing for them, and wait. */
async function untilWaiting(calls: number): Promise<void> {
  await vi.waitUntil(() => statements.checks === calls, PATIENTLY);
  await sql`select`.execute(db);
}

describe('a thousand waiting calls, and some of other applications,', () => {
  const others = Array.from({ length: OTHERS }, (_, index) => index + 2);

  it.each([
    ['the notification', async () => {}],
    ['the next look, as the notification is lost', () => listener.close()],
  ])('are answered after %s with one read per application, without a query per call', async (_, prepare) => {
    await prepare();
    const answers = Array.from({ length: READERS }, () => wait());
    const waiting = others.map((applicationId) => wait({ applicationId }));
    // Waiting calls don't hold the connection.
    await untilWaiting(READERS + OTHERS);
    await end([1]);
    for (const answer of await Promise.all(answers)) expect(answer).toEqual({ batches: ['1'], hasMore: false });
    expect(statements.reads).toBe(READERS + OTHERS + 1);
    gone.abort();
    expect(await Promise.all(waiting)).toEqual(others.map(() => NOTHING));
    expect(statements.reads).toBe(READERS + OTHERS + 1);
    expect(statements.looks).toBeLessThan(30);
  });
});

it('each call gets the events after its own position, up to its limit', async () => {
  await end([1, 2, 3]);
  await vi.waitUntil(() => told.length > 0, PATIENTLY);
  const [first, small, beyond, further] = [
    wait({ after: 3 }),
    wait({ after: 3, limit: 1 }),
    wait({ after: 3, limit: 2 }),
    wait({ applicationId: 2, after: 3 }),
  ];
  await untilWaiting(4);
  await end([11, 12]);
  expect(await first).toEqual({ batches: ['11', '12'], hasMore: false });
  expect(await small).toEqual({ batches: ['11'], hasMore: true });
  expect(await beyond).toEqual({ batches: ['11', '12'], hasMore: false });
  gone.abort();
  expect(await further).toEqual(NOTHING);
});

it('events of many applications at once wake the calls of each', async () => {
  const applicationIds = Array.from({ length: OTHERS + 1 }, (_, index) => index + 1);
  const answers = applicationIds.map((applicationId) => wait({ applicationId }));
  await sql`
    insert into unnumbered_event (application_id, batch_id, type, happened_time, succeeded, failed, cancelled)
    select id, id, 'batch.completed', now(), 1, 0, 0
    from generate_series(1, ${OTHERS + 1}::int) as id`.execute(database.db);
  const numbered: ApplicationId[][] = [];
  const numbering = new EventNumbering({ db: database.db, log, onNumbered: (ids) => numbered.push([...ids]) });
  numbering.number();
  for (const [index, answer] of answers.entries()) expect(await answer).toMatchObject({ batches: [`${index + 1}`] });
  await numbering.settle();
  expect(numbered.map((ids) => ids.map(Number).toSorted((a, b) => a - b))).toEqual([applicationIds]);
});

describe('a waiting call ends', () => {
  it('when its time is up, and leaves no queries behind', async () => {
    expect(await wait({ seconds: 0.01 })).toEqual(NOTHING);
    const { reads } = statements;
    await end([1]);
    await vi.waitUntil(() => told.length > 0, PATIENTLY);
    expect(told).toEqual(['1']);
    expect(statements.reads).toBe(reads);
  });

  it.each([
    ['its client disconnects', () => gone.abort()],
    ['the process stops', () => watch.close()],
  ])('when %s, before or while it waits', async (_, stop) => {
    const waiting = wait();
    await untilWaiting(1);
    stop();
    expect(await waiting).toEqual(NOTHING);
    expect(await wait()).toEqual(NOTHING);
  });

  it('with the fault if the events cannot be read at its end', async () => {
    const waiting = expect(wait({ seconds: 1 })).rejects.toThrow('event');
    await untilWaiting(1);
    await sql`alter table event rename to away`.execute(database.db);
    await waiting;
  });

  it('with the events if a fault passes in time', async () => {
    const answer = wait();
    await untilWaiting(1);
    await sql`alter table event rename to away`.execute(database.db);
    await vi.waitUntil(() => statements.looks > 0, PATIENTLY);
    await sql`alter table away rename to event`.execute(database.db);
    await end([1]);
    expect(await answer).toMatchObject({ batches: ['1'] });
  });
});
