import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
import type pg from 'pg';
import { openPrimaryPool } from './primary-pool.ts';
import { ServiceClient } from './service-client.ts';
import { sessionName } from './session-name.ts';
import { isConflict } from './sql-state.ts';
import type { Tables } from './tables.ts';

export type Database = Kysely<Tables>;
export type Trx = Transaction<Tables>;

const IDLE_IN_TRANSACTION_TIMEOUT_MS = 60_000;
const SETTINGS = '-c enable_seqscan=off -c max_parallel_workers_per_gather=0 -c client_min_messages=warning';

/**
 * Opens a pool of at most `poolSize` connections. It connects when a query needs it; `onError` gets connections'
 * errors.
 */
export function openDatabase(options: {
  url: string;
  poolSize: number;
  /** What sessions are called, without the level of the release, which is added. */
  applicationName: string;
  /** How long a query may take; without it as long as it needs, which for thousands of rows is long. */
  queryTimeoutMs?: number;
  /** How long a query may wait for a lock; without it for ever. */
  lockTimeoutMs?: number;
  onError: (error: Error) => void;
}): Database {
  const config = {
    connectionString: options.url,
    max: options.poolSize,
    application_name: sessionName(options.applicationName),
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    Client: ServiceClient,
    // Statements may be sent before the one ahead of them is answered. And a query that times out ends its connection;
    // without it, pg would give the dead one out again.
    pipeline: true,
    // Plans of named statements are kept, and may have been made while tables were small: what has an index uses it.
    // And none starts processes: over many partitions PostgreSQL would, and that takes longer than what they do.
    // Warnings are heard whatever the role's own setting (ServiceClient).
    options: SETTINGS,
    ...buildQueryTimeouts(options.queryTimeoutMs),
    ...(options.lockTimeoutMs === undefined ? {} : { lock_timeout: options.lockTimeoutMs }),
  };
  return new PooledDatabase(openPrimaryPool(config as pg.PoolConfig, options.onError));
}

class PooledDatabase extends Kysely<Tables> {
  readonly pool: pg.Pool;

  constructor(pool: pg.Pool) {
    super({ dialect: new PostgresDialect({ pool }) });
    this.pool = pool;
  }

  /** Ends the connections. Kysely itself does not end a pool that only others, such as `within`, have used. */
  override async destroy(): Promise<void> {
    await super.destroy();
    if (!this.pool.ending) await this.pool.end();
  }
}

/** The pool of a database that `openDatabase` has opened. */
export function poolOf(db: Database): pg.Pool {
  if (!(db instanceof PooledDatabase))
    throw new Error('within() needs a database from openDatabase, not one from within()');
  return db.pool;
}

/** How much later than PostgreSQL the client ends a query: this is for a PostgreSQL that does not answer at all. */
export const HUNG_AFTER_MS = 2_000;

/** Has PostgreSQL itself end the statement, so that nothing goes on for a caller that has given up. */
function buildQueryTimeouts(queryTimeoutMs: number | undefined) {
  if (queryTimeoutMs === undefined) return {};
  return { statement_timeout: queryTimeoutMs, query_timeout: queryTimeoutMs + HUNG_AFTER_MS };
}

/**
 * Runs a part of a transaction behind a savepoint: when it fails, the transaction goes on as if it had not run.
 * @throws the failure of the part
 */
export async function behindSavepoint<Result>(trx: Trx, work: () => Promise<Result>): Promise<Result> {
  await sql`savepoint part`.execute(trx);
  try {
    const result = await work();
    await sql`release savepoint part`.execute(trx);
    return result;
  } catch (error) {
    // When even this fails, the connection is gone, and the failure of the part says why.
    await sql`rollback to savepoint part`.execute(trx).catch(() => {});
    throw error;
  }
}

/**
 * Runs a transaction, and runs it again when it lost against another one: `tries` times at most. If `db` is a transaction
 * already, `work` is a part of that one: whoever began it commits it, and runs it again.
 */
export async function inTransaction<Result>(
  db: Database,
  work: (trx: Trx) => Promise<Result>,
  tries = 5,
): Promise<Result> {
  if (db.isTransaction) return await work(db as Trx);
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      if (attempt >= tries || !isConflict(error)) throw error;
    }
  }
}

/** Runs reads that belong together: all of them see the database as it was at the first one. */
export function inSnapshot<Result>(db: Database, work: (trx: Trx) => Promise<Result>): Promise<Result> {
  return db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(work);
}
