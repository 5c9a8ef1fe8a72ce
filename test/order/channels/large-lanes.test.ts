import type { Customer } from '@lockstep/contract';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Api } from '../../harness/api.ts';
import { countWaiting } from '../../harness/databases/waiting.ts';
import { newCustomersInLanes } from '../../harness/orders/lanes.ts';
import { buyLargeAssets } from '../../harness/orders/large-assets.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy } from '../../harness/orders/orders.ts';
import { readResult } from '../../harness/orders/sync-batches.ts';
import { type Stack, startStack } from '../../harness/stack.ts';

/** A worker handles one piece of large work at a time. Other lanes must not wait for it (rules 6.5 Together). */
let stack: Stack;
let api: Api;

beforeAll(async () => {
  stack = await startStack();
  api = await stack.newApi();
});
afterAll(() => stack.close());

it('lanes with little work are drained while one has the turn of large work and another waits for it', async () => {
  const [first, second, third, owner] = (await newCustomersInLanes(api, 4)) as [Customer, Customer, Customer, Customer];
  const buyLarge = (customer: Customer) => buyLargeAssets({ db: stack.db, api }, customer, 3, { products: 7_000 });
  const [moved, deleted] = [await buyLarge(owner), await buyLarge(second)];
  const transfer = newBuy(first, moved.large, {}, { transferedAssetNum: true, products: [] });
  const small = () => newBuy(third, [newAssetNum()]);
  const ofFirst = batchOf(transfer);
  const ofSecondAndThird = batchOf(deleteAsset(second, deleted.large), small());

  const trx = await stack.db.startTransaction().execute();
  try {
    // The lock blocks only the transfer to this customer.
    await sql`select from customer where id = ${first.customerId} for update`.execute(trx);
    await api.accept(ofFirst);
    await expect.poll(() => countWaiting(stack.db, 'transactionid')).toBe(1);
    await api.accept(ofSecondAndThird);
    for (let count = 0; count < 10; count++)
      expect(await api.process(batchOf(small()))).toMatchObject([{ cause: null }]);
    expect(await readResult(api, ofSecondAndThird)).toMatchObject({ succeeded: 1, pending: 1 });
    expect(await readResult(api, ofFirst)).toMatchObject({ pending: 1 });
  } finally {
    await trx.rollback().execute();
  }
  expect(await api.completed(ofFirst)).toMatchObject({ succeeded: 1 });
  expect(await api.completed(ofSecondAndThird)).toMatchObject({ succeeded: 2 });
});
