import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import type pg from 'pg';
import { type Database, HUNG_AFTER_MS, poolOf } from './database.ts';
import { type Deadline, Overload } from './deadline.ts';
import type { Tables } from './tables.ts';
import { takeConnection } from './take-connection.ts';

/** Statements that follow each other within this time share one setting of the timeouts. */
const SETTING_GOOD_FOR_MS = 50;
/**
 * Statements that end a transaction run even after the deadline: they wait for nobody, and leave the connection clean.
 */
const ENDS = ['commit', 'rollback'];
/** Nobody waits for it (ServiceClient), so nothing may end it alone: what is behind it would run outside of a transaction. */
const BEGIN = 'begin';

/**
 * Returns the same database for a call that has a deadline. Waiting for a connection, every statement, every wait for a
 * lock (`maxLockWaitMs` at most, if that is less) and every new try of a transaction end at the deadline, with an error
 * for which `isOverload` is true; nothing has changed then. Do not destroy it: it uses the connections of `db`.
 */
export function within(db: Database, deadline: Deadline, maxLockWaitMs = Number.POSITIVE_INFINITY): Database {
  const pool = new BoundedPool(poolOf(db), deadline, maxLockWaitMs);
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}

/** Gives out connections of a pool that keep to a deadline. */
class BoundedPool implements PostgresPool {
  readonly options: object;
  readonly #pool: pg.Pool;
  readonly #deadline: Deadline;
  readonly #maxLockWaitMs: number;

  constructor(pool: pg.Pool, deadline: Deadline, maxLockWaitMs: number) {
    this.options = pool.options;
    this.#pool = pool;
    this.#deadline = deadline;
    this.#maxLockWaitMs = maxLockWaitMs;
  }

  async connect(): Promise<PostgresPoolClient> {
    this.#deadline.signal.throwIfAborted();
    const client = await takeConnection(this.#pool, (connecting) => this.#deadline.race(connecting));
    return new BoundedClient(client, this.#deadline, this.#maxLockWaitMs);
  }

  async end(): Promise<void> {}
}

/**
 * A connection on which PostgreSQL itself ends statements at the deadline. PostgreSQL's timeouts are for one statement
 * each, so they are lowered to the remaining time as it passes. The setting is sent together with the statement.
 */
class BoundedClient implements PostgresPoolClient {
  readonly #client: pg.PoolClient;
  readonly #deadline: Deadline;
  readonly #maxLockWaitMs: number;
  #setMs = Number.NEGATIVE_INFINITY;

  constructor(client: pg.PoolClient, deadline: Deadline, maxLockWaitMs: number) {
    this.#client = client;
    this.#deadline = deadline;
    this.#maxLockWaitMs = maxLockWaitMs;
  }

  // biome-ignore lint/suspicious/noExplicitAny: kysely has two overloads, for queries and for cursors, of which there are none
  query(text: unknown, values?: unknown): any {
    return this.#query(String(text), values as unknown[]);
  }

  release(destroy?: boolean): void {
    // The next user of the connection sends after this, and finds the timeouts of the pool.
    if (!destroy) this.#send('reset statement_timeout; reset lock_timeout');
    this.#client.release(destroy);
  }

  async #query(text: string, values: unknown[]): Promise<pg.QueryResult> {
    const remainingMs = this.#deadline.remainingMs;
    if (!ENDS.includes(text)) {
      if (remainingMs <= 0) throw new Overload('no time is left for a statement');
      if (text !== BEGIN) this.#setTimeouts(remainingMs);
    }
    try {
      return await this.#client.query({
        text,
        values,
        query_timeout: Math.max(remainingMs, 0) + HUNG_AFTER_MS,
      } as pg.QueryConfig);
    } catch (error) {
      // Rolling back to a savepoint also rolls back what was set after it.
      this.#forgetSetting();
      throw error;
    }
  }

  #setTimeouts(remainingMs: number): void {
    const nowMs = performance.now();
    if (nowMs - this.#setMs < SETTING_GOOD_FOR_MS) return;
    this.#setMs = nowMs;
    const statementMs = Math.ceil(remainingMs);
    const lockMs = Math.min(statementMs, this.#maxLockWaitMs);
    this.#send(`set statement_timeout = ${statementMs}; set lock_timeout = ${lockMs}`);
  }

  /** Its failure needs no report: when transaction or connection have failed, the statement after it fails, too. */
  #send(settings: string): void {
    this.#client.query(settings).catch(() => this.#forgetSetting());
  }

  #forgetSetting(): void {
    this.#setMs = Number.NEGATIVE_INFINITY;
  }
}
