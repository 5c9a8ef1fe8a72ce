import { afterAll, expect, it } from 'vitest';
import { ForwardedAddress } from '../../harness/network/forwarded-address.ts';
import { newAssetNum, newBuy } from '../../harness/orders/orders.ts';
import {
  endWaiting,
  expectSumsRight,
  readRecords,
  readResult,
  syncOf,
  untilOneWaits,
  whileHeld,
} from '../../harness/orders/sync-batches.ts';
import { startAnotherApi } from '../../harness/processes/another-api.ts';
import { testStack, untilTestsEnd } from '../../harness/stack.ts';

/** Sync calls that lose their connection during the commit (rules 6.3). */

const { stack } = await testStack({ worker: false });
const lossy = await ForwardedAddress.open(stack.url);
afterAll(() => lossy.close());
const { api } = await untilTestsEnd(startAnotherApi({ ...stack, url: lossy.url }, await stack.newApi()));

it('a call whose commit succeeded is answered with what it stored', async () => {
  const assetNum = newAssetNum();
  const batch = syncOf(newBuy(await api.newCustomer(), [assetNum]));
  lossy.toLose = 1;
  const accepted = await api.accept(batch);
  expect(lossy.toLose).toBe(0);
  expect(await api.accept(batch)).toEqual(accepted);
  const { orders } = await readResult(api, batch);
  expect(orders.map(({ licenseOrderId }) => licenseOrderId)).toEqual(accepted.map((order) => order.licenseOrderId));
  expect(await readRecords(stack.db, assetNum)).toHaveLength(1);
  await expectSumsRight(stack.db);
});

it('a call whose commit failed is applied again', async () => {
  const assetNum = newAssetNum();
  const batch = syncOf(newBuy(await api.newCustomer(), [assetNum]));
  const { answer } = await whileHeld(stack.db, 'commit', async () => {
    const answer = api.accept(batch);
    await untilOneWaits(stack.db);
    await endWaiting(stack.db);
    return { answer };
  });
  expect(await answer).toHaveLength(1);
  expect(await readRecords(stack.db, assetNum)).toHaveLength(1);
  await expectSumsRight(stack.db);
});
