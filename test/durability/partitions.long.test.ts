import { readFileSync } from 'node:fs';
import { LedgerIds } from '@lockstep/assets';
import { CleanUp, createLogger, PeriodKeeper, readSchemaState } from '@lockstep/platform';
import type { RunningWorker } from '@lockstep/worker';
import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { drainLanes } from '../../packages/orders/src/drain.ts';
import { Holds } from '../../packages/orders/src/holds.ts';
import { LANE_COUNT } from '../../packages/orders/src/lanes.ts';
import { type Api, refusalOf } from '../harness/api.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy } from '../harness/orders.ts';
import { type Stack, startStack } from '../harness/stack.ts';

const silent = createLogger({ name: 'test', level: 'silent' });

let stack: Stack;
let api: Api;
let worker: RunningWorker;

beforeEach(async () => {
  stack = await startStack({ worker: false });
  worker = await stack.startWorker();
  api = await stack.newApi();
});
afterEach(() => stack.close());

/** Begins the next period as a worker does at the first look of a month. */
async function beginPeriod(after: number): Promise<number | null> {
  const { rows } = await sql<{ begun: number | null }>`select begin_period(${after}) as begun`.execute(stack.db);
  return rows[0]!.begun;
}

/** How many rows of a table lie in each of its partitions that have any. */
async function countByPartition(table: string): Promise<Record<string, number>> {
  const { rows } = await sql<{ partition: string; rows: number }>`
    select tableoid::regclass::text as partition, count(*)::int as rows from ${sql.table(table)}
    group by 1 order by 1`.execute(stack.db);
  return Object.fromEntries(rows.map(({ partition, rows }) => [partition, rows]));
}

const PARTITIONED = ['batch', 'lane_chunk', 'license_order', 'event', 'member_audit', 'operator_record'];

describe('a period that begins', () => {
  it('has its rows in partitions of its own, and what was before is found, repeated and revoked as ever', async () => {
    const [customer, assetNum] = [await api.newCustomer(), newAssetNum()];
    const [before, after] = [batchOf(newBuy(customer, [assetNum])), batchOf(deleteAsset(customer, [assetNum]))];
    const accepted = await api.accept(before);
    await api.completed(before);
    expect(await beginPeriod(0)).toBe(1);
    expect(await api.accept(before)).toEqual(accepted);
    await api.process(after);
    expect(await api.completed(after)).toMatchObject({ succeeded: 1 });
    for (const table of ['batch', 'lane_chunk', 'license_order']) {
      expect(await countByPartition(table)).toEqual({ [`${table}_p0000`]: 1, [`${table}_p0001`]: 1 });
    }
    await vi.waitFor(
      async () => {
        expect(await countByPartition('event')).toEqual({ event_p0000: 1, event_p0001: 1 });
      },
      { timeout: 30_000 },
    );
  });

  it('is begun once, however many workers look at the same time', async () => {
    const begun = await Promise.all(Array.from({ length: 6 }, () => beginPeriod(0)));
    expect(begun.filter((number) => number !== null)).toEqual([1]);
  });

  it('never has two batches of one key, whoever accepts them on either side of it at the same time', async () => {
    const customer = await api.newCustomer();
    const batches = Array.from({ length: 40 }, () => batchOf(newBuy(customer, [newAssetNum()])));
    const answers = await Promise.all([
      ...batches.flatMap((batch) => [api.accept(batch), api.accept(batch)]),
      beginPeriod(0),
      ...batches.map((batch) => api.accept(batch)),
    ]);
    expect(answers).toContain(1);
    for (const batch of batches) await api.completed(batch);
    const { rows } = await sql<{ batches: number; keys: number; orders: number; split: boolean }>`
      select count(*)::int as batches, count(distinct (application_id, channel_code, channel_order_id))::int as keys,
        (select count(*)::int from license_order) as orders, (select count(*) = 40 from batch_key) as split
      from batch`.execute(stack.db);
    expect(rows).toEqual([{ batches: 40, keys: 40, orders: 40, split: true }]);
  });

  it('does not begin without its partitions, and rows stay where they went before', async () => {
    await sql`drop table batch_p0001`.execute(stack.db);
    await expect(beginPeriod(0)).rejects.toThrow('period 1 cannot begin without batch_p0001');
    await api.process(batchOf(newBuy(await api.newCustomer(), [newAssetNum()])));
    expect(await countByPartition('batch')).toEqual({ batch_p0000: 1 });
  });

  it('flows into the next when its ids are used up', async () => {
    await sql`select setval('batch_id', (1::bigint << 30) - 1)`.execute(stack.db);
    await api.process(batchOf(newBuy(await api.newCustomer(), [newAssetNum()])));
    expect(await countByPartition('license_order')).toEqual({ license_order_p0001: 1 });
    expect(await beginPeriod(0)).toBe(1);
  });

  it('gives out no id that a server which was lost gave out when it had begun the same period', async () => {
    const lost = await sql<{ upto: string }>`select ((1::bigint << 30) + 900_000)::text as upto`.execute(stack.db);
    // A restored backup of the period before.
    await sql`select skip_ids(1_000_000, 0, 0)`.execute(stack.db);
    expect(await beginPeriod(0)).toBe(1);
    await api.process(batchOf(newBuy(await api.newCustomer(), [newAssetNum()])));
    const { rows } = await sql<{ free: boolean }>`select id > ${lost.rows[0]!.upto} as free from batch`.execute(
      stack.db,
    );
    expect(rows).toEqual([{ free: true }]);
    expect(await countByPartition('batch')).toEqual({ batch_p0001: 1 });
  });
});

describe('the worker', () => {
  const keeper = () => new PeriodKeeper({ db: stack.db, log: silent, registry: new Registry() });
  const periods = async () =>
    (
      await sql<{ number: number; ahead: number }>`
      select max(number) as number, partitions_ahead() as ahead from period`.execute(stack.db)
    ).rows[0]!;

  it('begins a period when a month is over, and makes the partitions of two more', async () => {
    await keeper().run();
    expect(await periods()).toEqual({ number: 0, ahead: 2 });
    await sql`
      alter table period disable trigger refuse_change;
      update period set began_time = began_time - interval '31 days';
      alter table period enable trigger refuse_change`.execute(stack.db);
    await Promise.all([keeper().run(), keeper().run(), keeper().run()]);
    expect(await periods()).toEqual({ number: 1, ahead: 2 });
  });

  it('makes partitions that are as their table is, so that nothing of them counts as changed by somebody else', async () => {
    await beginPeriod(0);
    await keeper().run();
    for (const table of PARTITIONED) {
      const { rows } = await sql<{ shape: string[] }>`
        select array(
          select replace(pg_get_indexdef(indexrelid), relname, 'the table') from pg_index where indrelid = part.oid order by 1
        ) || array(
          select pg_get_constraintdef(oid) from pg_constraint where conrelid = part.oid order by 1
        ) || array(
          select replace(pg_get_triggerdef(oid), relname, 'the table') from pg_trigger
          where tgrelid = part.oid and not tgisinternal order by 1
        ) || reloptions as shape
        from pg_class as part where relname in (${`${table}_p0002`}, ${`${table}_p0003`})`.execute(stack.db);
      expect(rows).toHaveLength(2);
      expect(rows[0]).toEqual(rows[1]);
    }
  });

  it('deletes events that are too old in every partition, and no other', async () => {
    const customer = await api.newCustomer();
    for (const after of [0, 1]) {
      for (let count = 0; count < 2; count++) await api.process(batchOf(newBuy(customer, [newAssetNum()])));
      await beginPeriod(after);
    }
    await vi.waitFor(async () => expect(await countByPartition('event')).toEqual({ event_p0000: 2, event_p0001: 2 }), {
      timeout: 30_000,
    });
    await sql`
      update event set created_time = created_time - interval '31 days'
      where batch_id in (select min(batch_id) from event group by tableoid)`.execute(stack.db);
    const aged = [
      {
        ...({ kind: 'event', table: 'event', timeColumn: 'created_time', maxAgeSeconds: 30 * 86_400 } as const),
        key: ['application_id', 'position', 'batch_id'],
      },
    ];
    await new CleanUp({ db: stack.db, log: silent, registry: new Registry(), aged }).run();
    expect(await countByPartition('event')).toEqual({ event_p0000: 1, event_p0001: 1 });
  });
});

describe('a partition that is missing', () => {
  const partition = (table: string) => sql.table(`${table}_p0000`);
  const detach = (table: string) =>
    sql`alter table ${sql.table(table)} detach partition ${partition(table)}`.execute(stack.db);
  const attach = (table: string) =>
    sql`
      alter table ${sql.table(table)} attach partition ${partition(table)} for values from (minvalue)
        to (${sql.lit(table === 'license_order' ? 2 ** 43 : 2 ** 30)})`.execute(stack.db);

  it.each(PARTITIONED.slice(0, 4))('of %s fails no order, and all goes on when it is back', async (table) => {
    const customer = await api.newCustomer();
    const [source] = await api.process(batchOf(newBuy(customer, [newAssetNum()])));
    await detach(table);
    const batch = batchOf(newBuy(customer, [newAssetNum()], { srcLicenseOrderId: source!.licenseOrderId }));
    await vi.waitFor(
      async () => {
        expect(refusalOf(await api.submit(batch))).toMatchObject({ code: '500', cause: 'service_unavailable' });
      },
      { timeout: 30_000 },
    );
    await vi.waitFor(
      () => {
        expect(stack.logLines.join('')).toContain(`the partition ${table}_p0000 is missing`);
      },
      { timeout: 30_000 },
    );
    await attach(table);
    await vi.waitFor(async () => expect(await api.accept(batch)).toHaveLength(1), { timeout: 10_000 });
    expect(await api.completed(batch)).toMatchObject({ succeeded: 1, failed: 0 });
  });

  it('is attached again by what docs/operations.md says', async () => {
    for (const table of PARTITIONED) await detach(table);
    const page = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
    const [, question] = /```sql\n(select format\('alter table [^`]+)```/.exec(page)!;
    const { rows } = await sql.raw<{ format: string }>(question!).execute(stack.db);
    expect(rows).toHaveLength(PARTITIONED.length);
    for (const { format } of rows) await sql.raw(format).execute(stack.db);
    expect(await readSchemaState(stack.db)).toMatchObject({ state: 'current' });
    await api.process(batchOf(newBuy(await api.newCustomer(), [newAssetNum()])));
  });

  it('is none if an archive has detached it, and nobody needs privileges on it then', async () => {
    await sql`alter table batch detach partition batch_p0002`.execute(stack.db);
    await sql`revoke select on batch_p0002 from current_user`.execute(stack.db);
    expect(await readSchemaState(stack.db)).toMatchObject({ state: 'current' });
  });

  it('does not make an order fail whose source lies in it', async () => {
    const lanes = Array.from({ length: LANE_COUNT }, (_, lane) => lane);
    const drain = () => drainLanes(stack.db, { lanes }, { ids: new LedgerIds(), holds: new Holds() });
    const customer = await api.newCustomer();
    const [source] = await api.process(batchOf(newBuy(customer, [newAssetNum()])));
    await worker.close();
    await beginPeriod(0);
    await api.accept(batchOf(newBuy(customer, [newAssetNum()], { srcLicenseOrderId: source!.licenseOrderId })));
    await detach('license_order');
    await expect(drain()).rejects.toThrow('the partition license_order_p0000 is missing');
    await attach('license_order');
    expect(await drain()).toMatchObject({ succeeded: 1, failed: 0 });
  });
});
