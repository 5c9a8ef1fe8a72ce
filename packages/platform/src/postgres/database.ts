import { Kysely, sql, type Transaction } from 'kysely';
import type pg from 'pg';
import type { Deadline } from '../concurrency/deadline.ts';
import { HUNG_AFTER_MS, watchCommits } from './connection.ts';
import { ServiceDialect } from './driver.ts';
import { isConflict } from './errors.ts';
import { openPrimaryPool } from './pool.ts';
import type { Tables } from './tables.ts';
import type { WriteOutcomes } from './write-outcomes.ts';

export type Database = Kysely<Tables>;
export type Trx = Transaction<Tables>;

/** A transaction sends something more often while its process lives (see Connection): its process is frozen or gone. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;

/**
 * Opens a pool of at most `poolSize` connections. It connects when a query needs it; `onError` gets connections'
 * errors.
 */
export function openDatabase(options: {
  url: string;
  poolSize: number;
  /** What sessions are called. */
  applicationName: string;
  /** How long a query may take; without it as long as it needs, which for thousands of rows is long. */
  queryTimeoutMs?: number;
  /** How long a query may wait for a lock; without it for ever. */
  lockTimeoutMs?: number;
  /** Is told how writes end. */
  writes?: WriteOutcomes;
  onError: (error: Error) => void;
}): Database {
  const config = {
    connectionString: options.url,
    max: options.poolSize,
    application_name: options.applicationName,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    // Statements may be sent before the one ahead of them is answered. And a query that times out ends its connection;
    // without it, pg would give the dead one out again.
    pipeline: true,
    ...buildQueryTimeouts(options.queryTimeoutMs),
    ...(options.lockTimeoutMs === undefined ? {} : { lock_timeout: options.lockTimeoutMs }),
  };
  const pool = openPrimaryPool(config as pg.PoolConfig, options.onError);
  pool.on('connect', watchCommits);
  return new ServiceDatabase(new ServiceDialect(pool, options.writes));
}

class ServiceDatabase extends Kysely<Tables> {
  readonly #dialect: ServiceDialect;

  constructor(dialect: ServiceDialect) {
    super({ dialect });
    this.#dialect = dialect;
  }

  /** Ends the connections. Kysely itself leaves a pool open that only handles of `within` have used. */
  override async destroy(): Promise<void> {
    await super.destroy();
    await this.#dialect.driver.destroy();
  }

  within(deadline: Deadline, maxLockWaitMs: number): Database {
    const dialect = this.#dialect;
    const executor = this.getExecutor().withConnectionProvider({
      async provideConnection(use) {
        const connection = await dialect.driver.acquireWithin(deadline);
        try {
          return await connection.within(deadline, maxLockWaitMs, () => use(connection));
        } finally {
          connection.release();
        }
      },
    });
    return new Kysely({ config: { dialect }, dialect, driver: dialect.driver, executor });
  }
}

/**
 * Returns the same database for a call that has a deadline. Waiting for a connection, every statement, every wait for a
 * lock (`maxLockWaitMs` at most, if that is less) and every new try of a transaction end at the deadline, with an error
 * for which `isOverload` is true; nothing has changed then.
 */
export function within(db: Database, deadline: Deadline, maxLockWaitMs = Number.POSITIVE_INFINITY): Database {
  if (!(db instanceof ServiceDatabase)) throw new Error('within() needs a database from openDatabase');
  return db.within(deadline, maxLockWaitMs);
}

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

const MAX_TRIES = 5;

/**
 * Runs a transaction, and runs it again when it lost against another one: MAX_TRIES times at most. If `db` is a
 * transaction already, `work` is a part of that one: whoever began it commits it, and runs it again.
 */
export async function inTransaction<Result>(db: Database, work: (trx: Trx) => Promise<Result>): Promise<Result> {
  if (db.isTransaction) return await work(db as Trx);
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      if (attempt >= MAX_TRIES || !isConflict(error)) throw error;
    }
  }
}

/** Runs reads that belong together: all of them see the database as it was at the first one. */
export function inSnapshot<Result>(db: Database, work: (trx: Trx) => Promise<Result>): Promise<Result> {
  return db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(work);
}
