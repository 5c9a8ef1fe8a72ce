import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import type { AcceptedOrder, Customer } from '@lockstep/contract';
import { laneOf, lockLanes } from '@lockstep/orders/testing';
import { openDatabase } from '@lockstep/platform';
import { Redis } from 'ioredis';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { Api, dataOf, refusalOf } from '../harness/api.ts';
import { blocksOf } from '../harness/browser/pages.ts';
import { newCustomersInLanes } from '../harness/orders/lanes.ts';
import { batchOf, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import {
  endEverything,
  lockstep,
  newDataDir,
  npmStart,
  type RunningStack,
  runJob,
} from '../harness/processes/processes.ts';

/** Redis databases that no other test uses: the restored service finds no jobs. */
const [QUEUE, EMPTY_QUEUE] = ['9', '10'];
const BATCHES_BEFORE = 40;
const BATCHES_MEANWHILE = 20;

/** A batch that a channel has sent, and the answer. */
interface Sent {
  batch: Omit<ReturnType<typeof batchOf>, 'syncMode'> & { syncMode: 'async' | 'sync' };
  answered: AcceptedOrder[];
}

const newBatch = (customer: Customer, syncMode: 'async' | 'sync' = 'async') => ({
  ...batchOf(newBuy(customer, [newAssetNum()]), newBuy(customer, [newAssetNum()])),
  syncMode,
});
const idsOf = (sent: readonly Sent[]) => sent.flatMap(({ answered }) => answered.map((order) => order.licenseOrderId));

/** Channels that send batches until they are told to stop. */
class Load {
  readonly sent: Sent[] = [];
  #isStopped = false;
  #looks = new Set<() => void>();
  readonly #senders: Promise<void>[];

  constructor(api: Api, customers: readonly Customer[]) {
    this.#senders = customers.map(async (customer, index) => {
      while (!this.#isStopped) {
        const batch = newBatch(customer, index === 0 ? 'sync' : 'async');
        this.sent.push({ batch, answered: await api.accept(batch) });
        for (const look of this.#looks) look();
      }
    });
  }

  /** Waits until this many more batches have been answered. */
  async more(batches: number): Promise<void> {
    const enough = this.sent.length + batches;
    const answered = new Promise<void>((resolve) => {
      this.#looks.add(() => this.sent.length >= enough && resolve());
    });
    await Promise.race([answered, ...this.#senders]);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#senders);
  }
}

describe('npm start, backed up under load with the commands of the docs, and lost', () => {
  const commandOf = (words: string) =>
    ['docs/deployment.md', 'docs/runbooks/database-lost.md']
      .flatMap((page) => blocksOf(page, 'sh'))
      .find((block) => block.includes(`npx lockstep database ${words}`)) ?? '';
  const [backupCommand, restoreCommand] = [commandOf('backup'), commandOf('restore')];
  let lost: RunningStack;
  let backup: string;
  let load: Load;
  let before: Sent[];
  let waiting: Sent[];
  /** Tokens and nonces of calls before and after the backup. */
  let old: { token: string; nonce: string };
  let later: { token: string; customerId: string; assetNums: string[]; lastEventId: string };
  let credentials: { appKey: string; appSecret: string };
  let restored: RunningStack;
  /** Batches that only the restored service got. */
  const fresh: Sent[] = [];
  let api: Api;

  const openDatabaseOf = ({ dataDir }: RunningStack) => {
    const { databaseUrl: url } = JSON.parse(readFileSync(join(dataDir, 'stack.json'), 'utf8'));
    return openDatabase({ url, poolSize: 1, applicationName: 'test', onError: () => {} });
  };

  beforeAll(async () => {
    const redis = new Redis(inject('redisUrl'));
    for (const database of [QUEUE, EMPTY_QUEUE]) await redis.select(Number(database)).then(() => redis.flushdb());
    redis.disconnect();

    lost = await npmStart(newDataDir(), { REDIS_URL: `${inject('redisUrl')}/${QUEUE}` });
    credentials = lost.demo;
    const first = await Api.logIn(lost.demo.baseUrl, credentials);
    old = { token: first.token, nonce: 'used-before-the-backup' };
    const [held, ...customers] = (await newCustomersInLanes(first, 4)) as [Customer, ...Customer[]];
    const heldBatch = newBatch(held);
    load = new Load(first, customers);
    await load.more(BATCHES_BEFORE);

    // From here on, orders of this customer cannot be applied, so they are pending in the backup.
    const db = openDatabaseOf(lost);
    const hold = await db.startTransaction().execute();
    // Backing up takes its time on a busy machine.
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(hold);
    const { id: channelId } = await sql<{ id: number }>`select id from channel where code = ${held.channelCode}`
      .execute(hold)
      .then(({ rows }) => rows[0]!);
    await lockLanes(hold, [laneOf(channelId, held.customerId)]);
    waiting = [{ batch: heldBatch, answered: dataOf(await first.submit(heldBatch, { nonce: old.nonce })) }];
    before = [...load.sent, ...waiting];

    const home = dirname(lost.dataDir);
    const taken = await runJob(['bash', '-euc', `${backupCommand}printf '%s\\n' "$backup"`], {
      DATA_DIR: lost.dataDir,
      HOME: home,
    });
    expect(taken).toMatchObject({ status: 0, stderr: '' });
    backup = taken.stdout.trimEnd().split('\n').at(-1)!;

    await load.more(BATCHES_MEANWHILE);
    const after = await Api.logIn(lost.demo.baseUrl, credentials);
    const { customerId } = await after.newCustomer();
    later = { token: after.token, customerId, assetNums: await newNumbers(after), lastEventId: '' };
    await load.stop();
    later.lastEventId = dataOf(await after.ask('getEvents', { query: { limit: '1000', waitSeconds: '30' } })).lastId;
    const { channelCode, channelOrderId } = heldBatch;
    const query = { channelCode, channelOrderId };
    const pending = dataOf(await first.call('GET', '/licenseOrder/batchOrder', { query }));
    expect(pending).toMatchObject({ state: 'accepted', pending: 2 });
    await lost.job.endGroup('SIGKILL');
    await hold
      .rollback()
      .execute()
      .catch(() => {});
    await db.destroy();

    const dataDir = newDataDir();
    const [command = '', start] = restoreCommand.trimEnd().split('\n');
    expect(start).toBe('npm start');
    expect(await runJob(['bash', '-euc', command], { DATA_DIR: dataDir, backup })).toMatchObject({
      status: 0,
      stderr: '',
    });
    restored = await npmStart(dataDir, { REDIS_URL: `${inject('redisUrl')}/${EMPTY_QUEUE}` });
    api = new Api(restored.demo.baseUrl, credentials, old.token);
  });
  afterAll(endEverything);

  const newNumbers = async (caller: Api): Promise<string[]> =>
    dataOf(await caller.call('POST', '/shellnums', { body: { size: 5 } }));

  it('has accepted batches of both modes before the backup, and more after it', () => {
    expect(new Set(before.map(({ batch }) => batch.syncMode))).toEqual(new Set(['sync', 'async']));
    expect(load.sent.length).toBeGreaterThan(before.length);
  });

  it('the file can be read by its owner only, and is the only one', () => {
    expect(statSync(backup).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(backup)).filter((name) => name.includes('.tar'))).toHaveLength(1);
  });

  it('applies every batch that was answered before the backup, even a pending one, although the queue is lost', async () => {
    for (const { batch, answered } of before) {
      const result = await api.completed(batch);
      expect(result).toMatchObject({ state: 'completed', succeeded: 2, failed: 0 });
      expect(result.orders.map((order) => order.licenseOrderId)).toEqual(idsOf([{ batch, answered }]));
    }
  });

  it('gives out no id and no number that was given out after the backup', async () => {
    const customer = await api.newCustomer();
    expect(customer.customerId).not.toBe(later.customerId);
    const given = new Set(idsOf([...load.sent, ...waiting]));
    for (let sent = before.length; sent < load.sent.length; sent++) {
      const batch = newBatch(customer);
      fresh.push({ batch, answered: await api.accept(batch) });
    }
    for (const { batch } of fresh) expect((await api.completed(batch)).succeeded).toBe(2);
    expect(idsOf(fresh).filter((id) => given.has(id))).toEqual([]);
    const numbers = await newNumbers(api);
    expect(numbers.filter((number) => later.assetNums.includes(number))).toEqual([]);
  });

  it('has new events behind the last one that a reader saw before the loss', async () => {
    const batch = newBatch(await api.newCustomer());
    fresh.push({ batch, answered: await api.accept(batch) });
    const query = { after: later.lastEventId, limit: '1000', waitSeconds: '30' };
    const named: string[] = [];
    while (!named.includes(batch.channelOrderId)) {
      const { events, lastId } = dataOf(await api.ask('getEvents', { query }));
      for (const { data } of events) named.push(data.channelOrderId);
      query.after = lastId;
    }
    expect(named).toEqual(expect.arrayContaining(fresh.map((sent) => sent.batch.channelOrderId)));
  });

  it('returns the same answer to a resubmitted batch, or accepts it under ids never returned before', async () => {
    for (const { batch, answered } of before) expect(await api.accept(batch)).toEqual(answered);

    const given = new Set(idsOf([...load.sent, ...waiting, ...fresh]));
    let anew = 0;
    for (const { batch, answered } of load.sent.slice(before.length - waiting.length)) {
      const again = await api.accept(batch);
      const known = again.filter((order) => given.has(order.licenseOrderId));
      if (known.length > 0) expect(again).toEqual(answered);
      else anew++;
      expect((await api.completed(batch)).succeeded).toBe(2);
    }
    expect(anew).toBeGreaterThan(0);
  });

  it('has done nothing twice', async () => {
    const db = openDatabaseOf(restored);
    const { rows } = await sql<{ assets: number; numbers: number; products: number; orders: number }>`
      select (select count(*)::int from asset) as assets, (select count(distinct asset_num)::int from asset) as numbers,
        (select count(*)::int from product_instance) as products,
        (select count(*)::int from license_order) as orders`.execute(db);
    await db.destroy();
    const orders = 2 * (load.sent.length + waiting.length + fresh.length);
    expect(rows).toEqual([{ assets: orders, numbers: orders, products: orders, orders }]);
  });

  it('is in the audit log of operators, as the backup is', async () => {
    const db = openDatabaseOf(restored);
    const { rows } = await sql`
      select action, actor, after from operator_audit where action like 'database.%' order by id`.execute(db);
    await db.destroy();
    const actor = `${userInfo().username}@${hostname()}`;
    expect(rows).toEqual([
      { action: 'database.backup_begun', actor, after: { file: backup } },
      { action: 'database.restored', actor, after: { file: backup, idsMovedOnBy: 1_000_000 } },
    ]);
  });

  it('knows the tokens and nonces from before the backup, and no tokens from after it', async () => {
    const query = { channelCode: 'test', channelCustomerId: 'none', defaultCustomer: 'N' };
    const path = '/enterprise/user/query';
    const replayed = await api.call('GET', path, { query, nonce: old.nonce });
    expect(refusalOf(replayed)).toMatchObject({ cause: 'nonce_replayed' });
    expect(dataOf(await api.call('GET', path, { query }))).toEqual([]);
    expect(refusalOf(await api.call('GET', path, { query, token: later.token }))).toMatchObject({
      cause: 'token_invalid',
    });
  });

  it.each<[what: string, status: number, run: () => ReturnType<typeof lockstep>, named: () => string]>([
    ['a backup onto one', 64, () => lockstep(restored.dataDir, 'database', 'backup', backup), () => backup],
    ['a backup of nothing', 69, () => lockstep(newDataDir(), 'database', 'backup', '/tmp/none.tar'), () => 'npm start'],
    [
      'a restore over a database',
      2,
      () => lockstep(restored.dataDir, 'database', 'restore', backup),
      () => restored.dataDir,
    ],
    ['no file', 64, () => lockstep(newDataDir(), 'database', 'restore', '/none.tar'), () => '/none.tar'],
    ['no backup', 1, () => lockstep(newDataDir(), 'database', 'restore', 'README.md'), () => 'tar: '],
  ])('refuses %s with status %i', async (_, expected, run, named) => {
    const { status, stdout, stderr } = await run();
    expect({ status, stdout }).toEqual({ status: expected, stdout: '' });
    expect(stderr).toContain(named());
    expect(stderr.trimEnd()).not.toContain('\n');
  });

  it('refuses a file that is cut off, and leaves nothing behind', async () => {
    const whole = readFileSync(backup);
    const cut = join(dirname(backup), 'cut.tar');
    writeFileSync(cut, whole.subarray(0, whole.length - 8 * 1024 * 1024));
    const dataDir = newDataDir();
    const { status, stderr } = await lockstep(dataDir, 'database', 'restore', cut);
    expect(status).toBe(1);
    expect(stderr).toContain('tar: ');
    expect(readdirSync(dataDir)).toEqual([]);
  });
});
