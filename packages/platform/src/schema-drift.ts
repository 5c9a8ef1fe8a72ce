import { type Kysely, sql } from 'kysely';
import type { Database } from './database.ts';
import { readColumns, readTableObjects, type TableObject } from './schema-catalog.ts';

type AnyDatabase = Kysely<unknown>;
type Definitions = Map<string, string>;

/**
 * How PostgreSQL defines what can refuse a row in the schema `public`, by name: `constraint asset.asset_times`. Of a partition
 * only what it does not have from its table, because workers make partitions.
 */
async function readDefinitions(db: AnyDatabase): Promise<Definitions> {
  const columns = await readColumns(db);
  const objects = await readTableObjects(db);
  return new Map([
    ...columns.map(({ table, name, type, isNotNull, defaultValue }): [string, string] => [
      `column ${table}.${name}`,
      // The form that databases have recorded since this is recorded.
      `${type} ${isNotNull ? 't' : 'f'} ${defaultValue ?? ''}`,
    ]),
    ...objects.filter(({ canRefuse }) => canRefuse).map((each): [string, string] => [nameOf(each), each.definition]),
  ]);
}

function nameOf({ kind, table, name }: TableObject): string {
  if (kind === 'function') return `function of ${table}: ${name}`;
  return kind === 'row security' ? `row security of ${table}` : `${kind} ${table}.${name}`;
}

async function readRecorded(db: AnyDatabase): Promise<Definitions> {
  const { rows } = await sql<{ name: string; definition: string }>`
    select name, definition from schema_definition`.execute(db);
  return new Map(rows.map(({ name, definition }) => [name, definition]));
}

/**
 * Runs a migration and records what it changed in the schema, and only that: what somebody else had changed before is
 * not recorded as the migration's.
 */
export async function recordDefinitions(db: AnyDatabase, migrate: () => Promise<void>): Promise<void> {
  const wasRecorded = await isRecorded(db);
  const before = wasRecorded ? await readDefinitions(db) : new Map<string, string>();
  await migrate();
  if (!(await isRecorded(db))) return;
  const after = await readDefinitions(db);
  const gone = [...before.keys()].filter((name) => !after.has(name));
  const changed = [...after].filter(([name, definition]) => before.get(name) !== definition);
  await sql`delete from schema_definition where name = any (${gone})`.execute(db);
  await sql`
    insert into schema_definition (name, definition)
    select * from unnest(${changed.map(([name]) => name)}::text[], ${changed.map(([, text]) => text)}::text[])
    on conflict (name) do update set definition = excluded.definition`.execute(db);
}

async function isRecorded(db: AnyDatabase): Promise<boolean> {
  const { rows } = await sql<{ recorded: boolean }>`
    select to_regclass('public.schema_definition') is not null as recorded`.execute(db);
  return rows[0]!.recorded;
}

/**
 * Finds what of some tables is not as the migrations made it: somebody else changed it, or a migration is missing.
 * @returns the names, such as `trigger asset.check_updated`; empty where all is as it was made
 */
export async function findDrift(db: Database, tables: readonly string[]): Promise<string[]> {
  const found = await readDefinitions(db as unknown as AnyDatabase);
  const recorded = await readRecorded(db as unknown as AnyDatabase);
  const names = new Set([...found.keys(), ...recorded.keys()]);
  const isOf = (name: string) => tables.some((table) => new RegExp(`^[a-z ]+ ${table}(_p\\d{4})?([.:]|$)`).test(name));
  return [...names].filter((name) => isOf(name) && found.get(name) !== recorded.get(name)).toSorted();
}
