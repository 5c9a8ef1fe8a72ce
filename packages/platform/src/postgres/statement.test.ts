import { openPool } from '@lockstep/test/harness/databases/pool';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { behindSavepoint, inTransaction, type Trx } from './database.ts';
import { buildRows, type Column, insertRows, isId, prepared, run, send, together } from './statement.ts';

const db = openPool();

beforeEach(async () => {
  await sql`create temporary table if not exists thing (id integer constraint thing_chosen primary key)`.execute(db);
  await sql`delete from thing`.execute(db);
});

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

it('continues after a statement behind a savepoint has failed', async () => {
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

describe('rows', () => {
  /** Inserts into the test's own table. Returns the rows by id. */
  async function inserted(columns: Column[]): Promise<unknown[]> {
    // Each test has its own columns, and a connection prepares one statement per table.
    return await openPool()
      .transaction()
      .execute(async (trx) => {
        await sql`
      create temporary table asset (id bigint, asset_num text default 'none', revoked_time timestamptz, extends jsonb)
      on commit drop`.execute(trx);
        await insertRows(trx, 'asset', columns);
        const { rows } = await sql`
      select id, asset_num, extends, revoked_time = transaction_timestamp() as revoked_now, revoked_time
      from asset order by id`.execute(trx);
        return rows;
      });
  }

  describe('insertRows', () => {
    it('stores the values of each column, with nulls, and leaves other columns to their defaults', async () => {
      const rows = await inserted([
        ['extends', 'jsonb', ['{"a":"1"}', null]],
        ['id', 'bigint', ['9007199254740993', '2']],
      ]);
      expect(rows).toMatchObject([
        { id: '2', asset_num: 'none', extends: null },
        { id: '9007199254740993', asset_num: 'none', extends: { a: '1' } },
      ]);
    });

    it('stores JSON with all that a text may hold', async () => {
      const given = { text: 'a "quoted" \\ text, {braces}\n\t\u2028 null 店 😀', nothing: null };
      const rows = await inserted([
        ['id', 'bigint', ['1']],
        ['extends', 'jsonb', [JSON.stringify(given)]],
      ]);
      expect(rows).toMatchObject([{ extends: given }]);
    });

    it('stores nulls in a column that has nothing else, and what its expression makes of other columns', async () => {
      const rows = await inserted([
        ['id', 'bigint', ['1', '2']],
        ['asset_num', 'text', [null, null]],
        ['extends', 'jsonb', ['1', null]],
        ['revoked_time', 'bigint', [], () => 'case when extends is not null then transaction_timestamp() end'],
      ]);
      expect(rows).toMatchObject([
        { asset_num: null, extends: 1, revoked_now: true },
        { asset_num: null, extends: null, revoked_time: null },
      ]);
    });

    it('stores what the expression of a column makes of a value', async () => {
      const revokedNow: Column = [
        ...(['revoked_time', 'boolean', [true, false, null]] as const),
        (revoked) => `case when ${revoked} then transaction_timestamp() end`,
      ];
      const loud: Column = ['asset_num', 'text', ['a', null, 'c'], (word) => `coalesce(upper(${word}), 'nothing')`];
      const rows = await inserted([
        ['id', 'bigint', ['1', '2', '3']],
        revokedNow,
        loud,
        ['extends', 'jsonb', ['1', '2', '3']],
      ]);
      expect(rows).toMatchObject([
        { asset_num: 'A', revoked_now: true, extends: 1 },
        { asset_num: 'nothing', revoked_time: null, extends: 2 },
        { asset_num: 'C', revoked_time: null, extends: 3 },
      ]);
    });

    it('does nothing if there are no rows or no columns', async () => {
      expect(
        await inserted([
          ['id', 'bigint', []],
          ['no_such_column', 'text', []],
        ]),
      ).toEqual([]);
      expect(await inserted([])).toEqual([]);
    });

    it('stores text unchanged, even if it looks like SQL', async () => {
      const words = ["'); drop table asset; --", '{a,b}', '"', '\\', 'NULL', ''];
      const rows = await inserted([
        ['id', 'bigint', words.map((_, index) => index)],
        ['asset_num', 'text', words],
      ]);
      expect(rows).toMatchObject(words.map((asset_num) => ({ asset_num })));
    });
  });

  describe('buildRows', () => {
    it('builds a set of rows to select from', async () => {
      const set = buildRows([
        ['id', 'bigint', ['2', '1']],
        ['word', 'text', ['two', null]],
      ]);
      const { rows } = await sql`select * from ${set} as row (id, word)`.execute(db);
      expect(rows).toEqual([
        { id: '2', word: 'two' },
        { id: '1', word: null },
      ]);
    });
  });
});

describe('isId', () => {
  it.each(['1', '10', '100001', '9007199254740993', '9223372036854775807'])('takes %s', (digits) => {
    expect(isId(digits)).toBe(true);
  });

  it.each([
    ['zero', '0'],
    ['a leading zero', '0100001'],
    ['nothing but zeros', '0000000000000000000'],
    ['one more than 63 bits hold', '9223372036854775808'],
    ['the most that 19 digits say', '9999999999999999999'],
    ['20 digits', '10000000000000000000'],
    ['nothing', ''],
    ['letters', '12a'],
    ['a blank', ' 1'],
    ['other digits', '１２'],
  ])('refuses %s: %s', (_, digits) => expect(isId(digits)).toBe(false));
});
