import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
import pg from 'pg';
import { Overload } from './deadline.ts';
import type { Tables } from './tables.ts';

export type Database = Kysely<Tables>;
export type Trx = Transaction<Tables>;

const CONNECT_TIMEOUT_MS = 5_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 60_000;

/**
 * Opens a pool of at most `poolSize` connections. It connects lazily; `onError` hears of idle connections that break.
 */
export function openDatabase(options: {
  url: string;
  poolSize: number;
  applicationName: string;
  /** How long a query may go without an answer; without it a drain of thousands of orders takes what it takes. */
  queryTimeoutMs?: number;
  /** How long a query may wait for what another transaction holds. */
  lockTimeoutMs?: number;
  onError: (error: Error) => void;
}): Database {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    application_name: options.applicationName,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    keepAlive: true,
    // With it, a query that times out ends its connection; without it, pg would hand the dead one out again.
    pipeline: true,
    ...timeoutsOf(options.queryTimeoutMs),
    ...(options.lockTimeoutMs === undefined ? {} : { lock_timeout: options.lockTimeoutMs }),
  } as pg.PoolConfig);
  pool.on('error', options.onError);
  // A connection that breaks while it is in use: its query rejects, and without a listener the process would end too.
  pool.on('connect', (client) => client.on('error', options.onError));
  return new PooledDatabase(pool);
}

class PooledDatabase extends Kysely<Tables> {
  readonly pool: pg.Pool;

  constructor(pool: pg.Pool) {
    super({ dialect: new PostgresDialect({ pool }) });
    this.pool = pool;
  }

  /** Ends the connections. Kysely itself leaves a pool alone that only others have used, such as `within`. */
  override async destroy(): Promise<void> {
    await super.destroy();
    if (!this.pool.ending) await this.pool.end();
  }
}

/** The connections of a database that `openDatabase` has opened. */
export function poolOf(db: Database): pg.Pool {
  if (!(db instanceof PooledDatabase)) throw new Error('a deadline is set on what openDatabase has opened, and once');
  return db.pool;
}

/** How much later than PostgreSQL itself a client gives up: it is for a PostgreSQL that does not answer at all. */
const HUNG_AFTER_MS = 2_000;

/** PostgreSQL ends the statement, so that nothing goes on for a caller that has given up. */
function timeoutsOf(queryTimeoutMs: number | undefined) {
  if (queryTimeoutMs === undefined) return {};
  return { statement_timeout: queryTimeoutMs, query_timeout: queryTimeoutMs + HUNG_AFTER_MS };
}

const DEADLOCK_DETECTED = '40P01';
const SERIALIZATION_FAILURE = '40001';
const UNIQUE_VIOLATION = '23505';
/** The index on which two lanes may meet that buy one number; any other violation comes of what is written. */
const ACTIVE_NUMBER = 'asset_active_number';

function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/**
 * Whether two transactions met and this one lost: run again, it sees what the other committed. A unique violation
 * counts, because rows are written only after their absence was read.
 */
function isConflict(error: unknown): boolean {
  const state = sqlState(error);
  return state === DEADLOCK_DETECTED || state === SERIALIZATION_FAILURE || state === UNIQUE_VIOLATION;
}

/** Classes of SQLSTATE in which PostgreSQL cannot serve now: connection, transaction state (a standby, a transaction
 * that has failed already), rollback, resources, operator, system. */
const UNAVAILABLE = ['08', '25', '40', '53', '55', '57', '58'];

/**
 * Whether what was written together may fail for one part of it, so that it is worth trying the parts alone. It proves
 * nothing: a part that fails alone may do so for what is wrong around it; see refusesValues.
 */
export function mayLieInOnePart(error: unknown): boolean {
  const state = sqlState(error);
  if (state === undefined || UNAVAILABLE.includes(state.slice(0, 2))) return false;
  return !(state === UNIQUE_VIOLATION && (error as pg.DatabaseError).constraint === ACTIVE_NUMBER);
}

/** SQLSTATE classes that speak of values: data exception, integrity constraint violation. */
const OF_VALUES = ['22', '23'];
/** Of the data exceptions, the one that speaks of a sequence that has come to its end, and of no value. */
const SEQUENCE_LIMIT_EXCEEDED = '2200H';

/**
 * Whether PostgreSQL refused values for what they are, by its types or by a rule of the database. Whether the rule is
 * ours is another question. A unique violation is none: another transaction was first.
 */
export function refusesValues(error: unknown): boolean {
  const state = sqlState(error);
  if (state === undefined || state === UNIQUE_VIOLATION || state === SEQUENCE_LIMIT_EXCEEDED) return false;
  return OF_VALUES.includes(state.slice(0, 2));
}

/**
 * Awaits queries that were started together in a transaction, where they run one after the other: as Promise.all does,
 * but all of them, and throws the failure of the first in their order. In a transaction that is the cause: those behind it fail because it has failed.
 */
export async function together<Queries extends readonly unknown[]>(
  queries: readonly [...Queries],
): Promise<{ -readonly [Place in keyof Queries]: Awaited<Queries[Place]> }> {
  for (const outcome of await Promise.allSettled(queries)) {
    if (outcome.status === 'rejected') throw outcome.reason;
  }
  return (await Promise.all(queries)) as { -readonly [Place in keyof Queries]: Awaited<Queries[Place]> };
}

/**
 * Runs a part of a transaction behind a savepoint: where it fails, the transaction goes on as if it had not run. Throws
 * its failure.
 */
export async function behindSavepoint<Result>(trx: Trx, work: () => Promise<Result>): Promise<Result> {
  await sql`savepoint part`.execute(trx);
  try {
    const result = await work();
    await sql`release savepoint part`.execute(trx);
    return result;
  } catch (error) {
    // Where even this fails, the connection is gone, and the failure of the part is the one that says why.
    await sql`rollback to savepoint part`.execute(trx).catch(() => {});
    throw error;
  }
}

/** Runs a transaction, again where it lost against another one, `tries` times at most. */
export async function inTransaction<Result>(
  db: Database,
  work: (trx: Trx) => Promise<Result>,
  tries = 5,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      if (attempt >= tries || !isConflict(error)) throw error;
    }
  }
}

const LOCK_NOT_AVAILABLE = '55P03';
const QUERY_CANCELED = '57014';
/** What the pool says where all of its connections are taken for too long; it has no code for it. */
const NO_CONNECTION_FREE = 'timeout exceeded when trying to connect';

/** Whether a transaction gave up waiting for what another one holds. */
export function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === LOCK_NOT_AVAILABLE;
}

/**
 * Whether something was not done for want of time: no turn, no connection, a lock that others hold, a statement that took
 * too long. PostgreSQL has taken back what it was a part of, so nothing has changed, and it may succeed later.
 */
export function isOverload(error: unknown): boolean {
  if (error instanceof Overload || isLockTimeout(error) || sqlState(error) === QUERY_CANCELED) return true;
  return error instanceof Error && error.message === NO_CONNECTION_FREE;
}

/** Runs reads that belong together: all of them see the database as it was at the first. */
export function inSnapshot<Result>(db: Database, work: (trx: Trx) => Promise<Result>): Promise<Result> {
  return db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(work);
}
