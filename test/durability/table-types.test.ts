import { glob, readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../harness/stack.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

/** What the `tables.ts` of all packages say of each column, read from their source. */
async function readTableTypes(): Promise<[column: string, type: string][]> {
  const columns: [string, string][] = [];
  for await (const file of glob('packages/*/src/tables.ts')) {
    const source = await readFile(file, 'utf8');
    const body = source.slice(source.indexOf('interface Tables {') + 'interface Tables {'.length);
    for (const [, table, list] of body.matchAll(/(\w+): \{([^}]*)\}/g)) {
      for (const [, column, type] of list!.matchAll(/(\w+): ([^;]+)/g))
        columns.push([`${table}.${column}`, type!.trim()]);
    }
  }
  return columns;
}

/** The type without what it says beyond PostgreSQL: which id it is, which texts there are, the shape of a document. */
function plainType(type: string): string {
  return type
    .replace(/\b[A-Z]\w*Id\b/g, 'string')
    .replace(/'\w+'( \| '\w+')*/, 'string')
    .replace(/Record<string, string>/, 'unknown');
}

/** The TypeScript type in which the driver reads each PostgreSQL type in use. */
const DRIVER_TYPES: Record<string, string> = {
  int8: 'string',
  text: 'string',
  uuid: 'string',
  float8: 'number',
  int2: 'number',
  int4: 'number',
  bool: 'boolean',
  bytea: 'Buffer',
  timestamptz: 'Date',
  json: 'unknown',
  jsonb: 'unknown',
  _int4: 'number[]',
  _text: 'string[]',
  _timestamptz: 'Date[]',
};

/** The type of each column of the migrated database. */
async function readColumns(): Promise<Record<string, string>> {
  const { rows } = await sql<{ name: string; type: string; nullable: boolean; generated: boolean; computed: boolean }>`
    select table_name || '.' || column_name as name, udt_name as type, is_nullable = 'YES' as nullable,
      column_default is not null or is_identity = 'YES' as generated,
      is_generated = 'ALWAYS' as computed
    from information_schema.columns where table_schema = 'public' and table_name not like 'kysely%'`.execute(
    database.db,
  );
  return Object.fromEntries(
    rows.map(({ name, type, nullable, generated, computed }) => {
      const read = `${DRIVER_TYPES[type]}${nullable ? ' | null' : ''}`;
      if (computed) return [name, `GeneratedAlways<${read}>`];
      return [name, generated ? `Generated<${read}>` : read];
    }),
  );
}

it('the table types of all packages are what the migrations create, column by column, each in one place', async () => {
  const types = await readTableTypes();
  expect(types.length).toBe(new Set(types.map(([column]) => column)).size);
  expect(Object.fromEntries(types.map(([column, type]) => [column, plainType(type)]))).toEqual(await readColumns());
});
