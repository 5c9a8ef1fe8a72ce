import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { AcceptedOrder, Customer } from '@lockstep/contract';
import { PERIOD_TABLES, partitionOf } from '@lockstep/orders';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Answer, type Api, dataOf } from '../harness/api.ts';
import { ConsoleClient } from '../harness/console.ts';
import { batchOf, deleteAsset, deleteProduct, merchandise, newAssetNum, newBuy } from '../harness/orders.ts';
import { beginNextPeriod, passKeptDays, runPeriodCommand, startPeriodCommand, tablesOf } from '../harness/periods.ts';
import { endEverything, type Job, newDataDir } from '../harness/processes.ts';
import { type Stack, startStack } from '../harness/stack.ts';
import { syncOf } from '../harness/sync-batches.ts';

/** What stays as it was when a period is archived, what is refused then, and that no end of the command loses anything. */

let stack: Stack;
let api: Api;
let customer: Customer;
let directory: string;

beforeEach(async () => {
  stack = await startStack();
  api = await stack.newApi();
  customer = await api.newCustomer();
  directory = join(newDataDir(), 'period-0');
});
afterEach(() => stack.close());
afterAll(endEverything);

/** Runs the command, which must succeed, and returns what it says. */
async function archive(): Promise<unknown> {
  const { status, stdout, stderr } = await runPeriodCommand(stack.url, 'archive', '0', '--to', directory);
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

/** A period with a batch of every kind, all of it over. */
async function fillPeriod() {
  const [bought, transferred, gone] = [newAssetNum(), newAssetNum(), newAssetNum()];
  const other = await api.newCustomer(customer.enterpriseName);
  const async = batchOf(
    newBuy(customer, [bought, gone], {}, { merchandises: [merchandise()] }),
    newBuy(customer, [transferred]),
    deleteAsset(customer, [newAssetNum()]),
  );
  const orders = await api.accept(async);
  expect(await api.completed(async)).toMatchObject({ succeeded: 2, failed: 1 });
  const sync = syncOf(newBuy(customer, [bought], { srcLicenseOrderId: orders[0]!.licenseOrderId }));
  await api.accept(sync);
  await api.carryOut(deleteAsset(customer, [gone]), deleteProduct(customer, [bought]));
  return { async, sync, orders, numbers: { bought, transferred, gone }, other };
}
type Filled = Awaited<ReturnType<typeof fillPeriod>>;

/** The period is over: the next one has begun, and what is kept for days is deleted. */
async function endPeriod(): Promise<void> {
  await beginNextPeriod(stack.db);
  await passKeptDays(stack.db);
}

/** What channels and operators read of what the period did, and what a repeat of its batches is answered. */
async function readAll({ async, sync, numbers }: Filled) {
  const histories = [];
  const assets = [];
  for (const number of Object.values(numbers)) {
    histories.push(dataOf(await api.call('GET', `/asset/${number}/history`)));
    assets.push((await api.call('GET', `/asset/${number}`)).body.data);
  }
  const operator = await ConsoleClient.logIn(stack, 'viewer');
  const contents = await operator.send('getAssetContents', { params: { assetNum: numbers.bought } });
  const told = await operator.send('getAssetHistory', { params: { assetNum: numbers.bought } });
  return {
    histories,
    assets,
    contents: contents.body.data,
    told: told.body.data,
    repeats: [await api.accept(async), await api.accept(sync)],
  };
}

async function refused(answer: Promise<Answer>) {
  const { status, body } = await answer;
  return { status, code: body.code, cause: body.cause, message: body.message };
}

/** Orders that go on being sent, a batch of one at a time, each to be found with its outcome at the end. */
class Load {
  readonly sent: { batch: ReturnType<typeof batchOf>; accepted: AcceptedOrder[] }[] = [];
  #isOver = false;
  readonly #running: Promise<void>;

  constructor() {
    this.#running = this.#run();
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      const batch = batchOf(newBuy(customer, [newAssetNum()]));
      this.sent.push({ batch, accepted: await api.accept(batch) });
    }
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }
}

describe('an archived period', () => {
  it('answers repeats, and shows histories and what is on assets, as before; source orders of it stay good', async () => {
    const filled = await fillPeriod();
    await endPeriod();
    const before = await readAll(filled);
    expect(before.repeats[0]).toEqual(filled.orders);

    expect(await archive()).toMatchObject({ number: 0, step: 'done', directory, batches: 3, orders: 5 });
    expect(await tablesOf(stack.db, 0)).toEqual([]);

    expect(await readAll(filled)).toEqual(before);
    const changed = { ...filled.async, orderList: filled.async.orderList.slice(1) };
    expect(await refused(api.submit(changed))).toMatchObject({ cause: 'channel_order_id_conflict' });
    expect(await refused(api.submit({ ...filled.sync, syncMode: 'async' }))).toMatchObject({
      cause: 'channel_order_id_conflict',
    });

    const [, purchase, failed] = filled.orders;
    const again = await api.process(
      batchOf(
        newBuy(customer, [newAssetNum()], { srcLicenseOrderId: purchase!.licenseOrderId }),
        deleteAsset(customer, [filled.numbers.transferred], { srcLicenseOrderId: purchase!.licenseOrderId }),
        newBuy(customer, [newAssetNum()], { srcLicenseOrderId: failed!.licenseOrderId }),
      ),
    );
    expect(again.map(({ state, cause }) => [state, cause])).toEqual([
      ['succeeded', null],
      ['succeeded', null],
      ['failed', 'source_order_not_found'],
    ]);
  });

  it('refuses what asks for its batches and orders, and says so to operators', async () => {
    const { async, orders, numbers } = await fillPeriod();
    await endPeriod();
    await archive();

    const { channelCode, channelOrderId } = async;
    const query = { channelCode, channelOrderId };
    const today = new Date().toISOString().slice(0, 10);
    const batchArchived = {
      status: 299,
      code: '13004',
      cause: 'batch_archived',
      message: `Batch ${channelOrderId} of channel test was archived on ${today}: the operator of the service has what became of it.`,
    };
    expect(await refused(api.ask('getBatchResult', { query }))).toEqual(batchArchived);
    expect(await refused(api.ask('getFailedOrders', { query }))).toEqual(batchArchived);
    expect(await refused(api.submitCancel(async))).toEqual(batchArchived);
    const [{ licenseOrderId } = { licenseOrderId: '' }] = orders;
    expect(await refused(api.call('GET', `/licenseOrder/${licenseOrderId}`))).toMatchObject({
      status: 299,
      code: '13004',
      cause: 'order_archived',
    });

    const stranger = await stack.newApi();
    expect(await refused(stranger.ask('getBatchResult', { query }))).toMatchObject({ cause: 'batch_not_found' });
    expect(await refused(stranger.call('GET', `/licenseOrder/${licenseOrderId}`))).toMatchObject({
      cause: 'order_not_found',
    });
    const beyond = String(BigInt(licenseOrderId) + 3n);
    expect(await refused(api.call('GET', `/licenseOrder/${beyond}`))).toMatchObject({ cause: 'order_not_found' });

    expect(dataOf(await api.ask('listBatches')).batches).toEqual([]);
    expect(dataOf(await api.ask('listOrders')).orders).toEqual([]);
    for (const filter of [{ customerId: customer.customerId }, { assetNum: numbers.bought }]) {
      expect(dataOf(await api.ask('listOrders', { query: filter })).orders).toEqual([]);
    }

    const operator = await ConsoleClient.logIn(stack, 'viewer');
    const archived = { status: 410, body: { cause: 'archived', message: expect.stringContaining(channelOrderId) } };
    expect(await operator.send('getOrder', { params: { licenseOrderId } })).toMatchObject(archived);
    expect(await operator.send('getOrderEffects', { params: { licenseOrderId } })).toMatchObject(archived);
    const batchId = String(BigInt(licenseOrderId) / 8192n);
    expect(await operator.send('getBatch', { params: { batchId } })).toMatchObject(archived);
    expect(await operator.send('listBatchOrders', { params: { batchId } })).toMatchObject(archived);
    expect(await operator.send('search', { query: { text: licenseOrderId } })).toMatchObject({
      status: 200,
      body: { data: { hits: [{ kind: 'order', id: licenseOrderId, detail: channelOrderId }] } },
    });
    expect(await operator.send('getAssetHistory', { params: { assetNum: numbers.bought } })).toMatchObject({
      status: 200,
    });
  });

  it('is in its files, every row of it, and the manifest says what is there', async () => {
    await fillPeriod();
    await endPeriod();
    const rows = new Map<string, unknown[]>();
    for (const table of PERIOD_TABLES) {
      const stored = await sql<{ row: unknown }>`
        select row_to_json(t) as row from ${sql.table(partitionOf(table, 0))} as t order by 1::text`.execute(stack.db);
      rows.set(
        table,
        stored.rows.map(({ row }) => row),
      );
    }
    await archive();

    const manifest = JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8'));
    expect(manifest).toMatchObject({ format: 1, period: 0 });
    for (const { table, rows: count, columns, pieces } of manifest.tables) {
      const lines = pieces.flatMap(({ file }: { file: string }) =>
        gunzipSync(readFileSync(join(directory, file)))
          .toString()
          .split('\n')
          .slice(0, -1),
      );
      expect(count).toBe(lines.length);
      const read = lines.map((line: string) => JSON.parse(line));
      expect(read).toHaveLength(rows.get(table)!.length);
      expect(read).toEqual(expect.arrayContaining(rows.get(table)!));
      if (read.length > 0) expect(Object.keys(read[0])).toEqual(columns.map(({ name }: { name: string }) => name));
    }
    expect(rows.get('batch')).toHaveLength(3);
    expect(rows.get('license_order')).toHaveLength(6);
    expect(readdirSync(directory).filter((name) => name.endsWith('.part'))).toEqual([]);
  });
});

describe('kill -9 while a period is archived, with orders coming in', () => {
  let load: Load;
  afterEach(() => load.stop());

  /** Holds a transaction open in which a statement has run. */
  async function hold(statement: string): Promise<() => Promise<void>> {
    const { promise: held, resolve: hasRun } = Promise.withResolvers<void>();
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    const transaction = stack.db.transaction().execute(async (trx) => {
      await sql.raw(statement).execute(trx);
      hasRun();
      await over;
    });
    await held;
    return async () => {
      end();
      await transaction;
    };
  }

  const start = () => startPeriodCommand(stack.url, 'archive', '0', '--to', directory);

  /** Waits until the command has said something so many times. */
  const said = (job: Job, text: string, times = 1) =>
    vi.waitFor(() => expect(job.output.stderr.split(text).length - 1).toBeGreaterThanOrEqual(times), {
      timeout: 30_000,
    });
  /** Waits until the command waits for a lock. */
  const waitsForLock = () =>
    vi.waitFor(
      async () => {
        const { rows } = await sql`
          select from pg_locks join pg_stat_activity using (pid)
          where not granted and datname = current_database() and application_name like 'lockstep-cli%'`.execute(
          stack.db,
        );
        expect(rows).not.toEqual([]);
      },
      { timeout: 30_000 },
    );

  /** Starts the command and brings it behind its first wait, with a transaction open in which a statement has run. */
  async function startBehind(statement: string): Promise<{ job: Job; letGo: () => Promise<void> }> {
    const endFirst = await hold('select 1');
    const job = start();
    await said(job, 'waiting for transactions to end');
    const letGo = await hold(statement);
    await endFirst();
    return { job, letGo };
  }

  /** Starts the command and brings it to where it waits for a reader before it detaches license_order; batch is detached. */
  async function startDetaching(): Promise<{ job: Job; endReading: () => Promise<void> }> {
    const { job, letGo } = await startBehind('select 1');
    await said(job, 'waiting for transactions to end', 2);
    const endReading = await hold('select count(*) from license_order');
    await letGo();
    await said(job, 'detaching license_order_p0000');
    await waitsForLock();
    return { job, endReading };
  }

  async function killedWhileItWrites(): Promise<void> {
    const { job, endReading } = await startDetaching();
    const letGo = await hold('lock table batch_p0000 in access exclusive mode');
    await endReading();
    await said(job, 'writing batch_p0000');
    await waitsForLock();
    await kill(job);
    await letGo();
  }

  /** Kills the command, and waits until PostgreSQL has noticed: until then it goes on with the statement that it has. */
  async function kill(job: Job): Promise<void> {
    await job.end('SIGKILL');
    await vi.waitFor(
      async () => {
        const { rows } = await sql`
          select from pg_stat_activity
          where datname = current_database() and application_name like 'lockstep-cli%'`.execute(stack.db);
        expect(rows).toEqual([]);
      },
      { timeout: 30_000 },
    );
  }

  async function killAt(line: string, lock: string): Promise<void> {
    const letGo = await hold(lock);
    const job = start();
    await said(job, line);
    await waitsForLock();
    await kill(job);
    await letGo();
  }

  const PLACES: Record<string, () => Promise<void>> = {
    async 'before it begins'() {
      const letGo = await hold('select 1');
      const job = start();
      await said(job, 'waiting for transactions to end');
      await kill(job);
      await letGo();
    },
    async 'while it copies'() {
      const { job, letGo } = await startBehind('lock table archived_batch in share mode');
      await said(job, 'copying');
      await waitsForLock();
      await kill(job);
      await letGo();
    },
    async 'when all is copied'() {
      const { job, letGo } = await startBehind('select 1');
      await said(job, 'waiting for transactions to end', 2);
      await kill(job);
      await letGo();
    },
    async 'while it detaches a table'() {
      const { job, endReading } = await startDetaching();
      await kill(job);
      await endReading();
      const { rows } = await sql`select from pg_inherits where inhdetachpending`.execute(stack.db);
      expect(rows).toHaveLength(1);
    },
    async 'while it writes'() {
      await killedWhileItWrites();
      await killAt('writing lane_chunk_p0000', 'lock table lane_chunk_p0000 in access exclusive mode');
      expect(readdirSync(directory)).toContain('license_order-00001.jsonl.gz');
    },
    async 'while it verifies'() {
      await killedWhileItWrites();
      const endWriting = await hold('lock table operator_record_p0000 in access exclusive mode');
      const job = start();
      await said(job, 'writing operator_record_p0000');
      await waitsForLock();
      const letGo = await hold('lock table license_order_p0000 in access exclusive mode');
      await endWriting();
      await said(job, 'verifying license_order_p0000');
      await waitsForLock();
      await kill(job);
      await letGo();
    },
    async 'before it drops anything'() {
      await killedWhileItWrites();
      await killAt('dropping batch_p0000', 'lock table batch_p0000 in share mode');
      expect(await tablesOf(stack.db, 0)).toHaveLength(PERIOD_TABLES.length);
    },
    async 'when a part of the tables is dropped'() {
      await killedWhileItWrites();
      await killAt('dropping member_audit_p0000', 'lock table member_audit_p0000 in share mode');
      expect(await tablesOf(stack.db, 0)).toEqual(['member_audit_p0000', 'operator_record_p0000']);
    },
  };

  it.each(Object.keys(PLACES))('%s: run again, it is done, and nothing is lost', async (place) => {
    const filled = await fillPeriod();
    await endPeriod();
    const before = await readAll(filled);
    load = new Load();

    await PLACES[place]!();
    expect(await readAll(filled)).toEqual(before);
    await archive();
    await load.stop();

    expect(await tablesOf(stack.db, 0)).toEqual([]);
    expect(existsSync(join(directory, 'manifest.json'))).toBe(true);
    expect(await readAll(filled)).toEqual(before);
    expect(load.sent.length).toBeGreaterThan(0);
    const found = await Promise.all(load.sent.map(({ batch }) => api.completed(batch)));
    expect(found.map(({ orders }) => orders.map(({ licenseOrderId, state }) => [licenseOrderId, state]))).toEqual(
      load.sent.map(({ accepted }) => accepted.map(({ licenseOrderId }) => [licenseOrderId, 'succeeded'])),
    );
  });
});
