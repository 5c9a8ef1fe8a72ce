import { AbortedTransactionError, type Driver, PostgresDialect, type TransactionSettings } from 'kysely';
import type pg from 'pg';
import type { Deadline } from '../concurrency/deadline.ts';
import { Connection } from './connection.ts';
import type { WriteOutcomes } from './write-outcomes.ts';

/**
 * How kysely reaches PostgreSQL here. Its own driver waits for the answer to each `begin`, and reaches no prepared
 * query.
 */
export class ServiceDialect extends PostgresDialect {
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

  /** Takes a connection that comes before a deadline. One that comes later goes back to the pool at once. */
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
