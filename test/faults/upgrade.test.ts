import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { AcceptedOrder, BatchResult } from '@lockstep/contract';
import { QUEUE_NAME } from '@lockstep/orders';
import { migratePostgresQueue, migrateUpTo } from '@lockstep/platform';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { hashSecret } from '../../packages/access/src/secrets.ts';
import { type Answer, Api, dataOf, refusalOf } from '../harness/api.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy } from '../harness/orders.ts';
import { type Ended, endEverything, runJob } from '../harness/processes.ts';
import { freePort } from '../harness/redis.ts';
import { ServiceProcess } from '../harness/service-process.ts';
import { createTestDatabase, type TestDatabase } from '../harness/stack.ts';
import { contentOfTables } from '../harness/tables.ts';

/**
 * A ledger as the release of FILLED_BY filled it, through its API and its worker, is upgraded while calls come.
 *
 * upgrade/ledger.sql is its rows, upgrade/sent.jsonl each batch that it accepted, with the answer, and
 * upgrade/caller.json the application that sent them, which exists nowhere else. Its customers are A, B and C, and D of
 * the member center. What is called pending-… had no worker any more.
 */
const FILLED_BY = '0032_live_tokens';
const FIXTURE = new URL('./upgrade/', import.meta.url);
const readFixture = (name: string) => readFile(new URL(name, FIXTURE), 'utf8');

type Batch = Omit<ReturnType<typeof batchOf>, 'syncMode'> & { syncMode: 'async' | 'sync' };

/** A batch that the release before accepted, and what it answered. */
interface Stored {
  sent: Batch;
  answer: AcceptedOrder[];
}

const stored: Stored[] = (await readFixture('sent.jsonl'))
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line));

/** What the database kept of each row, by table and primary key. */
type Rows = Record<string, Record<string, Record<string, unknown>>>;

const KEYS: Record<string, string> = {
  application: 'id',
  enterprise: 'id',
  customer: 'id',
  member: 'id',
  member_audit: 'id',
  batch: 'id',
  lane_chunk: "batch_id || '/' || lane",
  license_order: 'id',
  failed_order: 'license_order_id',
  asset: 'id',
  asset_grant: "asset_id || '/' || license_order_id",
  merchandise_instance: 'id',
  product_instance: 'id',
  asset_assignment: 'asset_id',
  asset_lending: 'asset_id',
  lock_audit: 'id',
};

async function readRows({ db }: TestDatabase): Promise<Rows> {
  const tables = Object.entries(KEYS).map(async ([table, key]) => {
    const { rows } = await sql<{ key: string; row: Record<string, unknown> }>`
      select (${sql.raw(key)})::text as key, to_jsonb(each) as row from ${sql.table(table)} as each`.execute(db);
    return [table, Object.fromEntries(rows.map(({ key, row }) => [key, row]))];
  });
  return Object.fromEntries(await Promise.all(tables));
}

/** Makes the tables of the release before and puts its rows there, past the triggers that watch how rows come to be. */
async function fill({ db, url }: TestDatabase): Promise<void> {
  await migrateUpTo(db, FILLED_BY);
  await migratePostgresQueue(url, QUEUE_NAME, 10_000);
  const tables = [...Object.keys(KEYS), 'asset_number'];
  const triggers = (change: 'enable' | 'disable') =>
    tables.map((table) => `alter table ${table} ${change} trigger user;`).join('\n');
  await sql
    .raw(`begin; ${triggers('disable')} ${await readFixture('ledger.sql')} ${triggers('enable')} commit`)
    .execute(db);
}

const REFUSED = { code: '500', cause: 'service_unavailable' };

/** Calls until it is answered with a success, and counts the refusals: each is one that a client may repeat. */
async function untilAnswered(call: () => Promise<Answer>, refusals: Answer[]) {
  for (;;) {
    const answer = await call();
    if (answer.status === 200) return dataOf(answer);
    expect(refusalOf(answer)).toMatchObject(REFUSED);
    expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    refusals.push(answer);
  }
}

let database: TestDatabase;
let service: { api: ServiceProcess; workers: ServiceProcess[] };
let api: Api;
let before: Rows;
let after: Rows;
let migrated: Ended;
const refusals: Answer[] = [];
/** Batches that were answered while the upgrade went on, each with its answer. */
const answered: Stored[] = [];
/** Answers of the release before, repeated by this one. */
const repeats: Stored[] = [];

const storedAs = (channelOrderId: string): Stored => stored.find(({ sent }) => sent.channelOrderId === channelOrderId)!;

/** Of the fixture's customers, as orders name them. */
const CUSTOMERS = ['100001', '100002', '100003'].map((id) => ({
  ...{ customerId: id, enterpriseGlobalId: id, channelCustomerId: id },
}));

beforeAll(async () => {
  database = await createTestDatabase({ migrated: false });
  await fill(database);
  const { appKey, appSecret } = JSON.parse(await readFixture('caller.json')) as { appKey: string; appSecret: string };
  const token = randomUUID();
  await sql`
    insert into access_token (token_hash, application_id, scopes, expires_time)
    values (${hashSecret(token)}, 1, '{auth_order}', now() + interval '1 hour')`.execute(database.db);
  before = await readRows(database);

  const port = String(await freePort());
  const env = { DATABASE_URL: database.url, REDIS_URL: '', PORT: port };
  service = { api: ServiceProcess.api(env), workers: [ServiceProcess.worker(env), ServiceProcess.worker(env)] };
  const processes = [service.api, ...service.workers];
  await Promise.all(processes.map((each) => each.launch('waits for the database')));
  api = new Api(`http://127.0.0.1:${port}`, { appKey, appSecret }, token);
  const content = await contentOfTables(database.db);

  const upgrade = { isOver: false };
  const callers = [...CUSTOMERS.map((customer) => buy(customer, upgrade)), poll(upgrade), repeat()];
  await vi.waitUntil(() => refusals.length > 20);
  expect(await contentOfTables(database.db)).toEqual(content);
  migrated = await runJob([process.execPath, 'apps/cli/src/migrate.ts'], { DATABASE_URL: database.url });
  await Promise.all([service.api.logged('api ready'), ...service.workers.map((each) => each.logged('worker ready'))]);
  upgrade.isOver = true;
  await Promise.all(callers);
  for (const { sent } of [...stored, ...answered]) await completed(sent);
  after = await readRows(database);
});
afterAll(async () => {
  const ended = await Promise.all([service.api, ...service.workers].map((each) => each.stop()));
  await database.close();
  await endEverything();
  expect(ended).toEqual([0, 0, 0]);
});

/** A channel that buys and revokes on one number, each batch only right after the one before, until all is over. */
async function buy(customer: (typeof CUSTOMERS)[number], upgrade: { isOver: boolean }): Promise<void> {
  const assetNum = newAssetNum();
  for (let left = 4; left > 0; left -= upgrade.isOver ? 1 : 0) {
    const sent = batchOf(
      newBuy(customer as never, [assetNum]),
      deleteAsset(customer as never, [assetNum]),
      newBuy(customer as never, [newAssetNum()]),
    );
    answered.push({ sent, answer: await untilAnswered(() => api.submit(sent), refusals) });
  }
}

/** Somebody who asks for the result of a batch that the release before has carried out. */
async function poll(upgrade: { isOver: boolean }): Promise<void> {
  const { channelCode, channelOrderId } = storedAs('fails').sent;
  const query = { channelCode, channelOrderId };
  do {
    const result = await untilAnswered(() => api.call('GET', '/licenseOrder/batchOrder', { query }), refusals);
    expect(result).toMatchObject({ state: 'completed', succeeded: 1, failed: 2 });
  } while (!upgrade.isOver);
}

/** Somebody who has lost all answers and sends everything again. */
async function repeat(): Promise<void> {
  for (const { sent } of stored) {
    repeats.push({ sent, answer: await untilAnswered(() => api.submit(sent), refusals) });
  }
}

const completed = (sent: Batch): Promise<BatchResult> => api.completed(sent);

/** What became of the orders of a batch of the release before. */
async function endsOf(channelOrderId: string): Promise<string[]> {
  const { orders } = await completed(storedAs(channelOrderId).sent);
  return orders.map(({ cause, state }) => cause ?? state);
}

describe('an upgrade while calls come', () => {
  it('ends well', () => {
    expect(migrated).toMatchObject({ status: 0, stderr: '' });
  });

  it('loses nothing that was answered and does nothing twice', async () => {
    expect(answered.length).toBeGreaterThanOrEqual(12);
    for (const { sent, answer } of answered) {
      const { orders } = await completed(sent);
      expect(orders.map(({ licenseOrderId }) => licenseOrderId)).toEqual(answer.map((order) => order.licenseOrderId));
      expect(orders.map(({ state }) => state)).toEqual(['succeeded', 'succeeded', 'succeeded']);
    }
    const { rows } = await sql<{ active: number; bought: number; orders: number }>`
      select count(*) filter (where revoked_time is null)::int as active, count(*)::int as bought,
        (select count(*)::int from license_order where id >= ${answered[0]!.answer[0]!.licenseOrderId}) as orders
      from asset where asset_num like '8%'`.execute(database.db);
    const batches = answered.length;
    expect(rows[0]).toEqual({ active: batches, bought: 2 * batches, orders: 3 * batches });
  });

  it('answers repeats of what the release before accepted as that did', async () => {
    expect(repeats).toEqual(stored);
  });

  it('keeps every row', () => {
    for (const [table, rows] of Object.entries(before)) {
      expect(Object.keys(after[table]!), table).toEqual(expect.arrayContaining(Object.keys(rows)));
    }
    for (const table of ['batch', 'license_order', 'failed_order', 'customer', 'enterprise', 'member', 'lock_audit']) {
      for (const [key, row] of Object.entries(before[table]!)) expect(after[table]![key], table).toMatchObject(row);
    }
  });

  it('keeps who holds what, and what is lent', () => {
    expect(after.asset_assignment).toMatchObject(before.asset_assignment!);
    expect(after.asset_lending).toMatchObject(before.asset_lending!);
  });
});

describe('orders that were pending', () => {
  it('take effect', async () => {
    expect(await endsOf('pending-purchase')).toEqual(['succeeded', 'succeeded', 'succeeded']);
    expect(await endsOf('pending-move')).toEqual(['succeeded']);
    expect(await endsOf('pending-last-of-pack')).toEqual(['succeeded']);
    expect(await endsOf('pending-end-of-move')).toEqual(['succeeded']);
    expect(await endsOf('pending-end-of-move-and-more')).toEqual(['succeeded']);
    expect(await endsOf('pending-end-of-way-back')).toEqual(['succeeded']);
  });

  it('one after the other where they name one number for two customers, in whichever order', async () => {
    expect([
      ['succeeded', 'succeeded'],
      ['asset_owned_by_other_customer', 'succeeded'],
    ]).toContainEqual(await endsOf('pending-shared'));
  });
});
