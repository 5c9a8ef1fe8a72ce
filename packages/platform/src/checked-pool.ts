import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type pg from 'pg';
import { inTime, Late } from './in-time.ts';
import { headOf } from './statement-head.ts';
import { takeConnection } from './take-connection.ts';

/** A standby does not show yet what a call needs. The same connection may do a moment later. */
export class NotThereYet extends Error {
  constructor() {
    super('does not show yet what the call needs');
    this.name = 'NotThereYet';
  }
}

/** All connections of a pool are used for longer than a caller can wait. That says nothing about the server. */
export class NoConnectionFree extends Error {
  constructor() {
    super('all connections are in use');
    this.name = 'NoConnectionFree';
  }
}

/** Looks at the server behind a connection, and throws if it must not be read from. */
type Check = (client: pg.PoolClient) => Promise<void>;

/**
 * Gives out connections that are checked each time, because the name of a host may stand for several servers, and each of them
 * may have become another one since. A connection, and the answer to the check, must come within `patienceMs`.
 */
export class CheckedPool implements PostgresPool {
  readonly options: object;
  readonly #pool: pg.Pool;
  readonly #check: Check;
  readonly #patienceMs: number;

  constructor(pool: pg.Pool, check: Check, patienceMs: number) {
    this.options = pool.options;
    this.#pool = pool;
    this.#check = check;
    this.#patienceMs = patienceMs;
  }

  async connect(): Promise<PostgresPoolClient> {
    const { idleCount, totalCount, waitingCount, options } = this.#pool;
    // Those that came in the same moment wait still, though there are connections for some of them.
    const isFull = waitingCount >= idleCount + options.max - totalCount;
    const client = await takeConnection(this.#pool, (connecting) =>
      inTime(connecting, this.#patienceMs, 'gives no connection in time'),
    ).catch((error: unknown) => {
      throw isFull && error instanceof Late ? new NoConnectionFree() : error;
    });
    return new CheckedClient(client, inTime(this.#check(client), this.#patienceMs, 'does not answer in time'));
  }

  async end(): Promise<void> {}
}

/** A statement with a name travels with the check. Others wait for it: none may begin a transaction that nobody ends. */
class CheckedClient implements PostgresPoolClient {
  readonly #client: pg.PoolClient;
  readonly #checked: Promise<void>;
  #isSpoilt = false;

  constructor(client: pg.PoolClient, checked: Promise<void>) {
    this.#client = client;
    this.#checked = checked;
    // Whoever takes the connection asks for it; if nobody does, its failure is nobody's.
    checked.catch((error: unknown) => {
      this.#isSpoilt = !(error instanceof NotThereYet);
    });
  }

  // biome-ignore lint/suspicious/noExplicitAny: kysely has two overloads, for queries and for cursors, of which there are none
  query(text: unknown, values?: unknown): any {
    return this.#query(String(text), values as unknown[]);
  }

  /** One that failed its check goes: it may never answer, or lead to a server that is not meant. */
  release(destroy?: boolean): void {
    this.#client.release(destroy || this.#isSpoilt);
  }

  async #query(text: string, values: unknown[]): Promise<pg.QueryResult> {
    if (headOf(text).name === undefined) await this.#checked;
    const answer = this.#client.query(text, values);
    answer.catch(() => {});
    await this.#checked;
    return await answer;
  }
}
