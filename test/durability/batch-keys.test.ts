import { createApplication } from '@lockstep/access';
import { migrateToLatest, migrateUpTo, shippedMigrations } from '@lockstep/platform';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { takeBackFrom } from '../harness/migrations.ts';
import { createTestDatabase, type TestDatabase } from '../harness/stack.ts';

/** The step to keys of batches, while processes of the release before go on accepting. */
let database: TestDatabase;

const named = (part: string) => shippedMigrations().find(({ name }) => name.includes(part))!.name;
const lastExpansion = () => shippedMigrations().findLast(({ kind }) => kind !== 'contraction')!.name;

beforeEach(async () => {
  database = await createTestDatabase();
  await takeBackFrom(database.db, named('batch_key'));
  await createApplication(database.db, { name: 'Test', scopes: ['auth_order'], approved: true, channels: null });
});
afterEach(() => database.close());

/** Inserts batches as the release before does: none whose key is taken. Returns how many it stored. */
async function acceptAsBefore(first: number, last: number): Promise<number> {
  const { rows } = await sql`
    insert into batch (id, application_id, channel_code, channel_order_id, sync_mode, digest, sequences, customer_ids,
      order_types)
    select nextval('batch_id'), application.id, 'test', number, 'async', '', '{1}', '{1}', '{new_buy}'
    from generate_series(${first}::int, ${last}::int) as number cross join application order by number
    on conflict (application_id, channel_code, channel_order_id) do nothing
    returning id`.execute(database.db);
  return rows.length;
}

/** The batches without a key of their own, and the keys without a batch. */
async function countApart(): Promise<number> {
  const { rows } = await sql<{ apart: number }>`
    select count(*)::int as apart from batch
    full join batch_key using (application_id, channel_code, channel_order_id)
    where batch.id is distinct from batch_key.batch_id`.execute(database.db);
  return rows[0]!.apart;
}

const countKeys = async () =>
  (await sql<{ keys: number }>`select count(*)::int as keys from batch_key`.execute(database.db)).rows[0]!.keys;

it('gives every batch its key, also where more have to be filled in than one step takes', async () => {
  await acceptAsBefore(1, 12_000);
  await migrateToLatest(database.db);
  expect([await countKeys(), await countApart()]).toEqual([12_000, 0]);
});

it('keeps the keys of what the release before accepts meanwhile, and of a repeat the key of its batch', async () => {
  await acceptAsBefore(1, 10);
  await migrateUpTo(database.db, named('batch_key'));
  expect(await acceptAsBefore(6, 15)).toBe(5);
  await migrateUpTo(database.db, lastExpansion());
  expect(await acceptAsBefore(11, 20)).toBe(5);
  expect([await countKeys(), await countApart()]).toEqual([20, 0]);
  await migrateToLatest(database.db);
  expect([await countKeys(), await countApart()]).toEqual([20, 0]);
});

it('refuses a batch without its key afterwards, and a key twice', async () => {
  await migrateToLatest(database.db);
  const insert = sql`
    insert into batch (id, application_id, channel_code, channel_order_id, sync_mode, digest, sequences, customer_ids,
      order_types)
    select 7, id, 'test', 'one', 'async', '', '{1}', '{1}', '{new_buy}' from application`;
  await expect(insert.execute(database.db)).rejects.toMatchObject({ code: '23505', constraint: 'batch_key_pkey' });
  await sql`insert into batch_key select id, 'test', 'one', 7 from application`.execute(database.db);
  await insert.execute(database.db);
  const again = sql`insert into batch_key select id, 'test', 'one', 8 from application`.execute(database.db);
  await expect(again).rejects.toMatchObject({ constraint: 'batch_key_pkey' });
});
