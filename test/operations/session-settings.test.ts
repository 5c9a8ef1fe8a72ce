import { migrateDatabase } from '@lockstep/cli';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { dataOf } from '../harness/api.ts';
import { ConsoleClient } from '../harness/browser/console.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { createTestDatabase, testStack } from '../harness/stack.ts';

/** What the role of the service has set. Nothing of it shows. */
const SETTINGS = {
  array_nulls: 'off',
  bytea_output: 'escape',
  client_min_messages: 'error',
  datestyle: 'German, DMY',
  default_transaction_isolation: 'serializable',
  extra_float_digits: '-15',
  search_path: 'elsewhere',
  standard_conforming_strings: 'off',
  timezone: 'America/St_Johns',
};

const database = await createTestDatabase({ migrated: false });
await sql`create schema elsewhere`.execute(database.db);
const name = new URL(database.url).pathname.slice(1);
for (const [setting, value] of Object.entries(SETTINGS)) {
  await sql.raw(`alter role current_user in database ${name} set ${setting} = '${value}'`).execute(database.db);
}
await migrateDatabase(database.url, { kind: 'postgres', url: database.url });
const { stack, api } = await testStack({ database });

it('has its tables where those of every service are', async () => {
  const { rows } = await sql<{ schema: string }>`
    select distinct schemaname as schema from pg_tables where schemaname not in ('pg_catalog', 'information_schema')
    order by 1`.execute(stack.db);
  expect(rows.map(({ schema }) => schema)).toEqual(['bullmq', 'public']);
});

it('takes a batch through to its results, the feed and the lists', async () => {
  const startMs = Date.now();
  const customer = await api.newCustomer();
  const number = newAssetNum();
  const batch = batchOf(newBuy(customer, [number]), deleteAsset(customer, [newAssetNum()]));
  await api.accept(batch);

  const result = await api.completed(batch);
  expect(result).toMatchObject({ succeeded: 1, failed: 1 });
  const isNow = (time: unknown) => Number(time) >= startMs - 1_000 && Number(time) <= Date.now() + 1_000;
  expect(result.completedTime).toSatisfy(isNow);

  const { events } = dataOf(await api.ask('getEvents', { query: { waitSeconds: '30' } }));
  expect(events).toMatchObject([{ time: result.completedTime, data: { succeeded: 1, failed: 1 } }]);
  const { batches } = dataOf(await api.ask('listBatches'));
  expect(batches).toMatchObject([{ channelOrderId: batch.channelOrderId, completedTime: result.completedTime }]);
  const { entries } = dataOf(await api.call('GET', `/asset/${number}/history`));
  const time = result.orders[0]!.finishedTime;
  expect(entries).toMatchObject([
    { action: 'product_bought', time },
    { action: 'created', time },
  ]);

  const viewer = await ConsoleClient.logIn(stack, 'viewer');
  const { assets } = await viewer.call('listAssets', { query: {} });
  expect(assets).toMatchObject([{ assetNum: number }]);
});
