import { type Kysely, sql } from 'kysely';
import type { Database } from './database.ts';

type AnyDatabase = Kysely<unknown>;
type Definitions = Map<string, string>;

/**
 * How PostgreSQL defines what can refuse a row in the schema `public`: columns, constraints, unique indexes, triggers and
 * their functions, row security; by name, `constraint asset.asset_times`. Indexes that only make things fast are not among them.
 */
async function readDefinitions(db: AnyDatabase): Promise<Definitions> {
  const { rows } = await sql<{ name: string; definition: string }>`
    with ours as (
      select oid, relname, relrowsecurity, relforcerowsecurity from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relname not like 'kysely%'
    )
    select format('column %s.%s', relname, attname) as name,
      format('%s %s %s', format_type(atttypid, atttypmod), attnotnull, pg_get_expr(adbin, attrelid)) as definition
    from ours join pg_attribute on attrelid = ours.oid left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where attnum > 0 and not attisdropped
    union all
    select format('constraint %s.%s', relname, conname), pg_get_constraintdef(pg_constraint.oid)
    from ours join pg_constraint on conrelid = ours.oid where contype <> 'n'
    union all
    select format('index %s.%s', relname, indexrelid::regclass), pg_get_indexdef(indexrelid)
    from ours join pg_index on indrelid = ours.oid where indisunique
    union all
    select format('trigger %s.%s', relname, tgname), pg_get_triggerdef(pg_trigger.oid) || ' ' || tgenabled::text
    from ours join pg_trigger on tgrelid = ours.oid where not tgisinternal
    union all
    select distinct format('function of %s: %s', relname, tgfoid::regprocedure), pg_get_functiondef(tgfoid)
    from ours join pg_trigger on tgrelid = ours.oid where not tgisinternal
    union all
    select format('row security of %s', relname), 'on' from ours where relrowsecurity or relforcerowsecurity
    union all
    select format('rule %s.%s', relname, rulename), pg_get_ruledef(pg_rewrite.oid)
    from ours join pg_rewrite on ev_class = ours.oid`.execute(db);
  return new Map(rows.map(({ name, definition }) => [name, definition]));
}

async function readRecorded(db: AnyDatabase): Promise<Definitions> {
  const { rows } = await sql<{ name: string; definition: string }>`
    select name, definition from schema_definition`.execute(db);
  return new Map(rows.map(({ name, definition }) => [name, definition]));
}

/**
 * Runs a migration and records what it changed in the schema, and only that: what somebody else had changed before is
 * not taken for the migrations' own.
 */
export async function recordingDefinitions(db: AnyDatabase, migrate: () => Promise<void>): Promise<void> {
  const wasKept = await isKept(db);
  const before = wasKept ? await readDefinitions(db) : new Map<string, string>();
  await migrate();
  if (!(await isKept(db))) return;
  const after = await readDefinitions(db);
  const gone = [...before.keys()].filter((name) => !after.has(name));
  const changed = [...after].filter(([name, definition]) => before.get(name) !== definition);
  await sql`delete from schema_definition where name = any (${gone})`.execute(db);
  await sql`
    insert into schema_definition (name, definition)
    select * from unnest(${changed.map(([name]) => name)}::text[], ${changed.map(([, text]) => text)}::text[])
    on conflict (name) do update set definition = excluded.definition`.execute(db);
}

async function isKept(db: AnyDatabase): Promise<boolean> {
  const { rows } = await sql<{ kept: boolean }>`
    select to_regclass('public.schema_definition') is not null as kept`.execute(db);
  return rows[0]!.kept;
}

/**
 * What of some tables is not as the migrations made it, by name; empty where all is. Somebody else has changed it then,
 * or a migration is missing.
 */
export async function findDrift(db: Database, tables: readonly string[]): Promise<string[]> {
  const found = await readDefinitions(db as unknown as AnyDatabase);
  const recorded = await readRecorded(db as unknown as AnyDatabase);
  const names = new Set([...found.keys(), ...recorded.keys()]);
  const isOf = (name: string) => tables.some((table) => new RegExp(`^[a-z ]+ ${table}([.:]|$)`).test(name));
  return [...names].filter((name) => isOf(name) && found.get(name) !== recorded.get(name)).toSorted();
}
