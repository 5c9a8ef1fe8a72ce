import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest';
import { behindSavepoint, type Database, inTransaction, openDatabase } from './database.ts';
import { named, sendAhead, together } from './statement.ts';

/** Statements with names, and those that are sent before the one ahead of them is answered. */
let db: Database;

beforeAll(() => {
  const bounds = { poolSize: 1, applicationName: 'test' };
  db = openDatabase({ url: inject('postgresUrl'), ...bounds, onError: () => {} });
});
beforeEach(async () => {
  await sql`create temporary table if not exists thing (id integer primary key)`.execute(db);
  await sql`delete from thing`.execute(db);
});
afterAll(() => db.destroy());

const insert = (id: number) => sql`insert into thing values (${id}::int)`;
const readIds = async () => {
  const { rows } = await sql<{ id: number }>`select id from thing order by id`.execute(db);
  return rows.map(({ id }) => id);
};

it('prepares a statement that has a name once a connection', async () => {
  const add = (number: number) => named<{ sum: number }>('test_add', sql`select ${number}::int + 1 as sum`).execute(db);
  expect([(await add(1)).rows, (await add(2)).rows]).toEqual([[{ sum: 2 }], [{ sum: 3 }]]);
  const { rows } = await sql`select name, custom_plans + generic_plans as runs from pg_prepared_statements`.execute(db);
  expect(rows).toEqual([{ name: 'test_add', runs: '2' }]);
});

it('prepares the first eight texts of a name, and runs others unprepared', async () => {
  const taken = (number: number) => named<{ n: number }>('test_taken', sql.raw(`select ${number} as n`)).execute(db);
  for (let number = 1; number <= 9; number++) expect((await taken(number)).rows).toEqual([{ n: number }]);
  const { rows } = await sql<{ name: string }>`
    select name from pg_prepared_statements where name like 'test_taken%' order by 1`.execute(db);
  expect(rows.map(({ name }) => name)).toEqual([
    'test_taken',
    ...[2, 3, 4, 5, 6, 7, 8].map((number) => `test_taken_${number}`),
  ]);
});

it('plans a statement that has a name once, for any values, also after a transaction that failed, and others for theirs', async () => {
  const look = (id: number) => named('test_plan', sql`select from thing where id = ${id}::int`);
  await look(1).execute(db);
  await expect(
    inTransaction(db, async (trx) => {
      await sql`select ${1}::int`.execute(trx);
      await look(2).execute(trx);
      await sql`select 1 / ${0}::int`.execute(trx);
    }),
  ).rejects.toMatchObject({ code: '22012' });
  await look(3).execute(db);
  const { rows } = await sql`
    select custom_plans, generic_plans, current_setting('plan_cache_mode') as mode, ${1}::int as value
    from pg_prepared_statements where name = 'test_plan'`.execute(db);
  expect(rows).toEqual([{ custom_plans: '0', generic_plans: '3', mode: 'auto', value: 1 }]);
});

it('returns the rows of statements that are sent together', async () => {
  const [ones, twos] = await inTransaction(db, (trx) =>
    together<[{ one: number }, { two: number }]>(trx, [sql`select 1 as one`, sql`select 2 as two`]),
  );
  expect([ones, twos]).toEqual([[{ one: 1 }], [{ two: 2 }]]);
});

it('throws the error of the first of them that fails, and changes nothing', async () => {
  const failing = inTransaction(db, (trx) => together(trx, [insert(1), sql`select 1 / 0`, insert(2)]));
  await expect(failing).rejects.toMatchObject({ code: '22012' });
  expect(await readIds()).toEqual([]);
});

it('commits what was sent ahead', async () => {
  await inTransaction(db, async (trx) => {
    await sendAhead(trx, 'test_insert', insert(1));
    await sendAhead(trx, 'test_insert', insert(2));
  });
  expect(await readIds()).toEqual([1, 2]);
});

it('fails with what was sent ahead: at the next answer, or at the commit', async () => {
  const atCommit = inTransaction(
    db,
    async (trx) => {
      await sendAhead(trx, 'test_insert', insert(1));
      await sendAhead(trx, 'test_insert', insert(1));
    },
    1,
  );
  await expect(atCommit).rejects.toMatchObject({ code: '23505' });
  let reached = false;
  const atAnswer = inTransaction(db, async (trx) => {
    await sendAhead(trx, 'test_divide', sql`select 1 / 0`);
    await sql`select 1`.execute(trx);
    reached = true;
  });
  await expect(atAnswer).rejects.toMatchObject({ code: '22012' });
  expect([reached, await readIds()]).toEqual([false, []]);
});

it('goes on behind a savepoint after what was sent ahead has failed', async () => {
  await inTransaction(db, async (trx) => {
    await sendAhead(trx, 'test_insert', insert(1));
    const part = behindSavepoint(trx, () => sendAhead(trx, 'test_insert', insert(1)));
    await expect(part).rejects.toMatchObject({ code: '23505' });
    await sendAhead(trx, 'test_insert', insert(2));
  });
  expect(await readIds()).toEqual([1, 2]);
});

it('runs a transaction again that lost by what it had sent ahead', async () => {
  let runs = 0;
  await inTransaction(db, async (trx) => {
    await sendAhead(trx, 'test_insert', insert(1));
    if (++runs === 1) await sendAhead(trx, 'test_insert', insert(1));
  });
  expect([runs, await readIds()]).toEqual([2, [1]]);
});
