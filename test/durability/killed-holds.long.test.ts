import type { Customer } from '@lockstep/contract';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { batchOf, deleteAsset, newAssetNum, newBuy, productToBuy } from '../harness/orders/orders.ts';
import { retried } from '../harness/orders/retried.ts';
import { expectSumsRight } from '../harness/orders/sync-batches.ts';
import { testKilledProcesses } from '../harness/processes/deployment.ts';

/** Processes are killed while customers are held, and while their orders are finally applied. */

const CUSTOMERS = 6;
const ROUNDS = 4;
const strict = { products: [productToBuy({ crmProductId: 'Strict' })] };

const service = await testKilledProcesses('postgres', { redisDatabase: 0, batchesBetweenKills: 2 });

const newCustomers = () => Promise.all(Array.from({ length: CUSTOMERS }, () => service.apis[0]!.newCustomer()));
const completed = (batch: ReturnType<typeof batchOf>) => retried(service.apis, (api) => api.completed(batch));
const run = (statement: string) => sql.raw(statement).execute(service.database.db);

/** Buys a number for each customer, or deletes it in the next batch. */
async function send(customers: readonly (Customer & { number: string })[], round: number, isStrict = false) {
  const orders = customers.map((customer) =>
    round % 2 === 0
      ? newBuy(customer, [customer.number], {}, isStrict ? strict : {})
      : deleteAsset(customer, [customer.number]),
  );
  const batch = batchOf(...orders);
  await retried(service.apis, (api) => api.accept(batch));
  service.countBatch();
  return batch;
}

it('held orders are applied once, others are not blocked, and each customer keeps its order', async () => {
  const { db } = service.database;
  const withNumber = (customer: Customer) => ({ ...customer, number: newAssetNum() });
  const held = (await newCustomers()).map(withNumber);
  const others = (await newCustomers()).map(withNumber);
  await run("alter table product_instance add constraint stricter check (crm_product_id <> 'Strict')");
  const batches = [];
  const expectOthersToProceed = async (round: number) => {
    expect(await completed(await send(others, round))).toMatchObject({ succeeded: CUSTOMERS });
  };
  for (let round = 0; round < ROUNDS; round++) {
    batches.push(await send(held, round, round === 0));
    await expectOthersToProceed(round);
  }
  const readHeld = () => db.selectFrom('held_order').select('license_order_id').execute();
  // A restarted worker holds nobody until it has seen orders of others succeed (rules 6.2).
  let round = ROUNDS;
  for (; (await readHeld()).length !== CUSTOMERS * ROUNDS; round++) await expectOthersToProceed(round);
  const holds = await db.selectFrom('order_hold').select('customer_id').orderBy('customer_id').execute();
  expect(holds.map((hold) => hold.customer_id)).toEqual(held.map(({ customerId }) => customerId).toSorted());

  await run('alter table product_instance drop constraint stricter');
  for (const end = round + ROUNDS; round < end || (await readHeld()).length > 0; round++)
    await expectOthersToProceed(round);
  await service.restarted();
  for (const batch of batches) expect(await completed(batch)).toMatchObject({ succeeded: CUSTOMERS, failed: 0 });
  const assets = await db
    .selectFrom('asset')
    .select('created_by_order_id')
    .where(
      'asset_num',
      'in',
      held.map(({ number }) => number),
    )
    .execute();
  expect(new Set(assets.map((asset) => asset.created_by_order_id)).size).toBe((CUSTOMERS * ROUNDS) / 2);
  expect(assets).toHaveLength((CUSTOMERS * ROUNDS) / 2);
  for (const table of ['lane_chunk', 'order_hold', 'held_order'] as const) {
    await expect.poll(() => db.selectFrom(table).selectAll().execute()).toEqual([]);
  }
  await expectSumsRight(db);
}, 300_000);
