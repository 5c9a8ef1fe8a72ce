import { BULLMQ_MAJOR_VERSION, LATEST_SCHEMA_VERSION } from 'bullmq';
import { type Kysely, sql } from 'kysely';
import type { Database } from './database.ts';
import { type AppliedMigrations, isApplied, readApplied } from './migration-record.ts';
import { explainMissing, findMissingPartitions } from './partitions.ts';
import type { QueueBackend } from './queue-backend.ts';
import { type ShippedMigration, shippedMigrations } from './shipped-migrations.ts';

/**
 * How the tables of a database compare with those that this release was written for: `missing`, there are none;
 * `behind`, migrations have not run that this release needs; `ahead`, a newer release has changed them so that this one
 * cannot work with them; `incomplete`, partitions are missing, and with them rows. `reason` tells people this and what to do;
 * null if it is current.
 */
export type SchemaState =
  | { state: 'current'; reason: null }
  | { state: 'missing' | 'behind' | 'ahead' | 'incomplete'; reason: string };

const CURRENT: SchemaState = { state: 'current', reason: null };
const MIGRATE = 'run npm run migrate';

/**
 * Compares the migrations that this release ships with those that have run on the database. It works beside expansions of
 * later releases, and before contractions of its own; so it lacks those up to its newest expansion.
 */
export function compareSchema(shipped: readonly ShippedMigration[], applied: AppliedMigrations): SchemaState {
  const unknown = applied.decisive.filter((name) => !shipped.some((each) => each.name === name));
  if (unknown.length > 0) {
    const reason = `the database is newer than this release (${some(unknown)}): run the release that migrated it`;
    return { state: 'ahead', reason };
  }
  if (applied.decisive.length === 0) {
    return { state: 'missing', reason: `the database has no tables yet: ${MIGRATE}` };
  }
  const needed = shipped.slice(0, shipped.findLastIndex(({ kind }) => kind !== 'contraction') + 1);
  const lacking = needed.filter((each) => !isApplied(each, applied)).map(({ name }) => name);
  if (lacking.length === 0) return CURRENT;
  return { state: 'behind', reason: `the database is older than this release (lacks ${some(lacking)}): ${MIGRATE}` };
}

function some(names: readonly string[]): string {
  const [first, ...others] = names.toSorted();
  return others.length === 0 ? first! : `${first} to ${others.at(-1)}`;
}

/** Compares BullMQ's tables. They stay usable after a newer release of the same major version has migrated them. */
function compareQueueSchema(found: { version: number; minClientVersion: number } | null): SchemaState {
  if (found === null) return { state: 'missing', reason: `the tables of the queue are not there yet: ${MIGRATE}` };
  if (found.minClientVersion > BULLMQ_MAJOR_VERSION) {
    const reason = `the tables of the queue are newer than this release: run the release that migrated them`;
    return { state: 'ahead', reason };
  }
  if (found.version >= LATEST_SCHEMA_VERSION) return CURRENT;
  return { state: 'behind', reason: `the tables of the queue are older than this release: ${MIGRATE}` };
}

/** The role lacks a privilege that every part of the service needs. */
class LackingPrivilege extends Error {
  constructor(what: string) {
    super(`the role of DATABASE_URL may not ${what}: grant it that`);
    this.name = 'LackingPrivilege';
  }
}

/**
 * Reads how the database's tables compare with this release's, BullMQ's too if `queue` says that it runs on PostgreSQL.
 * Costs a few reads of the catalog and of two tiny tables.
 * @throws what PostgreSQL or the connection threw, and an Error that names the schema that the role may not use, or the
 *   tables that it may not read
 */
export async function readSchemaState(db: Database, queue?: QueueBackend['kind']): Promise<SchemaState> {
  // From the catalog, which every role may read.
  const { rows } = await sql<{ migrated: boolean; queueMigrated: boolean; unusable: string[]; unreadable: string[] }>`
    with named as (
      select pg_class.oid, relnamespace, relowner, nspname, relname, pg_table_is_visible(pg_class.oid) as visible
      from pg_class join pg_namespace on pg_namespace.oid = relnamespace
      where (relname = 'kysely_migration' or (nspname, relname) = ('bullmq', 'migration')) and relkind = 'r')
    select exists (select from named where relname = 'kysely_migration' and visible) as migrated,
      exists (select from named where nspname = 'bullmq') as "queueMigrated",
      array(
        select nspname::text from named
        where relname = 'kysely_migration' and not has_schema_privilege(relnamespace, 'usage')) as unusable,
      array(
        select other.relname::text from named join pg_class as other using (relnamespace, relowner)
        where named.relname = 'kysely_migration' and visible and other.relkind in ('r', 'p') and not other.relispartition
          -- A partition that an archive has detached is nobody's but the archive's.
          and other.relname !~ '_p[0-9]{4}$'
          and not has_table_privilege(other.oid, 'select')
        order by 1) as unreadable`.execute(db);
  const { migrated, queueMigrated, unusable, unreadable } = rows[0]!;
  if (!migrated && unusable.length > 0) throw new LackingPrivilege(`use schema ${unusable.join(', ')}`);
  if (unreadable.length > 0) throw new LackingPrivilege(`read ${unreadable.join(', ')}`);
  const applied = migrated ? await readApplied(db as unknown as Kysely<unknown>) : { decisive: [], expansions: [] };
  const ours = compareSchema(shippedMigrations(), applied);
  if (ours.state !== 'current') return ours;
  const lost = await findMissingPartitions(db);
  if (lost.length > 0) return { state: 'incomplete', reason: explainMissing(lost) };
  if (queue !== 'postgres') return ours;
  if (!queueMigrated) return compareQueueSchema(null);
  const versions = await sql<{ version: number; minClientVersion: number }>`
    select coalesce(max(version), 0) as version, coalesce(max(min_client_version), 0) as "minClientVersion"
    from bullmq.migration`.execute(db);
  return compareQueueSchema(versions.rows[0]!);
}
