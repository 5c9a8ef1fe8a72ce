import type { Duplex } from 'node:stream';
import type pg from 'pg';
import { PrimaryClient } from './primary-pool.ts';
import { headOf } from './statement-head.ts';

/** Where PostgreSQL's warning comes from. Its text may be in any language. */
const WAITS_FOR_STANDBYS = 'SyncRepWaitForLSN';
/** `plan_cache_mode`: once for any values, or as PostgreSQL thinks best. */
type PlanMode = 'force_generic_plan' | 'auto';
/** A result of a statement whose outcome comes later. */
const SENT = { command: '', rowCount: 0, rows: [], oid: 0, fields: [] };

/**
 * A connection that saves PostgreSQL work and round trips. Statements that have a name (`named`) are parsed and planned once a
 * connection, for any values; all others are planned for the values that they have. Nobody waits for the answer to a `begin`,
 * or to a statement that is sent ahead (`sendAhead`): what is sent next travels with it, and fails with its error.
 */
export class ServiceClient extends PrimaryClient {
  /** Answers that nobody has waited for yet. They never reject. */
  #ahead: Promise<void>[] = [];
  /** Why the transaction has failed, if that was told by an answer that nobody waited for. */
  #failure: Error | undefined;
  #isCorked = false;
  /** How statements are planned now; undefined when a rollback may have taken that back. */
  #planMode: PlanMode | undefined;
  /** Set when a commit has not waited for the standbys that it should have waited for. */
  #unconfirmed: Error | undefined;

  constructor(config: ConstructorParameters<typeof PrimaryClient>[0] = {}) {
    super(config);
    this.on('notice', (notice) => this.#hear(notice as pg.DatabaseError));
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg has ten overloads of it
  override query(config: any, values?: any, callback?: any): any {
    const { text, ...others } = typeof config === 'string' ? { text: config } : config;
    if (typeof text !== 'string' || typeof values === 'function' || callback !== undefined) {
      return super.query(config, values, callback);
    }
    const { name, isAhead } = headOf(text);
    this.#cork();
    const statement = { ...others, text, values: values ?? others.values, ...(name === undefined ? {} : { name }) };
    if (text === 'begin') this.#failure = undefined;
    if (name !== undefined) this.#planBy('force_generic_plan');
    else if (statement.values?.length > 0) this.#planBy('auto');
    if (isAhead || text === 'begin') {
      this.#ahead.push(super.query(statement).then(...this.#note));
      return Promise.resolve(SENT);
    }
    return this.#answer(text, super.query(statement));
  }

  /**
   * Left to itself PostgreSQL would plan many a named statement for its values each time, because it takes that for cheap: with
   * tables of many partitions, planning takes far longer than the look-ups that are planned. If this fails, so does what is
   * sent next.
   */
  #planBy(mode: PlanMode): void {
    if (this.#planMode === mode) return;
    this.#planMode = mode;
    super.query(`set plan_cache_mode = ${mode}`).catch(() => this.#forgetPlanMode());
  }

  #forgetPlanMode(): void {
    this.#planMode = undefined;
  }

  /** Has what is sent in this turn of the event loop written at once: a system call costs as much as a small statement. */
  #cork(): void {
    if (this.#isCorked) return;
    const { stream } = (this as unknown as { connection: { stream: Duplex } }).connection;
    this.#isCorked = true;
    stream.cork();
    process.nextTick(() => {
      this.#isCorked = false;
      stream.uncork();
    });
  }

  readonly #note: [() => void, (error: Error) => void] = [
    () => {},
    (error) => {
      this.#failure ??= error;
      this.#forgetPlanMode();
    },
  ];

  /** Returns the answer of a statement, or throws why an earlier one of its transaction failed. */
  async #answer(text: string, answer: Promise<pg.QueryResult>): Promise<pg.QueryResult> {
    const isRollback = text.startsWith('rollback');
    if (isRollback) this.#forgetPlanMode();
    try {
      // PostgreSQL answers in the order of the statements.
      const result = await answer;
      await this.#settle();
      if (this.#unconfirmed !== undefined) throw this.#unconfirmed;
      if (this.#failure !== undefined && !isRollback) throw this.#failure;
      return result;
    } catch (error) {
      this.#forgetPlanMode();
      await this.#settle();
      throw this.#unconfirmed ?? (isRollback ? error : (this.#failure ?? error));
    } finally {
      if (isRollback || text === 'commit') this.#failure = undefined;
    }
  }

  /**
   * PostgreSQL warns when somebody cancels a commit that waits for its synchronous standbys, and then answers as if it had
   * succeeded: it stands on this server, and on another one perhaps not. That is no success: nobody knows, as when a
   * connection breaks. The connection ends as well, because answers to what was sent behind it would say nothing of that.
   */
  #hear({ routine, message }: pg.DatabaseError): void {
    if (routine !== WAITS_FOR_STANDBYS) return;
    this.#unconfirmed = new Error(`the outcome of a commit is not known: ${message}`);
    (this as unknown as { connection: { stream: Duplex } }).connection.stream.destroy(this.#unconfirmed);
  }

  async #settle(): Promise<void> {
    if (this.#ahead.length === 0) return;
    await Promise.all(this.#ahead.splice(0));
  }
}
