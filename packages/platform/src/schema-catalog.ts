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

/**
 * The tables of the schema `public`, but for those that the migrator keeps for itself, and partitions that an archive detaches
 * or has detached; `parent` of a partition its table.
 */
const TABLES = sql`
  select oid, relname, relrowsecurity, relforcerowsecurity, inhparent as parent from pg_class
  left join pg_inherits on relispartition and inhrelid = oid
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relname not like 'kysely%'
    and not coalesce(inhdetachpending, false) and (relispartition or relname !~ '_p[0-9]{4}$')`;

/** The columns of all tables, in their order; of a partition those that are not as in its table. */
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
    where attnum > 0 and not attisdropped and not exists (
      select from pg_attribute as of_parent
      left join pg_attrdef as by_parent on by_parent.adrelid = of_parent.attrelid and by_parent.adnum = of_parent.attnum
      where of_parent.attrelid = parent and of_parent.attname = pg_attribute.attname
        and of_parent.attnotnull = pg_attribute.attnotnull
        and pg_get_expr(by_parent.adbin, by_parent.adrelid)
          is not distinct from pg_get_expr(pg_attrdef.adbin, pg_attrdef.adrelid)
    )
    order by relname, attnum`.execute(db);
  return rows;
}

/**
 * What belongs to the tables besides their columns. Indexes of constraints are there twice, and NOT NULL is a column's. Of a
 * partition only what it does not have from its table; a primary key of its own is made with it.
 */
export async function readTableObjects(db: Kysely<unknown>): Promise<TableObject[]> {
  const { rows } = await sql<TableObject>`
    with ours as (${TABLES}), triggers as (
      select relname, tgname, tgenabled, tgfoid, pg_get_triggerdef(pg_trigger.oid) as definition
      from ours join pg_trigger on tgrelid = ours.oid
      where not tgisinternal and not exists (
        select from pg_trigger as of_parent
        where of_parent.tgrelid = parent and of_parent.tgname = pg_trigger.tgname
          and of_parent.tgenabled = pg_trigger.tgenabled
          and pg_get_triggerdef(pg_trigger.oid)
            = replace(pg_get_triggerdef(of_parent.oid), format(' ON public.%I ', parent::regclass), format(' ON public.%I ', relname))
      )
    )
    select 'constraint' as kind, relname as table, conname as name,
      pg_get_constraintdef(pg_constraint.oid) as definition, true as "canRefuse", false as "isOfConstraint"
    from ours join pg_constraint on conrelid = ours.oid
    where contype <> 'n' and (parent is null or conparentid = 0 and coninhcount = 0 and contype <> 'p')
    union all
    select 'index', relname, indexrelid::regclass::text, pg_get_indexdef(indexrelid), indisunique,
      exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u', 'x'))
    from ours join pg_index on indrelid = ours.oid
    where parent is null or not indisprimary and not exists (select from pg_inherits where inhrelid = indexrelid)
    union all
    select 'trigger', relname, tgname, definition || ' ' || tgenabled::text, true, false from triggers
    union all
    select distinct 'function', relname, tgfoid::regprocedure::text, pg_get_functiondef(tgfoid), true, false
    from triggers
    union all
    select 'row security', relname, '', 'on', true, false from ours where relrowsecurity or relforcerowsecurity
    union all
    select 'rule', relname, rulename, pg_get_ruledef(pg_rewrite.oid), true, false
    from ours join pg_rewrite on ev_class = ours.oid`.execute(db);
  return rows;
}

/** How a table is divided, or which part of one it is. */
export interface Division {
  table: string;
  /** `RANGE (id)`; null of a partition. */
  by: string | null;
  /** `PARTITION OF batch FOR VALUES …`; null of a table that has partitions. */
  bounds: string | null;
}

/** The tables with partitions, and the partitions. */
export async function readDivisions(db: Kysely<unknown>): Promise<Division[]> {
  const { rows } = await sql<Division>`
    select ours.relname as table, pg_get_partkeydef(ours.oid) as by,
      'PARTITION OF ' || parent::regclass || ' ' || pg_get_expr(relpartbound, ours.oid) as bounds
    from (${TABLES}) as ours join pg_class using (oid) where relkind = 'p' or relispartition
    order by ours.relname`.execute(db);
  return rows;
}
