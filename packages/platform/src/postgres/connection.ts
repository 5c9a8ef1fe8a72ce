import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import pg from 'pg';
import { type Deadline, Overload } from '../concurrency/deadline.ts';
import type { WriteOutcomes } from './errors.ts';
import { OutcomeUnknown, type PrimaryClient } from './pool.ts';

/** How much later than PostgreSQL the client times out a query, for a PostgreSQL that does not answer at all. */
export const HUNG_AFTER_MS = 2_000;
/** How often a transaction that waits for its process shows PostgreSQL that the process is alive. */
const SIGN_OF_LIFE_MS = 4_000;

/** A query as pg takes it. */
export interface Query {
  /** If set, each connection prepares the query once under this name. */
  name?: string;
  text: string;
  values?: readonly unknown[];
  /** Whether every row of the answer is a newly stored row. PostgreSQL tells this for an INSERT, not for a CTE. */
  storesRows?: boolean;
}

/** How many texts of a query a client prepares. Frequent lists have few filters. */
const PREPARED_TEXTS = 8;

/** The errors with which PostgreSQL ends a connection. Any other error means that the transaction was rolled back. */
const SHUTDOWN = /^57P/;

/** A connection taken from the pool. Queries are sent at once, without waiting for earlier answers. */
export class Connection implements DatabaseConnection {
  readonly #client: PrimaryClient & pg.PoolClient;
  /** Answers that the next `runAll` waits for. */
  #ahead: Promise<pg.QueryResult>[] = [];
  #deadline: Deadline | undefined;
  #isUnclear = false;
  readonly #writes: WriteOutcomes | undefined;
  /** The open transaction. */
  #transaction: { isReadOnly: boolean; hasStored: boolean } | undefined;
  #signsOfLife: NodeJS.Timeout | undefined;
  /** The number of unanswered queries. */
  #open = 0;

  /** Reports the outcome of statements to `writes`. */
  constructor(client: PrimaryClient & pg.PoolClient, writes?: WriteOutcomes) {
    this.#client = client;
    this.#writes = writes;
  }

  /** Runs a query of kysely. */
  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const [result] = await this.runAll([{ text: sql, values: parameters }]);
    const { rowCount, rows = [] } = result!;
    return { rows, numAffectedRows: BigInt(rowCount ?? 0) };
  }

  streamQuery(): never {
    throw new Error('queries are not streamed');
  }

  /** Returns the name under which to prepare this text of a query; none if enough other texts are prepared. */
  nameFor(queryName: string, text: string): Pick<Query, 'name'> {
    const { preparedTexts } = this.#client;
    const texts = preparedTexts.get(queryName) ?? [];
    preparedTexts.set(queryName, texts);
    if (!texts.includes(text) && texts.length < PREPARED_TEXTS) texts.push(text);
    return texts.includes(text) ? { name: `${queryName}_${texts.indexOf(text)}` } : {};
  }

  /**
   * Sends queries at once and returns their results. Throws the first error, including those of queries that `send`
   * sent earlier.
   */
  async runAll(queries: readonly Query[]): Promise<pg.QueryResult[]> {
    this.#checkTime();
    return await this.#answers(queries);
  }

  /** Sends a query without waiting for its answer. If it fails, the next `runAll` or the commit throws its error. */
  send(query: Query): void {
    this.#checkTime();
    this.#sendAhead(query);
  }

  /**
   * Begins a transaction without waiting for the answer: the next query travels with it. However long the process works
   * between two statements, PostgreSQL hears from it, so it can end the transactions of frozen processes.
   */
  begin(text: string, isReadOnly: boolean): void {
    this.#transaction = { isReadOnly, hasStored: false };
    this.#signsOfLife = setInterval(() => this.#showLife(), SIGN_OF_LIFE_MS);
    this.#sendAhead({ text });
  }

  /**
   * Commits. Returns PostgreSQL's answer: COMMIT, or ROLLBACK if a query failed. Throws an OutcomeUnknown if no answer
   * arrives.
   */
  async commit(): Promise<string> {
    clearInterval(this.#signsOfLife);
    const [result] = await this.#answers([{ text: 'commit' }]).catch((error: Error) => {
      const isKnown = error instanceof pg.DatabaseError && !SHUTDOWN.test(error.code ?? '');
      throw isKnown || error instanceof OutcomeUnknown || this.#transaction?.isReadOnly
        ? error
        : new OutcomeUnknown(error);
    });
    const hasStored = this.#transaction?.hasStored === true;
    this.#transaction = undefined;
    if (hasStored && result!.command === 'COMMIT') this.#writes?.noteStored();
    return result!.command;
  }

  /** Rolls back. If that fails, the connection is discarded. */
  async rollback(): Promise<void> {
    clearInterval(this.#signsOfLife);
    this.#ahead = [];
    this.#transaction = undefined;
    await this.#query({ text: 'rollback' }).catch(() => {
      this.#isUnclear = true;
    });
  }

  /**
   * Uses the connection until a deadline. PostgreSQL itself ends a transaction, or a statement outside of one, when the
   * remaining time has passed; after the deadline none begins. The settings travel with the next query.
   */
  async within<Result>(deadline: Deadline, maxLockWaitMs: number, use: () => Promise<Result>): Promise<Result> {
    this.#deadline = deadline;
    this.#checkTime();
    const leftMs = Math.ceil(deadline.remainingMs);
    this.#sendAhead({
      text: `set transaction_timeout = ${leftMs}; set lock_timeout = ${Math.min(leftMs, maxLockWaitMs)}`,
    });
    try {
      return await use();
    } finally {
      this.#sendAhead({ text: 'reset transaction_timeout; reset lock_timeout' });
    }
  }

  /** Returns the connection to the pool. */
  release(): void {
    this.#client.release(this.#isUnclear);
  }

  async #answers(queries: readonly Query[]): Promise<pg.QueryResult[]> {
    const answers = queries.map((query) => this.#query(query));
    // PostgreSQL answers queries in order.
    const settled = await Promise.allSettled([...this.#ahead.splice(0), ...answers]);
    const failed = settled.find((each) => each.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return settled
      .slice(settled.length - queries.length)
      .map((each) => (each as PromiseFulfilledResult<pg.QueryResult>).value);
  }

  #showLife(): void {
    if (this.#open === 0) this.#sendAhead({ text: '' });
  }

  #sendAhead(query: Query): void {
    const answer = this.#query(query);
    answer.catch(() => {});
    this.#ahead.push(answer);
  }

  async #query({ name, text, values, storesRows = false }: Query): Promise<pg.QueryResult> {
    const transaction = this.#transaction;
    const timeout =
      this.#deadline === undefined ? {} : { query_timeout: Math.max(this.#deadline.remainingMs, 0) + HUNG_AFTER_MS };
    this.#cork();
    this.#open++;
    try {
      const result = await this.#client.query({ name, text, values, ...timeout } as pg.QueryConfig);
      if ((storesRows || result.command === 'INSERT') && (result.rowCount ?? 0) > 0) {
        if (transaction === undefined) this.#writes?.noteStored();
        else transaction.hasStored = true;
      }
      return result;
    } catch (error) {
      // A read-only transaction refuses writes even if the database accepts them.
      if (transaction?.isReadOnly !== true) this.#writes?.noteError(error);
      throw error;
    } finally {
      this.#open--;
      // biome-ignore lint/correctness/noUnsafeFinally: whatever else is known, the outcome of the commit is not
      if (this.#client.unconfirmed !== undefined) throw this.#client.unconfirmed;
    }
  }

  #checkTime(): void {
    if (this.#deadline !== undefined && this.#deadline.remainingMs <= 0) {
      throw new Overload('no time left for a statement');
    }
  }

  /** Writes all queries of this turn of the event loop at once: a system call costs as much as a small statement. */
  #cork(): void {
    const { stream } = this.#client;
    stream.cork();
    process.nextTick(() => stream.uncork());
  }
}
