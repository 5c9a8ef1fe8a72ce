import { Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { dataOf } from '../harness/api.ts';
import { MemberCenter } from '../harness/members/member-center.ts';
import { startReceiver } from '../harness/network/receiver.ts';
import { batchOf, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { syncOf } from '../harness/orders/sync-batches.ts';
import { REPOSITORY } from '../harness/processes/processes.ts';
import { testStack, untilTestsEnd } from '../harness/stack.ts';

/**
 * Which files of the service a call runs, by V8's count of calls. `LOCKSTEP_WALKS=1` prints them. What goes on in the
 * background meanwhile counts too, such as the sweep.
 */
const { stack, api } = await testStack({ webhookAllowPrivate: true });
const receiver = await untilTestsEnd(startReceiver());
const customer = await api.newCustomer();
const center = await MemberCenter.open(stack);
const session = new Session();
session.connect();
await session.post('Profiler.enable');
afterAll(() => session.disconnect());

/** The folders whose functions run while something is done once more. */
async function walk(name: string, what: () => Promise<unknown>): Promise<string[]> {
  await what();
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await what();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.stopPreciseCoverage');
  const files = result
    .filter(({ functions }) =>
      functions.some(({ functionName, ranges }) => functionName !== '' && ranges[0]!.count > 0),
    )
    .map(({ url }) => relative(REPOSITORY, url.replace('file://', '')))
    .filter((file) => /^(packages|apps)\//.test(file));
  const rooms = Map.groupBy(new Set(files.toSorted()), (file) => file.replace(/^(packages|apps)\/|\/[^/]*$/g, ''));
  if (process.env.LOCKSTEP_WALKS !== undefined) {
    const lines = [...rooms].map(([room, of]) => `  ${room}: ${of.map((file) => file.replace(/.*\//, '')).join(' ')}`);
    process.stdout.write(`${name}: ${files.length} files in ${rooms.size} rooms\n${lines.join('\n')}\n`);
  }
  return [...rooms.keys()];
}

describe('a call goes only through rooms that are about it:', () => {
  it('an async order', async () => {
    const rooms = await walk('async order', async () => {
      const batch = batchOf(newBuy(customer, [newAssetNum()]));
      await api.accept(batch);
      await api.completed(batch);
    });
    const ofOrders = rooms.filter((room) => room.startsWith('orders/src/'));
    expect(ofOrders.toSorted()).toEqual(
      ['accepting', 'applying', 'channels', 'completion', 'feed', 'planning', 'reading'].map(
        (room) => `orders/src/${room}`,
      ),
    );
    expect(rooms.filter((room) => /^(members|operators)|console/.test(room))).toEqual([]);
  });

  it('a sync order', async () => {
    const rooms = await walk('sync order', () => api.submit(syncOf(newBuy(customer, [newAssetNum()]))));
    expect(rooms).toEqual(expect.arrayContaining(['orders/src/sync', 'orders/src/planning']));
    expect(rooms.filter((room) => /^(members|operators)|orders.src.reading|corrections/.test(room))).toEqual([]);
  });

  it('M9', async () => {
    const [employee] = await center.add({ userName: 'kim', name: 'Kim', password: 'correct horse' });
    const bought = await center.buy(2);
    const rooms = await walk('M9', () => center.assign(employee!.globalId, bought.pop()!.assetNum));
    expect(rooms).toEqual(expect.arrayContaining(['members/src/assets', 'members/src/rules']));
    expect(rooms.filter((room) => /^orders\/src\/(accepting|planning|sync)/.test(room))).toEqual([]);
  });

  it('a delivery to a webhook', async () => {
    const url = `${receiver.url}/`;
    dataOf(await api.call('POST', '/webhooks', { body: { url, types: ['batch.completed'] } }));
    const rooms = await walk('webhook', async () => {
      const before = receiver.received.length;
      await api.accept(batchOf(newBuy(customer, [newAssetNum()])));
      await expect.poll(() => receiver.received.length).toBeGreaterThan(before);
    });
    expect(rooms).toEqual(expect.arrayContaining(['webhooks/src/delivering', 'webhooks/src/sending']));
    expect(rooms.filter((room) => /^members/.test(room))).toEqual([]);
  });
});
