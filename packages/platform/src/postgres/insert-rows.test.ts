import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { type Database, openDatabase } from './database.ts';
import { buildRows, type Column, insertRows } from './insert-rows.ts';

let db: Database;

// Each test has columns of its own, and one connection prepares one statement a table.
beforeEach(() => {
  db = openDatabase({ url: inject('postgresUrl'), poolSize: 1, applicationName: 'test', onError: () => {} });
});
afterEach(() => db.destroy());

/** Inserts into a table of the test's own. Returns the table's rows by id. */
async function inserted(columns: Column[]): Promise<unknown[]> {
  return await db.transaction().execute(async (trx) => {
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

  it('inserts thousands of rows', async () => {
    const ids = Array.from({ length: 20_000 }, (_, index) => String(index));
    const plus = (id: string) => `${id} + 1`;
    expect(await inserted([['id', 'bigint', ids, plus]])).toHaveLength(ids.length);
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
