import { findDrift, migrateToLatest } from '@lockstep/platform';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { takeBack } from '../harness/migrations.ts';
import { createTestDatabase, type TestDatabase } from '../harness/stack.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

describe('the schema that the migrations made', () => {
  const TABLES = ['asset', 'product_instance'];

  /** Returns the drift after a change of the database, which is rolled back. */
  async function driftAfter(change: string): Promise<string[]> {
    const trx = await database.db.startTransaction().execute();
    try {
      await sql.raw(change).execute(trx);
      return await findDrift(trx, TABLES);
    } finally {
      await trx.rollback().execute();
    }
  }

  it('is what is there', async () => {
    expect(await findDrift(database.db, TABLES)).toEqual([]);
  });

  it.each([
    ['a column', 'alter table asset add more text', ['column asset.more']],
    [
      'a column’s type',
      'alter table asset alter asset_num type varchar(900)',
      expect.arrayContaining(['column asset.asset_num']),
    ],
    ['a check', 'alter table asset add constraint stricter check (id > 0)', ['constraint asset.stricter']],
    ['a unique index', 'create unique index once on asset (asset_num)', ['index asset.once']],
    ['a trigger', 'alter table asset disable trigger check_updated', ['trigger asset.check_updated']],
    [
      'a function',
      `create or replace function check_contents_inserted() returns trigger language plpgsql as
        $$ begin return null; end $$`,
      ['function of product_instance: check_contents_inserted()'],
    ],
    ['row security', 'alter table asset enable row level security', ['row security of asset']],
    ['a rule', 'create rule nothing as on insert to asset do instead nothing', ['rule asset.nothing']],
  ])('shows a drift when somebody else changes %s', async (_, change, drift) => {
    expect(await driftAfter(change)).toEqual(drift);
  });

  it.each([
    ['an index that only makes things fast', 'create index quick on asset (limit_end_date)'],
    ['what is on other tables', 'alter table member add check (id > 0)'],
  ])('shows none for %s', async (_, change) => {
    expect(await driftAfter(change)).toEqual([]);
  });

  it('does not include what somebody else changed before a migration', async () => {
    const other = await createTestDatabase();
    try {
      const run = (statements: string) => sql.raw(statements).execute(other.db);
      const newest = await takeBack(other.db, 1);
      await run('alter table asset add constraint stricter check (id > 0)');
      expect((await migrateToLatest(other.db)).applied).toEqual(newest);
      expect(await findDrift(other.db, ['asset', 'license_order'])).toEqual(['constraint asset.stricter']);
    } finally {
      await other.close();
    }
  });
});
