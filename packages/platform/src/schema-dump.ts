import { type Kysely, sql } from 'kysely';
import type { Database } from './database.ts';
import {
  type CatalogColumn,
  type Division,
  readColumns,
  readDivisions,
  readTableObjects,
  type TableObject,
} from './schema-catalog.ts';

const HEAD = `-- The schema as the migrations leave it, written by npm run schema. A test holds it against a migrated database;
-- nothing runs it. The functions of the triggers stand in functions/.`;

/**
 * Writes the schema `public` as SQL to read: sequences, then each table with its columns, constraints, indexes and
 * triggers, by name.
 * @throws Error when the schema has what this does not describe, such as a view
 */
export async function dumpSchema(database: Database): Promise<string> {
  const db = database as unknown as Kysely<unknown>;
  await assertDescribable(db);
  const sequences = await dumpSequences(db);
  const columns = Map.groupBy(await readColumns(db), ({ table }) => table);
  const objects = Map.groupBy(await readTableObjects(db), ({ table }) => table);
  const options = await readTableOptions(db);
  const divisions = new Map((await readDivisions(db)).map((division) => [division.table, division]));
  const tables = [...new Set([...columns.keys(), ...divisions.keys()])].toSorted().map((table) =>
    dumpTable(table, {
      columns: columns.get(table) ?? [],
      objects: objects.get(table) ?? [],
      options: options.get(table),
      division: divisions.get(table),
    }),
  );
  return `${[HEAD, sequences.join('\n'), ...tables].join('\n\n')}\n`;
}

async function assertDescribable(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind not in ('r', 'p', 'i', 'I', 'S')
    union all
    select typname from pg_type where typnamespace = 'public'::regnamespace and typtype not in ('b', 'c')
    order by name`.execute(db);
  if (rows.length === 0) return;
  throw new Error(
    `The dump of the schema does not describe ${rows.map(({ name }) => name).join(', ')}: add that to it.`,
  );
}

/** The sequences that are not those of an identity column. */
async function dumpSequences(db: Kysely<unknown>): Promise<string[]> {
  const { rows } = await sql<{ text: string }>`
    select format('CREATE SEQUENCE %s AS %s INCREMENT %s MINVALUE %s MAXVALUE %s START %s CACHE %s%s;', seqrelid::regclass,
      format_type(seqtypid, null), seqincrement, seqmin, seqmax, seqstart, seqcache,
      case when seqcycle then ' CYCLE' end) as text
    from pg_sequence join pg_class on pg_class.oid = seqrelid
    where relnamespace = 'public'::regnamespace
      and not exists (select from pg_depend where objid = seqrelid and deptype = 'i')
    order by relname`.execute(db);
  return rows.map(({ text }) => text);
}

async function readTableOptions(db: Kysely<unknown>): Promise<Map<string, string>> {
  const { rows } = await sql<{ table: string; options: string }>`
    select relname as table, array_to_string(reloptions, ', ') as options from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' and reloptions is not null`.execute(db);
  return new Map(rows.map(({ table, options }) => [table, options]));
}

interface Parts {
  columns: readonly CatalogColumn[];
  objects: readonly TableObject[];
  options: string | undefined;
  division: Division | undefined;
}

function dumpTable(table: string, { columns, objects, options, division }: Parts): string {
  const sorted = objects.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const constraints = sorted.filter(({ kind }) => kind === 'constraint');
  const inside = [
    ...columns.map(dumpColumn),
    ...constraints.map(({ name, definition }) => `CONSTRAINT ${name} ${definition}`),
  ];
  const indexes = sorted.filter(({ kind, isOfConstraint }) => kind === 'index' && !isOfConstraint);
  const others = sorted.filter(({ kind }) => kind === 'trigger' || kind === 'rule' || kind === 'row security');
  const head = division?.bounds ?? `(\n${inside.map((line) => `  ${line}`).join(',\n')}\n)`;
  const by = division?.by == null ? '' : ` PARTITION BY ${division.by}`;
  return [
    `CREATE TABLE ${table} ${head}${by}${options ? ` WITH (${options})` : ''};`,
    ...[...indexes, ...others].map((each) => `${dumpObject(each).replaceAll(/ (ONLY )?public\./g, ' ')};`),
  ].join('\n');
}

function dumpColumn({ name, type, isNotNull, defaultValue, identity, storage }: CatalogColumn): string {
  return [
    `${name} ${type}`,
    storage === null ? '' : `STORAGE ${STORAGES[storage] ?? storage}`,
    isNotNull ? 'NOT NULL' : '',
    identity === null ? '' : `GENERATED ${identity} AS IDENTITY`,
    defaultValue === null ? '' : `DEFAULT ${defaultValue}`,
  ]
    .filter((part) => part !== '')
    .join(' ');
}

const STORAGES: Record<string, string> = { e: 'EXTERNAL', m: 'MAIN', p: 'PLAIN', x: 'EXTENDED' };

function dumpObject({ kind, table, definition }: TableObject): string {
  if (kind === 'row security') return `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`;
  // The letter at the end says whether it is enabled; O is as usual.
  return kind === 'trigger' ? definition.replace(/ O$/, '') : definition;
}
