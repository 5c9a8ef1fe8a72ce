import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import type pg from 'pg';
import { type Database, poolOf } from './database.ts';
import { type Deadline, Overload } from './deadline.ts';
import type { Tables } from './tables.ts';

/** How much later than PostgreSQL itself a client gives up: it is for a PostgreSQL that does not answer at all. */
const HUNG_AFTER_MS = 2_000;
/** Statements that come so soon after one another share a setting of the timeouts. */
const SETTING_GOOD_FOR_MS = 50;
/** What ends a transaction is let through: it waits for nobody, and the connection must be given back clean. */
const ENDS = ['commit', 'rollback'];

/**
 * The same database for a call that has a deadline: waiting for a connection, every statement, every lock (`maxLockWaitMs`
 * at most, where that is less) and every new try of a transaction end with it, together. What ends so throws what
 * `isOverload` knows, and nothing has changed. It is not to be destroyed; its connections are those of `db`.
 */
export function within(db: Database, deadline: Deadline, maxLockWaitMs = Number.POSITIVE_INFINITY): Database {
  const pool = new BoundedPool(poolOf(db), deadline, maxLockWaitMs);
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}

/** Hands out connections of a pool that keep to a deadline. */
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
    const connecting = this.#pool.connect();
    try {
      return new BoundedClient(await this.#deadline.race(connecting), this.#deadline, this.#maxLockWaitMs);
    } catch (error) {
      // It may still come, for nobody.
      connecting.then(
        (client) => client.release(),
        () => {},
      );
      throw error;
    }
  }

  async end(): Promise<void> {}
}

/**
 * A connection on which PostgreSQL itself ends what the deadline does not leave time for. Its timeouts are those of one
 * statement, so they are lowered to what is left as time goes by; the setting travels together with the statement.
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
    // Whoever has the connection next sends behind this, and finds the timeouts of the pool.
    if (!destroy) this.#send('reset statement_timeout; reset lock_timeout');
    this.#client.release(destroy);
  }

  async #query(text: string, values: unknown[]): Promise<pg.QueryResult> {
    const remainingMs = this.#deadline.remainingMs;
    if (!ENDS.includes(text)) {
      if (remainingMs <= 0) throw new Overload('no time is left for a statement');
      this.#setTimeouts(remainingMs);
    }
    try {
      return await this.#client.query({
        text,
        values,
        query_timeout: Math.max(remainingMs, 0) + HUNG_AFTER_MS,
      } as pg.QueryConfig);
    } catch (error) {
      // A savepoint that is taken back takes back what was set after it.
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

  /** It fails where the transaction has failed, or the connection: then so does what comes behind it, or ends it. */
  #send(settings: string): void {
    this.#client.query(settings).catch(() => this.#forgetSetting());
  }

  #forgetSetting(): void {
    this.#setMs = Number.NEGATIVE_INFINITY;
  }
}
