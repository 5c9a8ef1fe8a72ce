import { type Kysely, sql } from 'kysely';

/** A column as PostgreSQL's catalog has it; `storage` is set where it is not the one of the type. */
export interface CatalogColumn {
  table: string;
  name: string;
  type: string;
  isNotNull: boolean;
  /** The expression of its default; null where it has none. */
  defaultValue: string | null;
  identity: 'ALWAYS' | 'BY DEFAULT' | null;
  storage: string | null;
}

/** What belongs to a table besides its columns; `definition` is SQL, and `on` for row security. */
export interface TableObject {
  kind: 'constraint' | 'index' | 'trigger' | 'function' | 'row security' | 'rule';
  table: string;
  name: string;
  definition: string;
  /** Whether it can refuse a row. An index that only makes things fast cannot. */
  canRefuse: boolean;
  /** Whether it is an index that a constraint keeps, which is there by itself. */
  isOfConstraint: boolean;
}

/** The tables of the schema `public`, but for those that the migrator keeps for itself. */
const TABLES = sql`
  select oid, relname, relrowsecurity, relforcerowsecurity from pg_class
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relname not like 'kysely%'`;

/** The columns of all tables, in their order. */
export async function readColumns(db: Kysely<unknown>): Promise<CatalogColumn[]> {
  const { rows } = await sql<CatalogColumn>`
    select relname as table, attname as name, format_type(atttypid, atttypmod) as type, attnotnull as "isNotNull",
      pg_get_expr(adbin, attrelid) as "defaultValue",
      case attidentity when 'a' then 'ALWAYS' when 'd' then 'BY DEFAULT' end as identity,
      nullif(attstorage, typstorage) as storage
    from (${TABLES}) as ours
    join pg_attribute on attrelid = ours.oid
    join pg_type on pg_type.oid = atttypid
    left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where attnum > 0 and not attisdropped
    order by relname, attnum`.execute(db);
  return rows;
}

/** What belongs to the tables besides their columns. Indexes of constraints are there twice, and NOT NULL is a column's. */
export async function readTableObjects(db: Kysely<unknown>): Promise<TableObject[]> {
  const { rows } = await sql<TableObject>`
    with ours as (${TABLES})
    select 'constraint' as kind, relname as table, conname as name,
      pg_get_constraintdef(pg_constraint.oid) as definition, true as "canRefuse", false as "isOfConstraint"
    from ours join pg_constraint on conrelid = ours.oid where contype <> 'n'
    union all
    select 'index', relname, indexrelid::regclass::text, pg_get_indexdef(indexrelid), indisunique,
      exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u', 'x'))
    from ours join pg_index on indrelid = ours.oid
    union all
    select 'trigger', relname, tgname, pg_get_triggerdef(pg_trigger.oid) || ' ' || tgenabled::text, true, false
    from ours join pg_trigger on tgrelid = ours.oid where not tgisinternal
    union all
    select distinct 'function', relname, tgfoid::regprocedure::text, pg_get_functiondef(tgfoid), true, false
    from ours join pg_trigger on tgrelid = ours.oid where not tgisinternal
    union all
    select 'row security', relname, '', 'on', true, false from ours where relrowsecurity or relforcerowsecurity
    union all
    select 'rule', relname, rulename, pg_get_ruledef(pg_rewrite.oid), true, false
    from ours join pg_rewrite on ev_class = ours.oid`.execute(db);
  return rows;
}
