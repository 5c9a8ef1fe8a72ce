import {
  AbortedTransactionError,
  type Dialect,
  type Driver,
  Kysely,
  PostgresDialect,
  sql,
  type Transaction,
  type TransactionSettings,
} from 'kysely';
import type pg from 'pg';
import type { Deadline } from '../concurrency/deadline.ts';
import { Connection, HUNG_AFTER_MS } from './connection.ts';
import { isConflict, type WriteOutcomes } from './errors.ts';
import { openPrimaryPool, type PrimaryClient } from './pool.ts';

/**
 * The columns that typed queries use, by table. The package that owns a table declares it in its `tables.ts` (`declare
 * module '@lockstep/platform'`); a test compares them with the database.
 */
// biome-ignore lint/suspicious/noEmptyInterface: a type alias could not be added to
export interface Tables {}

export type Database = Kysely<Tables>;
export type Trx = Transaction<Tables>;

/**
 * Longer than the interval at which a transaction shows that its process is alive (see Connection): past it, the
 * process is frozen or gone.
 */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;

/**
 * Opens a pool of at most `poolSize` connections. It connects when a query needs it; `onError` gets errors of
 * connections.
 */
export function openDatabase(options: {
  url: string;
  poolSize: number;
  /** The name of the sessions. */
  applicationName: string;
  /** The time limit of a query; unlimited by default, because thousands of rows take long. */
  queryTimeoutMs?: number;
  /** How long a query may wait for a lock; unlimited by default. */
  lockTimeoutMs?: number;
  /** Receives the outcomes of writes. */
  writes?: WriteOutcomes;
  onError: (error: Error) => void;
}): Database {
  const { queryTimeoutMs, lockTimeoutMs } = options;
  const config = {
    connectionString: options.url,
    max: options.poolSize,
    application_name: options.applicationName,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    // Allows sending statements before earlier ones are answered. A query that times out also ends its connection;
    // otherwise pg would hand out the dead connection again.
    pipeline: true,
    // PostgreSQL itself ends the statement, so that no work continues for a caller that has given up.
    ...(queryTimeoutMs && { statement_timeout: queryTimeoutMs, query_timeout: queryTimeoutMs + HUNG_AFTER_MS }),
    ...(lockTimeoutMs && { lock_timeout: lockTimeoutMs }),
  };
  return new ServiceDatabase(openPrimaryPool(config as pg.PoolConfig, options.onError), options.writes);
}

class ServiceDatabase extends Kysely<Tables> {
  readonly #dialect: Dialect;
  readonly #driver: ServiceDriver;

  constructor(pool: pg.Pool, writes: WriteOutcomes | undefined) {
    const driver = new ServiceDriver(pool, writes);
    const dialect = Object.assign(new PostgresDialect({ pool }), { createDriver: () => driver });
    super({ dialect });
    this.#dialect = dialect;
    this.#driver = driver;
  }

  /** Closes the connections. Kysely itself leaves a pool open that only handles of `within` have used. */
  override async destroy(): Promise<void> {
    await super.destroy();
    await this.#driver.destroy();
  }

  within(deadline: Deadline, maxLockWaitMs: number): Database {
    const [dialect, driver] = [this.#dialect, this.#driver];
    const executor = this.getExecutor().withConnectionProvider({
      async provideConnection(use) {
        const connection = await driver.acquireWithin(deadline);
        try {
          return await connection.within(deadline, maxLockWaitMs, () => use(connection));
        } finally {
          connection.release();
        }
      },
    });
    return new Kysely({ config: { dialect }, dialect, driver, executor });
  }
}

/**
 * Returns the same database for a call with a deadline. Waiting for a connection, every statement, every wait for a
 * lock (at most `maxLockWaitMs`) and every retry of a transaction end at the deadline, with an error for which
 * `isOverload` is true; then nothing has changed.
 */
export function within(db: Database, deadline: Deadline, maxLockWaitMs = Number.POSITIVE_INFINITY): Database {
  if (!(db instanceof ServiceDatabase)) throw new Error('within() needs a database from openDatabase');
  return db.within(deadline, maxLockWaitMs);
}

/** Connects kysely to PostgreSQL. Its own driver waits for the answer to each `begin`, and cannot prepare queries. */
class ServiceDriver implements Driver {
  readonly #pool: pg.Pool;
  readonly #writes: WriteOutcomes | undefined;

  constructor(pool: pg.Pool, writes: WriteOutcomes | undefined) {
    this.#pool = pool;
    this.#writes = writes;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<Connection> {
    return new Connection((await this.#pool.connect()) as pg.PoolClient & PrimaryClient, this.#writes);
  }

  /** Takes a connection that becomes free before the deadline. A later one returns to the pool at once. */
  async acquireWithin(deadline: Deadline): Promise<Connection> {
    const connecting = this.acquireConnection();
    return await deadline.race(connecting).catch((error: unknown) => {
      connecting.then((late) => late.release()).catch(() => {});
      throw error;
    });
  }

  async beginTransaction(connection: Connection, { isolationLevel, accessMode }: TransactionSettings): Promise<void> {
    const isolation = isolationLevel && `isolation level ${isolationLevel}`;
    connection.begin(['begin', isolation, accessMode].join(' '), accessMode === 'read only');
  }

  async commitTransaction(connection: Connection): Promise<void> {
    if ((await connection.commit()) === 'ROLLBACK') throw new AbortedTransactionError();
  }

  async rollbackTransaction(connection: Connection): Promise<void> {
    await connection.rollback();
  }

  async releaseConnection(connection: Connection): Promise<void> {
    connection.release();
  }

  async destroy(): Promise<void> {
    if (!this.#pool.ending) await this.#pool.end();
  }
}

/**
 * Runs part of a transaction behind a savepoint: if it fails, the transaction continues as if it had not run. Throws
 * the failure of the part.
 */
export async function behindSavepoint<Result>(trx: Trx, work: () => Promise<Result>): Promise<Result> {
  await sql`savepoint part`.execute(trx);
  try {
    const result = await work();
    await sql`release savepoint part`.execute(trx);
    return result;
  } catch (error) {
    // If even this fails, the connection is gone, and the failure of the part says why.
    await sql`rollback to savepoint part`.execute(trx).catch(() => {});
    throw error;
  }
}

const MAX_TRIES = 5;

/**
 * Runs a transaction, and retries it when it loses a conflict with another one, at most MAX_TRIES times. If `db` is
 * itself a transaction, `work` becomes part of it: the caller that began it commits and retries it.
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

/** Runs reads on one snapshot: all see the database as of the first one. */
export function inSnapshot<Result>(db: Database, work: (trx: Trx) => Promise<Result>): Promise<Result> {
  return db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(work);
}
