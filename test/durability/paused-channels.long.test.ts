import { pauseChannel, resumeChannel } from '@lockstep/orders';
import { expect, it, vi } from 'vitest';
import { refusalOf } from '../harness/api.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { expectSumsRight, readResult, syncOf } from '../harness/orders/sync-batches.ts';
import { testDeployment } from '../harness/processes/deployment.ts';

/** A paused channel stays paused when processes stop or are killed (rules 6.2 and 9). */
const { database, processes, api } = await testDeployment();
const [ours, theirs] = [await api.newCustomer(), await api.newCustomer(undefined, 'theirs')];

it.each(['kill', 'stop'] as const)(
  'a pause outlasts a %s of all processes, and then its orders take effect in order',
  async (end) => {
    const { db } = database;
    const record = async () => {};
    const isPaused = async () => {
      const { paused_time } = await db
        .selectFrom('channel')
        .select('paused_time')
        .where('code', '=', 'test')
        .executeTakeFirstOrThrow();
      return paused_time !== null;
    };
    const assetNum = newAssetNum();
    // Each order succeeds only after the one before it.
    const orders = (count: number) =>
      Array.from({ length: count }, (_, turn) => (turn % 2 === 0 ? newBuy : deleteAsset)(ours, [assetNum]));
    const before = [batchOf(...orders(2_000)), batchOf(...orders(2_000))];
    for (const batch of before) await api.accept(batch);
    const pausing = pauseChannel(db, 'test', record);
    await vi.waitUntil(isPaused);
    const later = batchOf(...orders(10));
    await api.accept(later);
    await Promise.all(processes.map((each) => each[end]()));
    expect(await pausing).toMatchObject({ isIdle: true });
    await Promise.all(processes.map((each) => each.start()));

    const readAll = () => Promise.all([...before, later].map((batch) => readResult(api, batch, { limit: '1' })));
    const paused = await readAll();
    expect(paused[2]).toMatchObject({ state: 'accepted', pending: 10 });
    expect(refusalOf(await api.submit(syncOf(newBuy(ours, [newAssetNum()])))).cause).toBe('channel_paused');
    for (let count = 0; count < 3; count++)
      expect(await api.process(batchOf(newBuy(theirs, [newAssetNum()])))).toMatchObject([{ state: 'succeeded' }]);
    expect(await readAll()).toEqual(paused);

    await resumeChannel(db, 'test', record);
    for (const batch of before) expect(await api.completed(batch)).toMatchObject({ succeeded: 2_000 });
    expect(await api.completed(later)).toMatchObject({ succeeded: 10 });
    await expectSumsRight(db);
  },
);
