import { readFile } from 'node:fs/promises';
import { LedgerIds } from '@lockstep/assets';
import { findDrift, inTransaction, migrateToLatest, shippedMigrations } from '@lockstep/platform';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tryCanary } from '../../packages/orders/src/canary.ts';
import { createTestDatabase, type TestDatabase } from '../harness/stack.ts';
import { contentOfTables } from '../harness/tables.ts';

let database: TestDatabase;
const ids = new LedgerIds();

beforeAll(async () => {
  database = await createTestDatabase();
  await sql
    .raw(`insert into enterprise (id, name, code) overriding system value values (1, 'E1', 'abc234');
      insert into customer (id, enterprise_id, channel_code, channel_customer_id, name, branch_name, is_default)
        overriding system value values (1, 1, 'test', 'c1', 'C', 'B', true), (2, 1, 'test', 'c2', 'C', 'B', false)`)
    .execute(database.db);
});
afterAll(() => database.close());

/** Changes the database for one transaction, and tries there whether orders of every kind can be carried out. */
async function canaryAfter(change: string): Promise<void> {
  const done = new Error('taken back');
  await inTransaction(database.db, async (trx) => {
    if (change !== '') await sql.raw(change).execute(trx);
    await tryCanary(trx, ids);
    throw done;
  }).catch((error: unknown) => {
    if (error !== done) throw error;
  });
}

describe('the canary', () => {
  it('lives while all is well, leaves nothing, and does not disturb others', async () => {
    const before = await contentOfTables(database.db);
    await Promise.all(Array.from({ length: 6 }, () => inTransaction(database.db, (trx) => tryCanary(trx, ids))));
    expect(await contentOfTables(database.db)).toEqual(before);
  });

  it('lives with one customer only', () => canaryAfter('delete from customer where id = 2'));

  const DELETED_ONLY = ['asset_assignment', 'asset_lending'];
  const WRITTEN = ['asset', 'asset_grant', 'merchandise_instance', 'product_instance', 'license_order'];
  const privileges = [
    ...['customer', ...WRITTEN, ...DELETED_ONLY].map((table) => [`select on ${table}`]),
    ...WRITTEN.map((table) => [`insert on ${table}`]),
    ...WRITTEN.slice(0, 4).map((table) => [`update on ${table}`]),
    ...DELETED_ONLY.map((table) => [`delete on ${table}`]),
    ['usage on sequence ledger_id'],
  ];
  it.each(privileges)('dies without the privilege to %s', async (privilege) => {
    const revoke = `revoke ${privilege === 'usage on sequence ledger_id' ? 'all on sequence ledger_id' : privilege} from current_user`;
    const fresh = privilege.includes('ledger_id') ? new LedgerIds() : ids;
    await expect(
      inTransaction(database.db, async (trx) => {
        await sql.raw(revoke).execute(trx);
        await tryCanary(trx, fresh);
      }),
    ).rejects.toMatchObject({ code: '42501' });
  });

  it.each([...WRITTEN, ...DELETED_ONLY, 'customer'])('dies of a renamed table %s', async (table) => {
    await expect(canaryAfter(`alter table ${table} rename to other`)).rejects.toMatchObject({ code: '42P01' });
  });

  /** Every column that orders read or write. */
  it('dies of any renamed column of the ledger', async () => {
    const { rows } = await sql<{ table: string; column: string }>`
      select table_name as table, column_name as column from information_schema.columns
      where table_schema = 'public' and table_name = any (${WRITTEN})`.execute(database.db);
    // The database fills them itself, or the member center and O6 do.
    const others = ['asset.locked', 'asset.freezing', 'license_order.finished_time'];
    for (const { table, column } of rows.filter((row) => !others.includes(`${row.table}.${row.column}`))) {
      const outcome = await canaryAfter(`alter table ${table} rename ${column} to other`).then(
        () => 'lived',
        () => 'died',
      );
      const isFilled = column === 'created_time';
      if (!isFilled) expect([table, column, outcome]).toEqual([table, column, 'died']);
    }
  });

  it.each(
    [...WRITTEN, ...DELETED_ONLY].flatMap((table) =>
      (table === 'license_order' ? ['insert'] : DELETED_ONLY.includes(table) ? ['delete'] : ['insert', 'update'])
        .filter((event) => !(event === 'insert' && DELETED_ONLY.includes(table)))
        .map((event) => [event, table]),
    ),
  )('dies of a trigger on %s of %s', async (event, table) => {
    await expect(
      canaryAfter(`create function fail() returns trigger language plpgsql as $$ begin
          raise sqlstate 'XX001' using message = 'made to fail';
        end $$;
        create trigger fail after ${event} on ${table} for each statement execute function fail()`),
    ).rejects.toMatchObject({ code: 'XX001' });
  });
});

describe('what the migrations made', () => {
  const TABLES = ['asset', 'product_instance'];

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
  ])('tells when somebody else changes %s', async (_, change, drift) => {
    const done = new Error('taken back');
    const changed = inTransaction(database.db, async (trx) => {
      await sql.raw(change).execute(trx);
      expect(await findDrift(trx, TABLES)).toEqual(drift);
      throw done;
    });
    await expect(changed).rejects.toBe(done);
  });

  it.each([
    ['an index that only makes things fast', 'create index quick on asset (limit_end_date)'],
    ['what is on other tables', 'alter table member add check (id > 0)'],
  ])('does not mind %s', async (_, change) => {
    const done = new Error('taken back');
    const changed = inTransaction(database.db, async (trx) => {
      await sql.raw(change).execute(trx);
      expect(await findDrift(trx, TABLES)).toEqual([]);
      throw done;
    });
    await expect(changed).rejects.toBe(done);
  });

  it('is not what somebody else had changed before a migration', async () => {
    const other = await createTestDatabase();
    try {
      const run = (statements: string) => sql.raw(statements).execute(other.db);
      const last = (await shippedMigrations()).at(-1)!;
      await run(await readFile(new URL(`../../migrations/${last}.down.sql`, import.meta.url), 'utf8'));
      await run(`delete from kysely_migration where name = '${last}'`);
      await run('alter table asset add constraint stricter check (id > 0)');
      expect(await migrateToLatest(other.db)).toEqual([last]);
      expect(await findDrift(other.db, ['asset', 'license_order'])).toEqual(['constraint asset.stricter']);
    } finally {
      await other.close();
    }
  });
});
