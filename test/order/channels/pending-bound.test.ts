import type { Customer } from '@lockstep/contract';
import { expect, it } from 'vitest';
import { type Answer, type Api, dataOf, refusalOf } from '../../harness/api.ts';
import { contentOfTables } from '../../harness/databases/tables.ts';
import { newCustomersInLanes } from '../../harness/orders/lanes.ts';
import { batchOf, newAssetNum, newBuy } from '../../harness/orders/orders.ts';
import { syncOf } from '../../harness/orders/sync-batches.ts';
import { testStack } from '../../harness/stack.ts';

/** The limit of an application's pending orders (rules 6.2). */

const MOST = 3;

const buy = (by = customer) => newBuy(by, [newAssetNum()]);
const send = (caller: Api, batch: ReturnType<typeof batchOf>) =>
  caller.ask('createBatchOrder', { query: { appKey: caller.credentials.appKey }, body: batch });

/** Sends batches of one order until the service refuses one. It counts pending orders once a second. */
async function untilRefused(): Promise<Answer> {
  for (;;) {
    const answer = await send(api, batchOf(buy()));
    if (answer.body.code !== 0) return answer;
  }
}

const { stack, api } = await testStack({ worker: false, maxPendingOrders: MOST });
/** In different lanes; `free` has no pending orders. */
const [customer, free] = (await newCustomersInLanes(api, 2)) as [Customer, Customer];
const accepted = batchOf(...Array.from({ length: MOST + 1 }, () => buy()));
await api.accept(accepted);

it('an application over the limit is refused with the limit’s name, and nothing is stored', async () => {
  await untilRefused();
  const before = await contentOfTables(stack.db);
  const answer = await send(api, batchOf(buy()));
  expect(refusalOf(answer)).toMatchObject({ code: '500', cause: 'overloaded' });
  expect(answer.body.message).toMatch(/ \d+ .* 3/);
  expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  expect(await contentOfTables(stack.db)).toEqual(before);
});

it('a resubmitted batch gets its answer, and other content under its key gets a conflict', async () => {
  const ids = dataOf(await send(api, accepted));
  await untilRefused();
  expect(dataOf(await send(api, accepted))).toEqual(ids);
  const other = { ...batchOf(buy()), channelOrderId: accepted.channelOrderId };
  expect(refusalOf(await send(api, other)).cause).toBe('channel_order_id_conflict');
});

it('its sync calls and other applications are not affected', async () => {
  await untilRefused();
  await api.accept(syncOf(buy(free)));
  await (await stack.newApi()).accept(batchOf(buy(free)));
});

it('the application can send again when its orders have outcomes', async () => {
  const worker = await stack.startWorker();
  await expect.poll(async () => (await send(api, batchOf(buy()))).body.code, { timeout: 10_000 }).toBe(0);
  await worker.close();
});
