import { glob, readFile } from 'node:fs/promises';
import { EventType, HoldingEnd, LicenseType, LockAction, OrderType } from '@lockstep/contract';
import { sql } from 'kysely';
import { parseSync, type TSType, Visitor } from 'oxc-parser';
import { expect, it } from 'vitest';
import { testDatabase } from '../harness/stack.ts';

/** The `tables.ts` files of the packages describe the tables of their typed queries as PostgreSQL's catalog does. */

/** The TypeScript type of a column. */
interface ColumnType {
  /** The type without null and without type wrappers; `string` if `words` lists the possible values. */
  base: string;
  isNullable: boolean;
  written: 'by us' | 'Generated' | 'GeneratedAlways';
  words: string[];
}

/** The enums of the contract that columns have as types, and those of columns without types. */
const ENUMS: Record<string, { options: string[] }> = { LicenseType };
const UNTYPED: Record<string, { options: string[] }> = {
  'ended_holding.end_cause': HoldingEnd,
  'license_order.order_type': OrderType,
  'lock_audit.action': LockAction,
  'unnumbered_event.type': EventType,
};

const KEYWORDS: Partial<Record<TSType['type'], string>> = {
  TSStringKeyword: 'string',
  TSNumberKeyword: 'number',
  TSBooleanKeyword: 'boolean',
  TSUnknownKeyword: 'unknown',
};

const database = await testDatabase();
const types = await readTableTypes();

/** Whether a column, as `table.column`, has a type. */
const isTyped = (column: string) => column in types;

/** Returns the types of all columns, as `table.column`. Throws if a column has two. */
async function readTableTypes(): Promise<Record<string, ColumnType>> {
  const columns: Record<string, ColumnType> = {};
  for await (const file of glob('packages/*/src/**/tables.ts')) {
    const { program } = parseSync(file, await readFile(file, 'utf8'));
    const body = program.body.filter(({ type }) => type === 'TSModuleDeclaration');
    let table = '';
    new Visitor({
      TSPropertySignature({ key, typeAnnotation }) {
        const name = (key as { name: string }).name;
        const type = typeAnnotation!.typeAnnotation;
        if (type.type === 'TSTypeLiteral') {
          table = name;
          return;
        }
        const column = `${table}.${name}`;
        if (column in columns) throw new Error(`${column} is in two places`);
        columns[column] = readColumnType(type);
      },
    }).visit({ ...program, body });
  }
  return columns;
}

function readColumnType(type: TSType): ColumnType {
  const name = nameOf(type);
  if (name === 'Generated' || name === 'GeneratedAlways') {
    const [inner] = (type as Extract<TSType, { type: 'TSTypeReference' }>).typeArguments!.params;
    return { ...readColumnType(inner!), written: name };
  }
  const all = type.type === 'TSUnionType' ? type.types : [type];
  const parts = all.filter((part) => part.type !== 'TSNullKeyword');
  const words = parts.flatMap(wordsOf);
  const base = words.length > 0 ? 'string' : parts.map(nameOf).join(' | ');
  return { base, isNullable: parts.length < all.length, written: 'by us', words };
}

function wordsOf(type: TSType): string[] {
  if (type.type === 'TSLiteralType' && type.literal.type === 'Literal') return [String(type.literal.value)];
  return ENUMS[nameOf(type)]?.options ?? [];
}

function nameOf(type: TSType): string {
  if (type.type === 'TSArrayType') return `${nameOf(type.elementType)}[]`;
  if (type.type === 'TSTypeReference' && type.typeName.type === 'Identifier') return type.typeName.name;
  return KEYWORDS[type.type] ?? type.type;
}

/** The TypeScript type that the driver returns for each PostgreSQL type in use. */
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

/**
 * Returns the TypeScript type as the driver reads it: IDs are strings, and PostgreSQL does not know the content of
 * documents.
 */
function driverType(base: string): string {
  if (base.endsWith('[]')) return `${driverType(base.slice(0, -2))}[]`;
  if (base === 'Record') return 'unknown';
  return base.endsWith('Id') ? 'string' : base;
}

it('the table types of packages match the migrations, column by column', async () => {
  const { rows } = await sql<{ name: string; type: string; isNullable: boolean; written: ColumnType['written'] }>`
    select table_name || '.' || column_name as name, udt_name as type, is_nullable = 'YES' as "isNullable",
      case when is_generated = 'ALWAYS' then 'GeneratedAlways'
        when column_default is not null or is_identity = 'YES' then 'Generated' else 'by us' end as written
    from information_schema.columns
    where table_schema = 'public' and table_name not like 'kysely%'`.execute(database.db);
  const typed = rows.filter(({ name }) => isTyped(name));
  const stored = typed.map(({ name, type, ...rest }) => [name, { base: DRIVER_TYPES[type], ...rest }] as const);
  const said = Object.entries(types).map(([name, { words: _, base, ...rest }]) => [
    name,
    { base: driverType(base), ...rest },
  ]);
  expect(Object.fromEntries(said)).toEqual(Object.fromEntries(stored));
});

it('an ID has the type of the ID that it refers to', async () => {
  // References by a foreign key or, in ledger rows, by a table's name in the column's name.
  const { rows } = await sql<{ name: string; id: string }>`
    with ours as (select oid, relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'),
    reference as (
      select conrelid as table, conkey[1] as key, confrelid as other from pg_constraint
      where contype = 'f' and cardinality(conkey) = 1
      union
      select attrelid, attnum, ours.oid from pg_attribute
      join ours on right('_' || attname, length(relname) + 4) = '_' || relname || '_id'
      where attrelid in (select oid from ours)
    )
    select reference.table::regclass || '.' || own.attname as name, other::regclass || '.id' as id from reference
    join pg_attribute as own on (own.attrelid, own.attnum) = (reference.table, key)
    join pg_attribute as id
      on (id.attrelid, id.attname, id.atttypid) = (other, 'id', own.atttypid)`.execute(database.db);
  expect(rows).toContainEqual({ name: 'asset.customer_id', id: 'customer.id' });
  const named = (column: string) => types[column]!.base;
  const typed = rows.filter(({ name }) => isTyped(name));
  expect(typed.map(({ name }) => [name, named(name)])).toEqual(typed.map(({ name, id }) => [name, named(id)]));
});

it('an enum column allows exactly the values of its type', async () => {
  const { rows } = await sql<{ table: string; definition: string }>`
    select conrelid::regclass::text as table, pg_get_constraintdef(oid) as definition from pg_constraint
    where contype = 'c'`.execute(database.db);
  const checks = rows.map(({ table, definition }) => `${table}: ${definition}`);
  const typed = Object.entries(types).map(([name, { words }]) => [name, words] as const);
  const untyped = Object.entries(UNTYPED).map(([name, { options }]) => [name, options] as const);
  for (const [name, words] of [...typed, ...untyped]) {
    if (words.length === 0) continue;
    const [table, column] = name.split('.');
    const list = words.map((word) => `'${word}'::text`).join(', ');
    expect(checks).toContain(`${table}: CHECK ((${column} = ANY (ARRAY[${list}])))`);
  }
  const checked = rows.flatMap(({ table, definition }) =>
    [...definition.matchAll(/(\w+) = ANY \(ARRAY\['/g)].map(([, column]) => `${table}.${column}`),
  );
  expect(new Set(checked.filter(isTyped))).toEqual(
    new Set(typed.filter(([, words]) => words.length > 0).map(([name]) => name)),
  );
});
