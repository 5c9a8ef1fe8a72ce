import { setTimeout as delay } from 'node:timers/promises';
import { type Database, within } from './database.ts';
import { explainDatabaseFault } from './database-faults.ts';
import { Deadline } from './deadline.ts';
import type { Closable } from './lifecycle.ts';
import type { Logger } from './log.ts';
import type { QueueBackend } from './queue-backend.ts';
import { readSchemaState, type SchemaState } from './schema-version.ts';
import { isOverload } from './sql-state.ts';

const LOOK_EVERY_MS = 1_000;
/** A database that does not answer for this long counts as away. */
const ANSWER_WITHIN_MS = 5_000;

/**
 * Checks once a second whether the database has the schema of this release. Logs one line when it has not, one for each
 * new reason, and one when it has again.
 */
export class SchemaWatch {
  readonly #options: { db: Database; queue: QueueBackend; log: Logger };
  readonly #closing = new AbortController();
  readonly #firstLook = Promise.withResolvers<void>();
  readonly #followers = new Set<(isCurrent: boolean) => void>();
  #state: SchemaState['state'] | 'unknown' = 'unknown';
  #reason: string | null = 'the database has not been looked at yet';
  #isReachable = false;
  #logged: string | null = null;

  constructor(options: { db: Database; queue: QueueBackend; log: Logger }) {
    this.#options = options;
    void this.#run();
  }

  /**
   * Whether the schema was this release's when the database last answered. So a database that is away now may be tried,
   * and one that never answered may not. Waits only for the first check.
   */
  async isCurrent(): Promise<boolean> {
    await this.#firstLook.promise;
    return this.#state === 'current';
  }

  /** Whether the database answered the last check, and why it cannot be used; null if it can. Waits as isCurrent. */
  async health(): Promise<{ isReachable: boolean; reason: string | null }> {
    await this.#firstLook.promise;
    return { isReachable: this.#isReachable, reason: this.#reason };
  }

  /** Resolves when the schema is this release's; at once if it is already; never if the watch is closed before. */
  async untilCurrent(): Promise<void> {
    if (this.#state === 'current') return;
    await new Promise<void>((resolve) => {
      const unfollow = this.follow((isCurrent) => {
        if (!isCurrent) return;
        unfollow();
        resolve();
      });
    });
  }

  /** Calls `listener` at each change from now on. Returns a function that ends this. */
  follow(listener: (isCurrent: boolean) => void): () => void {
    this.#followers.add(listener);
    return () => void this.#followers.delete(listener);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#followers.clear();
    this.#firstLook.resolve();
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await this.#look();
      await delay(LOOK_EVERY_MS, undefined, { signal }).catch(() => {});
    }
  }

  async #look(): Promise<void> {
    const { db, queue } = this.#options;
    const deadline = new Deadline(ANSWER_WITHIN_MS);
    try {
      // Does not wait for a connection that has gone silent: the next check uses another one.
      const { state, reason } = await readSchemaState(within(db, deadline), queue.kind);
      this.#note(state, reason, true);
    } catch (error) {
      const fault = isOverload(error) ? 'does not answer' : explainDatabaseFault(error);
      this.#note(this.#state, fault === null ? (error as Error).message : `PostgreSQL ${fault}`, false);
    } finally {
      deadline.end();
    }
  }

  #note(state: SchemaState['state'] | 'unknown', reason: string | null, isReachable: boolean): void {
    if (this.#closing.signal.aborted) return;
    const wasCurrent = this.#state === 'current';
    this.#state = state;
    this.#reason = reason;
    this.#isReachable = isReachable;
    this.#log(reason);
    this.#firstLook.resolve();
    const isCurrent = state === 'current';
    if (isCurrent !== wasCurrent) for (const tell of [...this.#followers]) tell(isCurrent);
  }

  #log(reason: string | null): void {
    if (reason === this.#logged) return;
    this.#logged = reason;
    if (reason === null) this.#options.log.info('the database can be used; goes on');
    else this.#options.log.warn({ reason }, 'waits for the database');
  }
}

/**
 * Runs a part of a process while the schema is this release's: starts the part then, and closes it as soon as the
 * schema is another one. It logs a failure of that, and may start the part again. Closing it closes the part that runs.
 */
export function whileCurrent(schema: SchemaWatch, log: Logger, start: () => Closable): Closable {
  let running: Closable | null = null;
  let turn = Promise.resolve();
  let closed = false;
  const change = async (isCurrent: boolean) => {
    const runs = isCurrent && !closed;
    if (runs && running === null) running = start();
    if (runs || running === null) return;
    const ended = running;
    running = null;
    await ended.close();
  };
  const follow = (isCurrent: boolean) => {
    turn = turn
      .then(() => change(isCurrent))
      .catch((error: unknown) => log.error({ err: error }, 'could not follow a change of the schema'));
    return turn;
  };
  const unfollow = schema.follow((isCurrent) => void follow(isCurrent));
  void schema.untilCurrent().then(() => follow(true));
  return {
    async close() {
      closed = true;
      unfollow();
      await follow(false);
    },
  };
}
