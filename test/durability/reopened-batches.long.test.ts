import type { BatchResult, FeedEvent, LicenseOrderId } from '@lockstep/contract';
import { sql } from 'kysely';
import { afterAll, expect, it } from 'vitest';
import { dataOf } from '../harness/api.ts';
import { batchOf, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { retried } from '../harness/orders/retried.ts';
import { expectSumsRight, readResult } from '../harness/orders/sync-batches.ts';
import { COMMAND, resultOf } from '../harness/processes/command-line.ts';
import { testKilledProcesses } from '../harness/processes/deployment.ts';
import { endEverything, newDataDir, runJob } from '../harness/processes/processes.ts';

/** Batches complete, are reopened by `lockstep order retry`, are polled and cancelled, and complete again. */

const BATCHES = 5;
/** Each round retries two orders. */
const ROUNDS = 2;

type Batch = ReturnType<typeof batchOf>;
const service = await testKilledProcesses('postgres', { redisDatabase: 0, batchesBetweenKills: 2 });
await sql
  .raw(`
      create table test_broken (asset_num text);
      create function refuse_broken() returns trigger language plpgsql as $$ begin
        if exists (select from test_broken where asset_num = new.asset_num) then raise 'broken'; end if;
        return new;
      end $$;
      create trigger refuse_broken before insert on asset for each row execute function refuse_broken();
      create table test_end (batch_id bigint);
      create function note_end() returns trigger language plpgsql as $$ begin
        insert into test_end values (new.id); return null;
      end $$;
      create trigger note_end after update on batch for each row
        when (old.completed_time is null and new.completed_time is not null) execute function note_end()`)
  .execute(service.database.db);
afterAll(endEverything);

/** Runs `lockstep order …` as a process of its own. */
const order = (...words: string[]) => {
  const env = { DATABASE_URL: service.database.url, DATA_DIR: newDataDir() };
  return resultOf(runJob([...COMMAND, 'order', ...words], env));
};
const retry = async (...ids: string[]): Promise<number> => JSON.parse(await order('retry', ...ids)).retried;
const cancel = (batch: Batch) => retried(service.apis, (api) => api.cancel(batch));
const completed = (batch: Batch) => retried(service.apis, (api) => api.completed(batch));

/**
 * Accepts a batch with two orders for each of some customers. The first of each cannot be applied until its fault is
 * removed.
 */
async function acceptBroken() {
  const customers = await Promise.all(Array.from({ length: 2 * ROUNDS }, () => service.apis[0]!.newCustomer()));
  const broken = customers.map(() => newAssetNum());
  await sql`insert into test_broken select unnest(${broken}::text[])`.execute(service.database.db);
  const batch = batchOf(
    ...customers.flatMap((customer, index) => [newBuy(customer, [broken[index]!]), newBuy(customer, [newAssetNum()])]),
  );
  const ids = (await service.apis[0]!.accept(batch)).map(({ licenseOrderId }) => licenseOrderId);
  return { batch, broken, brokenIds: ids.filter((_, index) => index % 2 === 0) };
}
type Story = Awaited<ReturnType<typeof acceptBroken>>;

/** Repeats an action until some work is over. */
async function during<Result>(work: Promise<Result>, act: () => Promise<unknown>): Promise<Result> {
  let isOver = false;
  const watched = work.finally(() => {
    isOver = true;
  });
  const acting = async () => {
    do await act();
    while (!isOver);
  };
  return (await Promise.all([watched, acting()]))[0];
}

/** Completes a batch and reopens it each round, while other processes cancel it, apply it and retry more of it. */
async function tell({ batch, broken, brokenIds }: Story): Promise<void> {
  await order('fail', '--reason', 'It is broken', '--later', 'keep', ...brokenIds);
  expect(await completed(batch)).toMatchObject({ state: 'completed', succeeded: 2 * ROUNDS, failed: 2 * ROUNDS });
  for (let place = 0; place < 2 * ROUNDS; place += 2) {
    const [first, second] = brokenIds.slice(place) as [LicenseOrderId, LicenseOrderId];
    // The first order stays pending until it is cancelled. The second is cancelled or, in the last round, applied.
    expect(await retry(first)).toBe(1);
    await sql`delete from test_broken where asset_num = ${broken[place + 1]}`.execute(service.database.db);
    service.countBatch();
    const retries = Promise.all([retry(second), retry(first, second)]);
    const cancels = place === 0 ? during(retries, () => cancel(batch)) : cancel(batch);
    const [[alone, both]] = await Promise.all([retries, cancels]);
    expect(alone + both).toBe(1);
    const { orders, ...result } = await completed(batch);
    expect(result).toMatchObject({ state: 'completed', pending: 0 });
    expect(orders[2 * place]).toMatchObject({ licenseOrderId: first, state: 'failed', cause: 'cancelled' });
  }
}

/** Polls the batches in turn. The orders must confirm each answer, and no cancelled or applied order may change. */
function pollEach(stories: readonly Story[]): () => Promise<void> {
  const settled = new Map<LicenseOrderId, BatchResult['orders'][number]>();
  let turn = 0;
  return async () => {
    const { batch } = stories[turn++ % stories.length]!;
    const { orders, ...result } = await retried(service.apis, (api) => readResult(api, batch));
    const count = (state: string) => orders.filter((each) => each.state === state).length;
    const counts = { succeeded: count('succeeded'), failed: count('failed'), pending: count('pending') };
    expect(result).toMatchObject({ total: 4 * ROUNDS, ...counts });
    if (result.state === 'completed') expect(result.pending).toBe(0);
    for (const each of orders) {
      expect(each).toEqual(settled.get(each.licenseOrderId) ?? each);
      if (each.state === 'succeeded' || each.cause === 'cancelled') settled.set(each.licenseOrderId, each);
    }
  };
}

async function readEvents(): Promise<FeedEvent[]> {
  const query = { limit: '1000', waitSeconds: '0' };
  return dataOf(await retried(service.apis, (api) => api.call('GET', '/events', { query }))).events;
}

it('with several processes, some killed, each order has one outcome and each completion one event', async () => {
  const stories = await Promise.all(Array.from({ length: BATCHES }, acceptBroken));
  await during(during(Promise.all(stories.map(tell)), pollEach(stories)), pollEach(stories));
  await service.restarted();
  const { db } = service.database;
  const countEnds = async () => (await sql`select from test_end`.execute(db)).rows.length;
  await expect.poll(async () => (await readEvents()).length).toBe(await countEnds());
  const events = await readEvents();
  const bought: string[] = [];
  for (const { batch } of stories) {
    const { orders, nextCursor: _, estimatedCompletionTime: __, ...summary } = await completed(batch);
    const cancelled = orders.filter(({ cause }) => cause === 'cancelled').length;
    const [first, ...later] = events.filter(({ data }) => data.channelOrderId === batch.channelOrderId);
    expect(first).toMatchObject({ type: 'batch.completed', data: { failed: 2 * ROUNDS, cancelled: 0 } });
    expect(new Set(later.map(({ type }) => type))).toEqual(new Set(['batch.retried']));
    expect(later.at(-1)!.data).toEqual({ ...summary, cancelled });
    expect(orders.filter(({ state }) => state === 'succeeded')).toHaveLength(orders.length - cancelled);
    for (const [index, { state, licenseOrderId }] of orders.entries()) {
      const [{ assetNos }] = (batch.orderList[index]! as { assets: [{ assetNos: string[] }] }).assets;
      if (state === 'succeeded') bought.push(`${assetNos[0]} by ${licenseOrderId}`);
    }
  }
  const assets = await db.selectFrom('asset').select(['asset_num', 'created_by_order_id as by']).execute();
  expect(assets.map(({ asset_num, by }) => `${asset_num} by ${by}`).toSorted()).toEqual(bought.toSorted());
  for (const table of ['lane_chunk', 'order_hold', 'held_order'] as const) {
    await expect.poll(() => db.selectFrom(table).selectAll().execute()).toEqual([]);
  }
  await expectSumsRight(db);
}, 300_000);
