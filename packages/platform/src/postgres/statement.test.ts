import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest';
import { behindSavepoint, type Database, inTransaction, openDatabase, type Trx } from './database.ts';
import { addChosenKeys } from './errors.ts';
import { prepared, run, send, together } from './statement.ts';

let db: Database;

beforeAll(() => {
  addChosenKeys('thing_key');
  const bounds = { poolSize: 1, applicationName: 'test' };
  db = openDatabase({ url: inject('postgresUrl'), ...bounds, onError: () => {} });
});
beforeEach(async () => {
  await sql`create temporary table if not exists thing (id integer constraint thing_key primary key)`.execute(db);
  await sql`delete from thing`.execute(db);
});
afterAll(() => db.destroy());

const add = (number: number) => ({ name: 'add', text: 'select $1::int + 1 as sum', values: [number] });
const insert = (id: number) => ({ name: 'insert_thing', text: 'insert into thing values ($1)', values: [id] });
const divide = { name: 'divide', text: 'select 1 / 0', values: [] };
const readIds = async () => {
  const { rows } = await sql<{ id: number }>`select id from thing order by id`.execute(db);
  return rows.map(({ id }) => id);
};

it('prepares a statement once a connection', async () => {
  expect([await run(db, add(1)), await run(db, add(2))]).toEqual([[{ sum: 2 }], [{ sum: 3 }]]);
  const { rows } = await sql`select name, custom_plans + generic_plans as runs from pg_prepared_statements`.execute(db);
  expect(rows).toEqual([{ name: 'add', runs: '2' }]);
});

it('prepares the first eight texts of a query, and runs others all the same', async () => {
  for (let index = 0; index < 10; index++) {
    const rows = await prepared(db, 'sums')`select ${index}::int + ${sql.lit(index)} as sum`;
    expect(rows).toEqual([{ sum: 2 * index }]);
  }
  const { rows } = await sql`select name from pg_prepared_statements where name like 'sums%' order by name`.execute(db);
  expect(rows).toEqual(Array.from({ length: 8 }, (_, index) => ({ name: `sums_${index}` })));
});

it('returns the rows of statements that are sent together', async () => {
  expect(await inTransaction(db, (trx) => together(trx, [add(1), add(2)]))).toEqual([[{ sum: 2 }], [{ sum: 3 }]]);
});

it('throws the error of the first of them that fails, and changes nothing', async () => {
  const failing = inTransaction(db, (trx) => together(trx, [insert(1), divide, insert(2)]));
  await expect(failing).rejects.toMatchObject({ code: '22012' });
  expect(await readIds()).toEqual([]);
});

it('commits what was sent without waiting', async () => {
  await inTransaction(db, async (trx) => {
    await send(trx, insert(1));
    await send(trx, insert(2));
  });
  expect(await readIds()).toEqual([1, 2]);
});

it('fails with what was sent without waiting: at the next answer, or at the commit', async () => {
  const sendTwice = async (trx: Trx) => {
    await send(trx, insert(1));
    await send(trx, insert(1));
  };
  await expect(inTransaction(db, sendTwice)).rejects.toMatchObject({ code: '23505' });
  let reached = false;
  const atAnswer = inTransaction(db, async (trx) => {
    await send(trx, divide);
    await sql`select 1`.execute(trx);
    reached = true;
  });
  await expect(atAnswer).rejects.toMatchObject({ code: '22012' });
  expect([reached, await readIds()]).toEqual([false, []]);
});

it('commits nothing if the failure of a statement was passed over', async () => {
  const passing = inTransaction(db, async (trx) => {
    await run(trx, insert(1));
    await run(trx, divide).catch(() => {});
  });
  await expect(passing).rejects.toThrow('rolled back instead of committed');
  expect(await readIds()).toEqual([]);
});

it('goes on behind a savepoint after what was sent has failed', async () => {
  await inTransaction(db, async (trx) => {
    await send(trx, insert(1));
    await expect(behindSavepoint(trx, () => send(trx, insert(1)))).rejects.toMatchObject({ code: '23505' });
    await send(trx, insert(2));
  });
  expect(await readIds()).toEqual([1, 2]);
});

it('runs a transaction again that lost by what it had sent', async () => {
  let runs = 0;
  await inTransaction(db, async (trx) => {
    await send(trx, insert(1));
    if (++runs === 1) await send(trx, insert(1));
  });
  expect([runs, await readIds()]).toEqual([2, [1]]);
});

it('takes a connection out of use that breaks in a transaction, and shows why it broke', async () => {
  const breaking = inTransaction(db, (trx) => sql`select pg_terminate_backend(pg_backend_pid())`.execute(trx));
  await expect(breaking).rejects.toMatchObject({ code: '57P01' });
  expect(await run(db, add(1))).toEqual([{ sum: 2 }]);
});
