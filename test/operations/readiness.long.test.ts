import { expect, it } from 'vitest';
import { dataOf, refusalOf } from '../harness/api.ts';
import { setReadOnly } from '../harness/databases/no-writes.ts';
import { batchOf, deleteAsset } from '../harness/orders/orders.ts';
import { startStack } from '../harness/stack.ts';

it('an API that gets no calls because its database took no writes is ready again by itself (rules 9)', async () => {
  const stack = await startStack({ worker: false });
  const caller = await stack.newApi();
  const batch = batchOf(deleteAsset(await caller.newCustomer(), ['1']));
  const isReady = async () => (await fetch(`${stack.baseUrl}/health/ready`)).ok;
  await setReadOnly(stack.db, true);
  await expect
    .poll(async () => {
      expect(refusalOf(await caller.submit(batch)).cause).toBe('service_unavailable');
      return await isReady();
    })
    .toBe(false);
  await setReadOnly(stack.db, false);
  await expect.poll(isReady, { timeout: 30_000 }).toBe(true);
  dataOf(await caller.submit(batch));
  expect(await isReady()).toBe(true);
  await stack.close();
});
