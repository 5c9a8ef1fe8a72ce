import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Answer, type Api, dataOf } from '../../harness/api.ts';
import {
  type Batch,
  MEGABYTE,
  newLongNum,
  openFailed,
  readFailed,
  submitFailed,
} from '../../harness/orders/failed-orders.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy } from '../../harness/orders/orders.ts';
import { type Stack, startStack } from '../../harness/stack.ts';

/** Clients that disconnect or stop reading while they download failed orders (rules 6.7). */
const NOT_FOUND = '8-never-bought';

let stack: Stack;
let api: Api;

beforeAll(async () => {
  stack = await startStack({ worker: false });
  api = await stack.newApi();
});
afterAll(() => stack.close());

it('a client that disconnects frees what its call has reserved', async () => {
  const customer = await api.newCustomer();
  const orders = Array.from({ length: 12 }, () => newBuy(customer, [newAssetNum()], {}, MEGABYTE));
  const batch = batchOf(...orders);
  await api.accept(batch);
  await api.cancel(batch);
  const leave = async () => {
    const response = await openFailed(api, batch);
    expect(response.statusCode).toBe(200);
    response.destroy();
  };
  for (let call = 0; call < 12; call++) await leave();
  const answers: Answer[] = await Promise.all(Array.from({ length: 3 }, () => submitFailed(api, batch)));
  for (const answer of answers) expect(dataOf(answer).orderList).toHaveLength(12);
  await expect.poll(() => stack.logLines.filter((line) => line.includes('"client left"')).length).toBe(12);
  expect(stack.logLines.filter((line) => line.includes('"level":50'))).toEqual([]);
});

it('clients that stop reading hold at most two long orders of an application, and do not block others', async () => {
  const customer = await api.newCustomer();
  const failLong = async (owner: Api): Promise<Batch> => {
    const assets = Array.from({ length: 6 }, () => ({ assetNos: Array.from({ length: 9_000 }, newLongNum) }));
    const batch = batchOf({ ...deleteAsset(customer, []), assets });
    await owner.accept(batch);
    await owner.cancel(batch);
    return batch;
  };
  const other = await stack.newApi();
  const [long, others] = [await failLong(api), await failLong(other)];
  const held = [await openFailed(api, long), await openFailed(api, long)];
  let isAnswered = false;
  const third = submitFailed(api, long).finally(() => {
    isAnswered = true;
  });
  // Both calls start after the third and end before it.
  expect((await readFailed(other, others)).orderList).toHaveLength(1);
  const short = batchOf(deleteAsset(customer, [NOT_FOUND]));
  await api.accept(short);
  await api.cancel(short);
  expect((await readFailed(api, short)).orderList).toHaveLength(1);
  expect(isAnswered).toBe(false);
  held[0]!.destroy();
  expect(dataOf(await third).orderList).toHaveLength(1);
  // A client that starts to read later gets the whole answer.
  expect(JSON.parse(Buffer.concat(await held[1]!.toArray()).toString()).data.orderList).toHaveLength(1);
});
