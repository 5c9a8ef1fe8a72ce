import { LedgerIds } from '@lockstep/assets';
import { inTransaction } from '@lockstep/platform';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/harness/stack.ts';
import { contentOfTables } from '../../../test/harness/tables.ts';
import { tryCanary } from './canary.ts';

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

/** Changes the database in a transaction, tries the canary in it, and rolls it back. */
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
