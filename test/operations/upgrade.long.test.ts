import { randomUUID } from 'node:crypto';
import type { BatchResult } from '@lockstep/contract';
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
import {
  type Batch,
  CUSTOMER_NAMES,
  caller,
  fill,
  findBatchName,
  type Rows,
  readRows,
  type Stored,
  stored,
  summarizeLedger,
} from './upgrade/filled-ledger.ts';

/** A ledger that the previous release has filled is upgraded while calls come. */

const PATIENTLY = { timeout: 30_000 };

const REFUSED = { code: '500', cause: 'service_unavailable' };

/** Repeats a call until it succeeds, and counts the refusals: a client may repeat each of them. */
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
/** Batches that were answered during the upgrade, each with its answer. */
const answered: Stored[] = [];
/** Answers of the previous release, repeated by this one. */
const repeats: Stored[] = [];

const storedAs = (channelOrderId: string): Stored => stored.find(({ sent }) => sent.channelOrderId === channelOrderId)!;

/** The fixture's customers, as orders name them. */
const CUSTOMERS = ['100001', '100002', '100003'].map((id) => ({
  ...{ customerId: id, enterpriseGlobalId: id, channelCustomerId: id },
}));

beforeAll(async () => {
  database = await createTestDatabase({ migrated: false });
  await fill(database);
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
  await service.api.logged('api listens');
  api = new Api(`http://127.0.0.1:${port}`, caller, token);
  const content = await contentOfTables(database.db);

  const upgrade = { isOver: false };
  const callers = Promise.all([...CUSTOMERS.map((customer) => buy(customer, upgrade)), poll(upgrade), repeat()]);
  callers.catch(() => {});
  await vi.waitUntil(() => refusals.length > 20, PATIENTLY);
  expect(await contentOfTables(database.db)).toEqual(content);
  migrated = await runJob([process.execPath, 'apps/cli/src/migrate.ts'], { DATABASE_URL: database.url });
  await Promise.all([service.api.logged('api ready'), ...service.workers.map((each) => each.logged('worker ready'))]);
  upgrade.isOver = true;
  await callers;
  for (const { sent } of [...stored, ...answered]) await completed(sent);
  after = await readRows(database);
}, 120_000);
afterAll(async () => {
  const ended = await Promise.all([service.api, ...service.workers].map((each) => each.stop()));
  await database.close();
  await endEverything();
  expect(ended).toEqual([0, 0, 0]);
});

/**
 * A channel that buys and revokes one number, each batch after the answer to the one before, until the upgrade is over.
 */
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

/** A client that asks for the result of a batch that the previous release has applied. */
async function poll(upgrade: { isOver: boolean }): Promise<void> {
  const { channelCode, channelOrderId } = storedAs('fails').sent;
  const query = { channelCode, channelOrderId };
  do {
    const result = await untilAnswered(() => api.call('GET', '/licenseOrder/batchOrder', { query }), refusals);
    expect(result).toMatchObject({ state: 'completed', succeeded: 1, failed: 2 });
  } while (!upgrade.isOver);
}

/** A client that has lost all answers and sends everything again. */
async function repeat(): Promise<void> {
  for (const { sent } of stored) {
    repeats.push({ sent, answer: await untilAnswered(() => api.submit(sent), refusals) });
  }
}

const completed = (sent: Batch): Promise<BatchResult> => api.completed(sent);

/** Reads the outcomes of the orders of a batch of the previous release. */
async function readOutcomes(channelOrderId: string): Promise<string[]> {
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
    const lastBefore = Math.max(...Object.keys(before.batch!).map(Number));
    const { rows } = await sql<{ active: number; bought: number; orders: number }>`
      select count(*) filter (where revoked_time is null)::int as active, count(*)::int as bought,
        (select count(*)::int from license_order where id / 8192 > ${lastBefore}::bigint) as orders
      from asset where asset_num like '8%'`.execute(database.db);
    const batches = answered.length;
    expect(rows[0]).toEqual({ active: batches, bought: 2 * batches, orders: 3 * batches });
  });

  it('answers repeats of batches as the previous release did', async () => {
    expect(repeats).toEqual(stored);
  });

  it('keeps every row', () => {
    for (const [table, rows] of Object.entries(before)) {
      expect(Object.keys(after[table]!), table).toEqual(expect.arrayContaining(Object.keys(rows)));
    }
    const moved = ['customer_id', 'revoked_time', 'revoked_by_order_id', 'held_by_order_id', 'updated_time'];
    const stays = (row: Record<string, unknown>) =>
      Object.fromEntries(Object.entries(row).filter(([column]) => !moved.includes(column)));
    for (const table of ['asset', 'asset_grant', 'merchandise_instance', 'product_instance']) {
      for (const [key, row] of Object.entries(before[table]!))
        expect(after[table]![key], table).toMatchObject(stays(row));
    }
    for (const table of ['batch', 'license_order', 'failed_order', 'customer', 'enterprise', 'member', 'lock_audit']) {
      for (const [key, row] of Object.entries(before[table]!)) expect(after[table]![key], table).toMatchObject(row);
    }
  });

  it('keeps assignments and lendings', () => {
    expect(after.asset_assignment).toMatchObject(before.asset_assignment!);
    expect(after.asset_lending).toMatchObject(before.asset_lending!);
  });
});

describe('the ledger of the previous release', () => {
  it('has every transfer, with both customers and the order', async () => {
    const { rows } = await sql<Record<string, string>>`
      select asset_num, license_order_id, from_customer_id, to_customer_id from asset_transfer
      join asset on asset.id = asset_id order by asset_id, license_order_id`.execute(database.db);
    const transfers = rows.map((row) => {
      const [from, to] = [row.from_customer_id!, row.to_customer_id!].map((id) => CUSTOMER_NAMES[id]);
      return `${row.asset_num}: ${from} to ${to} by ${findBatchName(row.license_order_id)}`;
    });
    expect(transfers.filter((transfer) => !transfer.includes('pending-'))).toEqual([
      'cloud-moved: A to B by move-cloud',
      'cloud-moved-only: A to B by move-cloud-only',
      'cloud-there-and-back: A to B by move-there',
      'cloud-there-and-back: B to A by move-back',
      'cloud-through-b: A to B by move-to-b',
      'cloud-through-b: B to C by move-to-c',
      'cloud-own-grant-ended: A to B by move-cloud-own',
      'key-moved: A to B by move-key',
      'key-own-grant-ended: A to B by move-key-own',
      'key-moved-ended: A to B by move-key-ended',
      'key-moved-empty: A to B by move-emptied-key',
      'key-stays: A to C by move-twice-in-one',
      'key-shared: A to B by shared',
    ]);
  });

  it.each([
    ['cloud-through-b', 'C', ['move-to-c'], ['gms-100', 'gms-300', 'gms-400'], []],
    // The transferring order's own grant was revoked; the former customer's grant was not.
    ['cloud-own-grant-ended', 'B', ['move-cloud-own'], ['gms-100'], []],
    ['key-own-grant-ended', 'B', ['move-key-own'], ['gms-100', 'gms-500', 'gms-600'], ['M-1', 'M-2']],
    ['key-moved-empty', 'B', ['move-emptied-key'], ['gms-300'], []],
    ['key-stays', 'C', ['move-twice-in-one'], ['gms-100', 'gms-500', 'gms-600', 'gms-700', 'gms-800'], ['M-1', 'M-2']],
    ['key-shared', 'B', ['shared'], ['gms-100', 'gms-200'], []],
  ])(
    'has the order that transferred %s stand for all that is on it',
    (assetNum, customer, grants, uris, merchandises) => {
      const by = (things: string[]) => things.map((thing) => `${thing} of ${grants[0]}`);
      expect(summarizeLedger(after, assetNum)).toEqual({
        customer,
        grants,
        products: by(uris),
        merchandises: by(merchandises),
      });
    },
  );

  it('has no active merchandise of which everything was revoked', () => {
    expect(summarizeLedger(after, 'pack-emptied')).toMatchObject({
      products: ['gms-100 of buy-packs'],
      merchandises: [],
    });
    expect(summarizeLedger(after, 'pack-inner-emptied')).toMatchObject({ merchandises: ['M-1 of buy-packs'] });
  });

  it('is otherwise unchanged', () => {
    expect(summarizeLedger(after, 'key-moved-ended')).toEqual(['revoked by null']);
    expect(summarizeLedger(after, 'key-rebought')).toMatchObject({ customer: 'A', grants: ['buy-again-2'] });
    expect(summarizeLedger(after, 'key-rebought-by-b')).toMatchObject({ customer: 'B', grants: ['buy-again-4'] });
    expect(summarizeLedger(after, 'key-reversed')).toMatchObject({
      customer: 'A',
      grants: ['buy-limited', 'reverse-limits'],
    });
    const reversed = Object.values(after.asset!).find(({ asset_num }) => asset_num === 'key-reversed');
    expect(reversed).toMatchObject({ limit_start_date: 3000, limit_end_date: 2000 });
  });
});

describe('orders that were pending', () => {
  it('take effect under the present rules', async () => {
    expect(await readOutcomes('pending-purchase')).toEqual(['succeeded', 'succeeded', 'succeeded']);
    expect(summarizeLedger(after, 'key-new')).toMatchObject({
      customer: 'A',
      products: ['gms-200 of pending-purchase'],
    });

    // The order that transferred a cloud asset revokes what was transferred, and not what was bought later.
    expect(await readOutcomes('pending-end-of-move')).toEqual(['succeeded']);
    expect(summarizeLedger(after, 'cloud-moved-only')).toEqual(['revoked by pending-end-of-move']);
    expect(await readOutcomes('pending-end-of-way-back')).toEqual(['succeeded']);
    expect(summarizeLedger(after, 'cloud-there-and-back')).toEqual(['revoked by pending-end-of-way-back']);
    expect(await readOutcomes('pending-end-of-move-and-more')).toEqual(['succeeded']);
    expect(summarizeLedger(after, 'cloud-moved')).toMatchObject({
      ...{ customer: 'B', grants: ['buy-after-move'], products: ['gms-400 of buy-after-move'] },
    });

    expect(await readOutcomes('pending-move')).toEqual(['succeeded']);
    const uris = ['gms-100', 'gms-300', 'gms-400', 'gms-500', 'gms-600'];
    expect(summarizeLedger(after, 'key-moved')).toEqual({
      ...{ customer: 'C', grants: ['pending-move'], products: uris.map((uri) => `${uri} of pending-move`) },
      merchandises: ['M-1 of pending-move', 'M-2 of pending-move'],
    });

    expect(await readOutcomes('pending-last-of-pack')).toEqual(['succeeded']);
    expect(summarizeLedger(after, 'pack-pending')).toMatchObject({
      products: ['gms-100 of buy-packs'],
      merchandises: [],
    });
    expect(await readOutcomes('pending-same-instances')).toEqual(['succeeded']);
    expect(summarizeLedger(after, 'key-two-products')).toMatchObject({ products: ['gms-200 of buy-two-products'] });
    expect(await readOutcomes('pending-purchase-from-another')).toEqual(['succeeded']);
    expect(await readOutcomes('pending-reversal')).toEqual(['dates_reversed']);
  });

  it('one after the other if they name one number for two customers, in any order', async () => {
    expect([
      ['succeeded', 'succeeded'],
      ['asset_owned_by_other_customer', 'succeeded'],
    ]).toContainEqual(await readOutcomes('pending-shared'));
    expect(summarizeLedger(after, 'key-shared-pending')).toMatchObject({ customer: 'B' });
  });
});

describe('what this release keeps beside a ledger', () => {
  it('has the asset numbers of orders that failed before, by which they are found', async () => {
    const numbers = Object.keys(before.failed_order!).map((id) => [id, after.failed_order![id]!.asset_nums]);
    expect(Object.fromEntries(numbers)).toEqual({ 294912: ['key-refused'] });
    const query = { assetNum: 'key-refused', state: 'failed' };
    const { orders } = dataOf(await api.call('GET', '/licenseOrder/orders', { query }));
    expect(orders).toMatchObject([{ licenseOrderId: '294912', cause: 'internal_error' }]);
  });

  it('has an event of each batch that was open, and none of those that had ended', async () => {
    const open = Object.values(before.lane_chunk!).filter(({ finished_time }) => finished_time === null);
    const ended = [...new Set(open.map(({ batch_id }) => before.batch![String(batch_id)]!.channel_order_id))];
    expect(ended).toContain('pending-shared');
    const expected = [...ended, ...answered.map(({ sent }) => sent.channelOrderId)].toSorted();
    const readEvents = async () => {
      const { rows } = await sql<{ channel_order_id: string; type: string; numbered: boolean }>`
        select channel_order_id, type, numbered from (
          select batch_id, type, true as numbered from event
          union all select batch_id, type, false from unnumbered_event
        ) as told join batch on batch.id = batch_id order by channel_order_id collate "C"`.execute(database.db);
      return rows;
    };
    await vi.waitFor(
      async () => expect((await readEvents()).filter(({ numbered }) => !numbered)).toEqual([]),
      PATIENTLY,
    );
    expect(await readEvents()).toEqual(
      expected.map((channel_order_id) => ({ channel_order_id, type: 'batch.completed', numbered: true })),
    );
  });
});
