import { setTimeout as delay } from 'node:timers/promises';
import { BULLMQ_MAJOR_VERSION, LATEST_SCHEMA_VERSION } from 'bullmq';
import { sql } from 'kysely';
import { Deadline } from '../concurrency/deadline.ts';
import { type Database, within } from '../postgres/database.ts';
import { isOverload } from '../postgres/errors.ts';
import type { Logger } from '../process/log.ts';
import type { QueueBackend } from '../queue/backend.ts';
import { explainDatabaseFault, findLacking, OTHER_BASELINE, readMigrations } from './migrate.ts';

/** Read once per release. */
const shipped = new Map<URL, ReturnType<typeof readMigrations>>();

const MIGRATE = 'run npm run migrate';

/**
 * Checks whether a release can work with the tables of a database, and with BullMQ's if `queue` runs on PostgreSQL. It
 * can if all its migrations, in the directory `release`, are applied; later ones do no harm. Costs a few reads of the
 * catalog and of tiny tables. Returns what the operator should do; null if the release can work. Throws what PostgreSQL
 * or the connection threw, or an Error that names the missing privilege.
 */
export async function findSchemaFault(
  db: Database,
  release: URL,
  queue?: QueueBackend['kind'],
): Promise<string | null> {
  await assertPrivileges(db);
  const migrations = shipped.get(release) ?? readMigrations(release);
  shipped.set(release, migrations);
  const lacking = await findLacking(db, migrations);
  if (lacking === null) return OTHER_BASELINE;
  if (lacking.length === migrations.length) return `the database has no tables: ${MIGRATE}`;
  if (lacking.length > 0) return `the database is older than this release (missing ${lacking.join(', ')}): ${MIGRATE}`;
  return queue === 'postgres' ? await findQueueFault(db) : null;
}

/** Throws an Error if the role cannot use the schema, or with the names of the tables that it cannot read. */
async function assertPrivileges(db: Database): Promise<void> {
  // Every role can read the catalog.
  const { rows } = await sql<{ isUsable: boolean; unreadable: string[] }>`
    select has_schema_privilege('public', 'usage') as "isUsable", array(
      select relname::text from pg_class
      where relkind = 'r' and not has_table_privilege(oid, 'select') and (relnamespace, relowner) = (
        select relnamespace, relowner from pg_class where oid = to_regclass('kysely_migration')
      ) order by 1
    ) as unreadable`.execute(db);
  const { isUsable, unreadable } = rows[0]!;
  if (isUsable && unreadable.length === 0) return;
  const privilege = isUsable ? `read ${unreadable.join(', ')}` : 'use schema public';
  throw new Error(`the role in DATABASE_URL needs the privilege to ${privilege}`);
}

/** Checks BullMQ's tables. They stay usable after a newer release of the same major version has migrated them. */
async function findQueueFault(db: Database): Promise<string | null> {
  const { rows: found } =
    await sql`select from pg_tables where (schemaname, tablename) = ('bullmq', 'migration')`.execute(db);
  if (found.length === 0) return `the queue has no tables: ${MIGRATE}`;
  const { rows } = await sql<{ version: number; minClientVersion: number }>`
    select coalesce(max(version), 0) as version, coalesce(max(min_client_version), 0) as "minClientVersion"
    from bullmq.migration`.execute(db);
  const { version, minClientVersion } = rows[0]!;
  if (minClientVersion > BULLMQ_MAJOR_VERSION) {
    return 'the queue tables are newer than this release: run the release that migrated them';
  }
  return version < LATEST_SCHEMA_VERSION ? `the queue tables are older than this release: ${MIGRATE}` : null;
}

const LOOK_EVERY_MS = 1_000;
/** A database that does not answer within this time is unavailable. */
const ANSWER_WITHIN_MS = 5_000;

interface SchemaWatchOptions {
  db: Database;
  release: URL;
  queue: QueueBackend;
  log: Logger;
}

/** Whether the database answered the last check, and why it cannot be used; null if it can. */
interface SchemaHealth {
  isReachable: boolean;
  reason: string | null;
}

/**
 * Checks every second whether a release can work with the database. Logs one line when it cannot, one for each new
 * reason, and one when it can again.
 */
export class SchemaWatch {
  readonly #options: SchemaWatchOptions;
  readonly #closing = new AbortController();
  readonly #firstLook = Promise.withResolvers<void>();
  readonly #current = Promise.withResolvers<void>();
  #isCurrent = false;
  #health: SchemaHealth = { isReachable: false, reason: null };

  constructor(options: SchemaWatchOptions) {
    this.#options = options;
    void this.#run();
  }

  /**
   * Whether all migrations of the release are applied, so that it is worth trying a database that is unavailable now.
   * Waits only for the first check.
   */
  async isCurrent(): Promise<boolean> {
    await this.#firstLook.promise;
    return this.#isCurrent;
  }

  /** Returns the result of the last check. Waits like isCurrent. */
  async health(): Promise<SchemaHealth> {
    await this.#firstLook.promise;
    return this.#health;
  }

  /** Resolves when all migrations of the release are applied; never if the watch is closed first. */
  untilCurrent(): Promise<void> {
    return this.#current.promise;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#firstLook.resolve();
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const health = await this.#look();
      if (!signal.aborted) this.#note(health);
      await delay(LOOK_EVERY_MS, undefined, { signal }).catch(() => {});
    }
  }

  async #look(): Promise<SchemaHealth> {
    const { db, release, queue } = this.#options;
    const deadline = new Deadline(ANSWER_WITHIN_MS);
    try {
      // Does not wait for a connection that has gone silent: the next check uses another one.
      return { isReachable: true, reason: await findSchemaFault(within(db, deadline), release, queue.kind) };
    } catch (error) {
      const fault = isOverload(error) ? 'does not respond in time' : explainDatabaseFault(error);
      return { isReachable: false, reason: fault === null ? (error as Error).message : `PostgreSQL ${fault}` };
    } finally {
      deadline.end();
    }
  }

  #note(health: SchemaHealth): void {
    const { log } = this.#options;
    const { reason } = health;
    if (reason !== this.#health.reason) {
      if (reason === null) log.info('database available; resuming');
      else log.warn({ reason }, 'waiting for database');
    }
    this.#health = health;
    this.#firstLook.resolve();
    if (reason !== null) return;
    this.#isCurrent = true;
    this.#current.resolve();
  }
}
