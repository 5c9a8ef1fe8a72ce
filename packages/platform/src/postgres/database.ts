import {
  AbortedTransactionError,
  type Driver,
  Kysely,
  PostgresDialect,
  sql,
  type Transaction,
  type TransactionSettings,
} from 'kysely';
import type pg from 'pg';
import type { Deadline } from '../concurrency/deadline.ts';
import { Connection, HUNG_AFTER_MS, watchCommits } from './connection.ts';
import type { WriteOutcomes } from './errors.ts';
import { openPrimaryPool } from './pool.ts';

/**
 * The columns of all tables, by name. The package that owns a table declares it in its `tables.ts` (`declare module
 * '@lockstep/platform'`); a test compares them all with the database.
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
  const config = {
    connectionString: options.url,
    max: options.poolSize,
    application_name: options.applicationName,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    // Allows sending statements before earlier ones are answered. A query that times out also ends its connection;
    // otherwise pg would hand out the dead connection again.
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

  /** Closes the connections. Kysely itself leaves a pool open that only handles of `within` have used. */
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
 * Returns the same database for a call with a deadline. Waiting for a connection, every statement, every wait for a
 * lock (at most `maxLockWaitMs`) and every retry of a transaction end at the deadline, with an error for which
 * `isOverload` is true; then nothing has changed.
 */
export function within(db: Database, deadline: Deadline, maxLockWaitMs = Number.POSITIVE_INFINITY): Database {
  if (!(db instanceof ServiceDatabase)) throw new Error('within() needs a database from openDatabase');
  return db.within(deadline, maxLockWaitMs);
}

/** Makes PostgreSQL itself end the statement, so that no work continues for a caller that has given up. */
function buildQueryTimeouts(queryTimeoutMs: number | undefined) {
  if (queryTimeoutMs === undefined) return {};
  return { statement_timeout: queryTimeoutMs, query_timeout: queryTimeoutMs + HUNG_AFTER_MS };
}

/**
 * Connects kysely to PostgreSQL. Kysely's own driver waits for the answer to each `begin`, and cannot prepare queries.
 */
class ServiceDialect extends PostgresDialect {
  readonly driver: ServiceDriver;

  constructor(pool: pg.Pool, writes?: WriteOutcomes) {
    super({ pool });
    this.driver = new ServiceDriver(pool, writes);
  }

  override createDriver(): Driver {
    return this.driver;
  }
}

class ServiceDriver implements Driver {
  readonly #pool: pg.Pool;
  readonly #writes: WriteOutcomes | undefined;

  constructor(pool: pg.Pool, writes: WriteOutcomes | undefined) {
    this.#pool = pool;
    this.#writes = writes;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<Connection> {
    return new Connection(await this.#pool.connect(), this.#writes);
  }

  /** Takes a connection that becomes free before the deadline. A later one returns to the pool at once. */
  async acquireWithin(deadline: Deadline): Promise<Connection> {
    const connecting = this.#pool.connect();
    try {
      return new Connection(await deadline.race(connecting), this.#writes);
    } catch (error) {
      connecting.then(
        (client) => client.release(),
        () => {},
      );
      throw error;
    }
  }

  async beginTransaction(connection: Connection, { isolationLevel, accessMode }: TransactionSettings): Promise<void> {
    const isolation = isolationLevel === undefined ? '' : ` isolation level ${isolationLevel}`;
    connection.begin(
      `begin${isolation}${accessMode === undefined ? '' : ` ${accessMode}`}`,
      accessMode === 'read only',
    );
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

/** The sessions on the database server. */
export interface Sessions {
  /** Connections with the requested application name. */
  named: number;
  /** Connections to all databases of the server, and its limit. */
  connections: number;
  maxConnections: number;
  /**
   * When the oldest open transaction of this database began, in milliseconds; null if PostgreSQL hides other sessions.
   */
  oldestTransactionTime: number | null;
}

/**
 * Reads the sessions of the database, and the time by its clock. PostgreSQL shows the name of every session, and little
 * else of another role's.
 */
export async function readSessions(db: Database, applicationName: string): Promise<Sessions & { time: number }> {
  const { rows } = await sql<Sessions & { time: number }>`
    select floor(extract(epoch from statement_timestamp()) * 1000)::float8 as time,
      count(*) filter (where datname = current_database() and application_name = ${applicationName})::int as named,
      count(*) filter (where backend_type = 'client backend' or backend_type is null)::int as connections,
      current_setting('max_connections')::int as "maxConnections",
      floor(extract(epoch from min(xact_start) filter (where datname = current_database() and pid <> pg_backend_pid()))
        * 1000)::float8 as "oldestTransactionTime"
    from pg_stat_activity where datname is not null`.execute(db);
  return rows[0]!;
}
