import type { BatchResult } from '@lockstep/contract';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { checkNumbers } from '../harness/databases/numbers.ts';
import { untilDisconnected } from '../harness/databases/waiting.ts';
import { buyLargeAssets, FULL } from '../harness/orders/large-assets.ts';
import { batchOf, deleteAsset, deleteProduct, newAssetNum, newBuy, type Sent } from '../harness/orders/orders.ts';
import { testDeployment } from '../harness/processes/deployment.ts';

/** Workers are killed while orders at the limit run (rules 6.5 Size). */

/** One order may touch this many full assets. */
const FULL_ASSETS = 5;

const { database, api, workers } = await testDeployment({ workers: 2 });
const customer = await api.newCustomer();

/** Returns whether a drain has written something and not committed. */
async function isWriting(): Promise<boolean> {
  const { rows } = await sql`
    select from pg_stat_activity join pg_locks using (pid)
    where application_name = 'lockstep-worker' and datname = current_database()
      and relation = 'license_order'::regclass and mode = 'RowExclusiveLock'`.execute(database.db);
  return rows.length > 0;
}

/** Kills all workers. Restarts them once PostgreSQL has ended their sessions. */
async function killWorkers(): Promise<void> {
  await Promise.all(workers.map((worker) => worker.kill()));
  await untilDisconnected(database.db, 'lockstep-worker');
  await Promise.all(workers.map((worker) => worker.start()));
}

/** Applies orders in one batch, and kills the workers while they write its effects. */
async function carryOutKilled(...orders: Sent[]): Promise<BatchResult['orders']> {
  const batch = batchOf(...orders);
  await api.accept(batch);
  await expect.poll(isWriting, { interval: 10 }).toBe(true);
  await killWorkers();
  return (await api.completed(batch)).orders;
}

const buyFull = (filling: (typeof FULL)[keyof typeof FULL]) =>
  buyLargeAssets({ db: database.db, api }, customer, FULL_ASSETS, filling);
const failed = { state: 'failed', cause: 'order_too_large', assets: 0, products: 0 };

/** Counts the products that an order has revoked. */
async function countRevoked({ licenseOrderId }: { licenseOrderId: string }): Promise<number> {
  const { rows } = await sql<{ revoked: number }>`
    select count(*)::int as revoked from product_instance where revoked_by_order_id = ${licenseOrderId}`.execute(
    database.db,
  );
  return rows[0]!.revoked;
}

it('each order at the limit takes effect once, and each over it fails, even if all workers are killed', async () => {
  const next = await api.newCustomer();
  const transfer = (assetNums: string[]) => newBuy(next, assetNums, {}, { transferedAssetNum: true, products: [] });
  const packages = await buyFull(FULL.packages);
  const moved = await carryOutKilled(transfer([...packages.large, packages.small]), transfer(packages.large));
  expect(moved).toMatchObject([failed, { state: 'succeeded' }]);
  const transfers = await database.db.selectFrom('asset_transfer').select('license_order_id').execute();
  expect(transfers).toEqual(Array(FULL_ASSETS).fill({ license_order_id: moved[1]!.licenseOrderId }));

  const small = newAssetNum();
  await api.carryOut(newBuy(next, [small]));
  const emptied = await carryOutKilled(
    deleteProduct(next, [...packages.large, small]),
    deleteProduct(next, packages.large),
  );
  expect(emptied).toMatchObject([failed, { state: 'succeeded', products: FULL_ASSETS * 1_001 }]);
  expect(await countRevoked(emptied[1]!)).toBe(FULL_ASSETS * 1_001);

  const products = await buyFull(FULL.products);
  const deleted = await carryOutKilled(
    deleteAsset(customer, [...products.large, products.small]),
    deleteAsset(customer, products.large),
  );
  expect(deleted).toMatchObject([failed, { state: 'succeeded', assets: FULL_ASSETS, products: FULL_ASSETS * 2_000 }]);
  expect(await countRevoked(deleted[1]!)).toBe(FULL_ASSETS * 2_000);

  for (const table of ['lane_chunk', 'order_hold'] as const) {
    await expect.poll(() => database.db.selectFrom(table).selectAll().execute()).toEqual([]);
  }
  expect(await checkNumbers(database.db)).toEqual([]);
}, 300_000);
