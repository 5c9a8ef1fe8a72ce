import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import {
  type Database,
  dumpSchema,
  findDrift,
  migrateToLatest,
  migrateUpTo,
  shippedMigrations,
} from '@lockstep/platform';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../harness/stack.ts';

/** The files that say what the schema is now: its dump, and the functions of its triggers. */

const MIGRATIONS = new URL('../../migrations/', import.meta.url);
const FUNCTIONS = new URL('functions/', MIGRATIONS);

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

/** The functions of the schema, by name, as PostgreSQL defines them. */
async function readFunctions(db: Database): Promise<Record<string, string>> {
  const { rows } = await sql<{ name: string; definition: string }>`
    select proname as name, pg_get_functiondef(oid) as definition from pg_proc
    where pronamespace = 'public'::regnamespace order by 1`.execute(db);
  return Object.fromEntries(rows.map(({ name, definition }) => [name, definition]));
}

describe('the dump', () => {
  it('is the schema of a migrated database; `npm run schema` writes it', async () => {
    expect(await dumpSchema(database.db)).toBe(await readFile(new URL('schema.sql', MIGRATIONS), 'utf8'));
  });

  it.each<[what: string, change: string, line: string | RegExp]>([
    ['a column', 'alter table asset add more text', '  more text,'],
    ['a default', 'alter table asset alter limit_end_date set default 1', '  limit_end_date bigint DEFAULT 1,'],
    [
      'a constraint',
      'alter table asset add constraint asset_id check (id > 0)',
      '  CONSTRAINT asset_id CHECK ((id > 0)),',
    ],
    ['an index', 'create index more on asset (id)', 'CREATE INDEX more ON asset USING btree (id);'],
    ['a sequence', 'create sequence more cycle', /^CREATE SEQUENCE more AS bigint .* CYCLE;$/m],
    ['a table', 'create table more (id text)', 'CREATE TABLE more ('],
    ['a setting of a table', 'alter table nonce set (fillfactor = 50)', ') WITH (fillfactor=50);'],
    ['a rule', 'create rule more as on insert to asset do nothing', /^CREATE RULE more/m],
    ['row security', 'alter table asset enable row level security', 'ALTER TABLE asset ENABLE ROW LEVEL SECURITY;'],
    [
      'a trigger that is off',
      'alter table asset disable trigger check_updated',
      /^CREATE TRIGGER check_updated .* D;$/m,
    ],
  ])('shows %s', async (_, change, shown) => {
    const trx = await database.db.startTransaction().execute();
    try {
      const before = await dumpSchema(trx);
      await sql.raw(change).execute(trx);
      const after = await dumpSchema(trx);
      for (const [dump, isThere] of [
        [before, false],
        [after, true],
      ] as const) {
        expect(typeof shown === 'string' ? dump.split('\n').includes(shown) : shown.test(dump)).toBe(isThere);
      }
    } finally {
      await trx.rollback().execute();
    }
  });

  it.each([
    ['a view', 'create view more as select 1'],
    ['a type', "create type more as enum ('one')"],
  ])('refuses to leave %s out', async (_, change) => {
    const trx = await database.db.startTransaction().execute();
    try {
      await sql.raw(change).execute(trx);
      await expect(dumpSchema(trx)).rejects.toThrow('does not describe more:');
    } finally {
      await trx.rollback().execute();
    }
  });
});

describe('the functions', () => {
  /** The last migration before functions had files. */
  const BEFORE_FILES = '0039_revoked_number';

  it('have a file each, of their name', async () => {
    const files = Object.keys(await readFunctions(database.db)).map((name) => `${name}.sql`);
    expect((await readdir(FUNCTIONS)).toSorted()).toEqual(files.toSorted());
  });

  it('are what the files say', async () => {
    const found = await readFunctions(database.db);
    for (const file of await readdir(FUNCTIONS)) {
      const text = await readFile(new URL(file, FUNCTIONS), 'utf8');
      const name = file.slice(0, -'.sql'.length);
      expect(text).toContain(`create or replace function ${name}(`);
      expect(found[name]).toContain(text.slice(text.indexOf('$$') + 2, text.lastIndexOf('$$')));
    }
  });

  it('are those of the newest migration that says so: a function that changed reaches a database by a migration', async () => {
    const hash = createHash('sha256');
    for (const file of (await readdir(FUNCTIONS)).toSorted()) {
      const lines = (await readFile(new URL(file, FUNCTIONS), 'utf8')).split('\n');
      hash.update(lines.filter((line) => !line.startsWith('--')).join('\n'));
    }
    const said: string[] = [];
    for (const { name } of shippedMigrations()) {
      const text = await readFile(new URL(`${name}.up.sql`, MIGRATIONS), 'utf8');
      const digest = /^-- functions (\w+)$/m.exec(text)?.[1];
      if (digest !== undefined) said.push(digest);
    }
    // If this fails, a file in functions/ has changed: write the line that it should be into a new migration.
    expect(`-- functions ${said.at(-1)}`).toBe(`-- functions ${hash.digest('hex').slice(0, 16)}`);
  });

  it('are applied to a database of an older release, also where somebody replaced one', async () => {
    const old = await createTestDatabase({ migrated: false });
    try {
      await migrateUpTo(old.db, BEFORE_FILES);
      await sql`
        create or replace function refuse_change() returns trigger language plpgsql as
          $$ begin return null; end $$`.execute(old.db);
      await migrateToLatest(old.db);
      expect(await readFunctions(old.db)).toEqual(await readFunctions(database.db));
      expect(await findDrift(old.db, ['asset', 'lock_audit', 'product_instance'])).toEqual([]);
    } finally {
      await old.close();
    }
  });

  it('are applied with the newest expansion or not at all', async () => {
    const old = await createTestDatabase({ migrated: false });
    try {
      await migrateUpTo(old.db, BEFORE_FILES);
      const other = await old.db.startTransaction().execute();
      await sql`
        create or replace function refuse_change() returns trigger language plpgsql as
          $$ begin return null; end $$`.execute(other);
      const impatient = { lockTimeoutMs: 100, patienceMs: 300 };
      const failing = await migrateToLatest(old.db, impatient).catch((error: unknown) => error);
      await other.rollback().execute();
      expect(failing).toMatchObject({ name: 'MigrationFailure', cause: { code: '55P03' } });
      await migrateToLatest(old.db);
      expect(await readFunctions(old.db)).toEqual(await readFunctions(database.db));
    } finally {
      await old.close();
    }
  });
});
