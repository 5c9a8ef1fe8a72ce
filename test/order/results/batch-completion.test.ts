import { randomUUID } from 'node:crypto';
import { LedgerIds } from '@lockstep/assets';
import type { BatchId } from '@lockstep/contract';
import { watchBatches } from '@lockstep/orders';
import {
  COMPLETIONS_CHANNEL,
  completeBatches,
  drainLanes,
  freeLanes,
  lockBatches,
  numberEvents,
  OpenBatches,
} from '@lockstep/orders/testing';
import { Listener } from '@lockstep/platform';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { dataOf } from '../../harness/api.ts';
import { dropTriggerFunction, pastBatchTriggers } from '../../harness/databases/past-triggers.ts';
import { countWaiting } from '../../harness/databases/waiting.ts';
import { ALL_LANES, firstLaneOf, newCustomersInLanes } from '../../harness/orders/lanes.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy } from '../../harness/orders/orders.ts';
import { readResult, whileHeld } from '../../harness/orders/sync-batches.ts';
import { testStack } from '../../harness/stack.ts';

/** A batch completes exactly once, whichever transaction finishes its last chunk. */

const PATIENTLY = { timeout: 30_000 };

/** The IDs of announced batches, once per announcement. */
const told: string[] = [];

const { stack, api } = await testStack({ worker: false });
const listener = new pg.Client({ connectionString: stack.url });
beforeAll(async () => {
  listener.on('notification', ({ payload }) => told.push(...payload!.split(',')));
  await listener.connect();
  await listener.query(`listen ${COMPLETIONS_CHANNEL}`);
});
afterAll(() => listener.end());

const ids = new LedgerIds();

const drain = (lanes: readonly number[]) => drainLanes(stack.db, freeLanes(lanes), ids);

async function readRow({ channelOrderId }: { channelOrderId: string }) {
  return await stack.db
    .selectFrom('batch')
    .select(['id', 'completed_time', 'succeeded', 'failed'])
    .where('channel_order_id', '=', channelOrderId)
    .executeTakeFirstOrThrow();
}

/**
 * Waits until a batch is announced and returns how often it was. The API may be numbering the event at the same time.
 */
async function timesTold(id: string): Promise<number> {
  await numberEvents(stack.db);
  await vi.waitUntil(() => told.includes(id), PATIENTLY);
  await listener.query('select');
  return told.filter((each) => each === id).length;
}

/** Accepts a batch with orders in `lanes` lanes. One of the orders fails. */
async function accept(lanes = 1) {
  const customers = await newCustomersInLanes(api, lanes);
  const batch = batchOf(
    ...customers.map((customer) => newBuy(customer, [newAssetNum()])),
    deleteAsset(customers[0]!, [newAssetNum()]),
  );
  await api.accept(batch);
  return { batch, lanes: customers.map(({ customerId }) => firstLaneOf(customerId)), ...(await readRow(batch)) };
}

/** Applies pending orders like a worker that dies before it completes the batches. */
async function drainAndDie(lanes: readonly number[] = ALL_LANES): Promise<void> {
  while ((await drain(lanes)).batches.length > 0);
}

describe('a batch completes once', () => {
  it('when two drains finish its last chunks at the same time, and not before', async () => {
    // This stores the products' terms. Otherwise, the two drains would wait for each other when they insert the same
    // terms.
    await drain((await accept()).lanes);
    const { batch, id, lanes } = await accept(2);
    const ends: Promise<string[]>[] = [];
    const finishAtOnce = async () => {
      for (const lane of lanes) ends.push(drain([lane]).then(() => completeBatches(stack.db, [id])));
      await vi.waitUntil(async () => (await countWaiting(stack.db, 'advisory')) === 2, PATIENTLY);
      expect(await completeBatches(stack.db, [id])).toEqual([]);
      expect(await readResult(api, batch)).toMatchObject({ state: 'accepted', pending: 3, completedTime: null });
    };
    await whileHeld(stack.db, 'commit', finishAtOnce, { table: 'lane_chunk', event: 'update' });
    expect((await Promise.all(ends)).flat()).toEqual([id]);
    expect(await timesTold(id)).toBe(1);
    expect(await readResult(api, batch)).toMatchObject({ state: 'completed', succeeded: 2, failed: 1, pending: 0 });
  });

  it('when many transactions find it finished, in whatever order they list their batches', async () => {
    const ids: BatchId[] = [];
    for (let count = 0; count < 20; count++) ids.push((await accept()).id);
    await drainAndDie();
    const ends = Array.from({ length: 12 }, (_, caller) =>
      completeBatches(stack.db, caller % 2 === 0 ? ids : ids.toReversed()),
    );
    expect((await Promise.all(ends)).flat().toSorted()).toEqual(ids.toSorted());
    for (const id of ids) expect(await timesTold(id)).toBe(1);
  });

  it('while another batch’s row is locked, which completes later', async () => {
    const [locked, free] = [await accept(), await accept()];
    await drainAndDie();
    await stack.db.transaction().execute(async (trx) => {
      await sql`select from batch where id = ${locked.id} for update`.execute(trx);
      expect(await completeBatches(stack.db, [locked.id, free.id])).toEqual([free.id]);
    });
    expect(await completeBatches(stack.db, [locked.id, free.id])).toEqual([locked.id]);
  });

  it('not while one of its chunks is made pending again, nor after that', async () => {
    const { id } = await accept();
    await drainAndDie();
    await stack.db.transaction().execute(async (trx) => {
      await lockBatches(trx, [id]);
      await sql`
        update lane_chunk set payload = '[]', finished_time = null, succeeded = 0, failed = 0
        where batch_id = ${id}`.execute(trx);
      expect(await completeBatches(stack.db, [id])).toEqual([]);
    });
    expect(await completeBatches(stack.db, [id])).toEqual([]);
    await sql`
      update lane_chunk set payload = null, finished_time = now(), succeeded = 1, failed = 1
      where batch_id = ${id}`.execute(stack.db);
    expect(await completeBatches(stack.db, [id])).toEqual([id]);
  });

  it('when it is cancelled, in the same transaction', async () => {
    const { batch, id } = await accept(3);
    expect(await api.cancel(batch)).toEqual({ cancelled: 4, finished: 0 });
    expect(await readRow(batch)).toMatchObject({ completed_time: expect.any(Date), succeeded: 0, failed: 4 });
    expect(await timesTold(id)).toBe(1);
    expect(await api.cancel(batch)).toEqual({ cancelled: 0, finished: 4 });
    expect(await timesTold(id)).toBe(1);
  });

  it('with the time at which its last chunk was finished, whenever that is noticed', async () => {
    const { batch, id } = await accept(3);
    await drainAndDie();
    const { rows } = await sql<{ last: Date }>`
      select max(finished_time) as last from lane_chunk where batch_id = ${id}`.execute(stack.db);
    await new OpenBatches().completeFinished(stack.db);
    expect(await readResult(api, batch)).toMatchObject({ completedTime: rows[0]!.last.getTime() });
  });
});

describe('the completion', () => {
  it('wakes only the calls that wait for the batch', async () => {
    const watch = watchBatches(stack.db);
    const listener = new Listener({ url: stack.url, applicationName: 'test', subscribers: [watch], onLost: () => {} });
    await listener.start();
    const [ended, other] = [await accept(), await accept()];
    await drainAndDie(ended.lanes);
    const { signal } = new AbortController();
    const reads = new Map<string, number>();
    const waitFor = ({ id }: { id: BatchId }) => {
      const read = async () => {
        reads.set(id, (reads.get(id) ?? 0) + 1);
        return (await stack.db.selectFrom('batch').select('succeeded').where('id', '=', id).executeTakeFirst())
          ?.succeeded;
      };
      return watch.read({ key: id, waitSeconds: 30, signal }, read, (succeeded) => succeeded !== null);
    };
    const awake = Promise.race([other, ended].map((batch) => waitFor(batch).then(() => batch.id)));
    await vi.waitUntil(() => reads.size === 2);
    await completeBatches(stack.db, [ended.id]);
    await numberEvents(stack.db);
    expect(await awake).toBe(ended.id);
    expect(reads.get(other.id)).toBe(1);
    watch.close();
    await listener.close();
  });

  it('that a crash has lost is made up for by a sweep, however many batches are pending', async () => {
    await drainAndDie();
    await new OpenBatches().completeFinished(stack.db);
    const { id: applicationId } = await stack.db.selectFrom('application').select('id').executeTakeFirstOrThrow();
    await sql`
      with opened as (
        insert into batch (id, application_id, channel_code, channel_order_id, sync_mode, digest, sequences, customer_ids,
          order_types, digest_version, request_id)
        select nextval('batch_id'), ${applicationId}, 'test', ${randomUUID()} || number, 'async', '', '{1}', '{0}', '{new_buy}', 1,
          'R'
        from generate_series(1, 1500) as number returning id
      )
      insert into lane_chunk (batch_id, lane, customer_ids, order_count, weight, payload, payload_version)
      select id, 99, '{0}', 1, 1, '[]', 1 from opened`.execute(stack.db);
    const [lost, again] = [await accept(2), await accept(2)];
    await drainAndDie();
    expect(await readResult(api, lost.batch)).toMatchObject({ state: 'processing', pending: 0, completedTime: null });
    const openBatches = new OpenBatches();
    expect(await openBatches.completeFinished(stack.db)).toEqual([]);
    expect(new Set(await openBatches.completeFinished(stack.db))).toEqual(new Set([lost.id, again.id]));
    expect(await openBatches.completeFinished(stack.db)).toEqual([]);
    expect(await readResult(api, lost.batch)).toMatchObject({ state: 'completed', succeeded: 2, failed: 1 });
    // After the last batch, the sweep starts over with the first.
    await sql`
      update lane_chunk set payload = null, finished_time = now(), succeeded = 1 where lane = 99`.execute(stack.db);
    expect(await openBatches.completeFinished(stack.db)).toHaveLength(1_000);
    expect(await openBatches.completeFinished(stack.db)).toHaveLength(500);
  });
});

it('of a batch fails, and does not prevent that of the others', async () => {
  const accepted = [await accept(), await accept(), await accept()];
  const wrong = accepted[1]!;
  await drainAndDie();
  await pastBatchTriggers(stack.db, (trx) =>
    sql`update lane_chunk set order_count = 3, weight = 3, succeeded = 2 where batch_id = ${wrong.id}`.execute(trx),
  );
  const openBatches = new OpenBatches();
  await expect(openBatches.completeFinished(stack.db)).rejects.toThrow(`batch ${wrong.id} can't be completed`);
  for (const { batch } of [accepted[0]!, accepted[2]!]) {
    expect(await readResult(api, batch)).toMatchObject({ state: 'completed' });
  }
  await pastBatchTriggers(stack.db, (trx) =>
    sql`update lane_chunk set order_count = 2, weight = 2, succeeded = 1 where batch_id = ${wrong.id}`.execute(trx),
  );
  while (!(await openBatches.completeFinished(stack.db)).includes(wrong.id));
});

describe('the database refuses', () => {
  const END = { completed_time: new Date(), succeeded: 1, failed: 1 };
  const set = (id: BatchId, values: object) => stack.db.updateTable('batch').set(values).where('id', '=', id).execute();

  it('to change a batch, or to delete it', async () => {
    const { id } = await accept();
    await expect(set(id, { digest: Buffer.from('') })).rejects.toMatchObject({ constraint: 'batch_no_update' });
    await expect(set(id, { accepted_time: new Date() })).rejects.toMatchObject({ constraint: 'batch_no_update' });
    const remove = stack.db.deleteFrom('batch').where('id', '=', id).execute();
    await expect(remove).rejects.toMatchObject({ constraint: 'batch_no_delete' });
  });

  it('to complete a batch before its orders, with chunks left, in part, or twice', async () => {
    const { id, batch } = await accept();
    await expect(set(id, END)).rejects.toMatchObject({ constraint: 'batch_chunks_finished' });
    await drainAndDie();
    await expect(set(id, END)).rejects.toMatchObject({ constraint: 'batch_chunks_finished' });
    await expect(set(id, { ...END, succeeded: 2 })).rejects.toMatchObject({ constraint: 'batch_end_counts' });
    await expect(set(id, { succeeded: 1, failed: 1 })).rejects.toMatchObject({ constraint: 'batch_end_whole' });
    expect(await completeBatches(stack.db, [id])).toEqual([id]);
    const end = await readRow(batch);
    await expect(set(id, END)).rejects.toMatchObject({ constraint: 'batch_completion_final' });
    await expect(set(id, { completed_time: null, succeeded: null, failed: null })).rejects.toMatchObject({
      constraint: 'batch_completion_final',
    });
    expect(await completeBatches(stack.db, [id])).toEqual([]);
    expect(await readRow(batch)).toEqual(end);
  });
});

describe('with a worker', async () => {
  const { stack: worked } = await testStack();

  it('orders are applied even if batches cannot be completed, which a sweep makes up for', async () => {
    const caller = await worked.newApi();
    const customer = await caller.newCustomer();
    await sql`
      create function refuse_end() returns trigger language plpgsql as $$
      begin raise exception 'no end today'; end $$`.execute(worked.db);
    await sql`
      create trigger refuse_end before update on batch for each row execute function refuse_end()`.execute(worked.db);
    const batch = batchOf(newBuy(customer, [newAssetNum()]));
    await caller.accept(batch);
    const { channelCode, channelOrderId } = batch;
    const result = async () =>
      dataOf(await caller.call('GET', '/licenseOrder/batchOrder', { query: { channelCode, channelOrderId } }));
    await vi.waitUntil(async () => (await result()).pending === 0, PATIENTLY);
    const failure = 'batch completion failed; sweep will take over';
    await vi.waitUntil(() => worked.logLines.some((line) => JSON.parse(line).msg === failure), PATIENTLY);
    expect(await result()).toMatchObject({ state: 'processing', completedTime: null });
    const isOpen = async () => {
      const open = worked.db.selectFrom('batch').select('id').where('completed_time', 'is', null);
      return (await open.executeTakeFirst()) !== undefined;
    };
    const failedSweep = 'batch completion failed; will retry';
    await vi.waitUntil(() => worked.logLines.some((line) => JSON.parse(line).msg === failedSweep), PATIENTLY);
    expect(await isOpen()).toBe(true);
    await dropTriggerFunction(worked.db, 'batch', 'refuse_end');
    await vi.waitUntil(async () => !(await isOpen()), PATIENTLY);
    // Orders don't wait for that.
    expect(worked.logLines.filter((line) => line.includes('orders stalled'))).toEqual([]);
  });
});
