import { setTimeout as delay } from 'node:timers/promises';
import { Deadline } from '../concurrency/deadline.ts';
import { type Database, within } from '../postgres/database.ts';
import { isOverload } from '../postgres/errors.ts';
import type { Logger } from '../process/log.ts';
import type { QueueBackend } from '../queue/backend.ts';
import { explainDatabaseFault } from './faults.ts';
import type { Release } from './migrations.ts';
import { findSchemaFault } from './schema-state.ts';

const LOOK_EVERY_MS = 1_000;
/** A database that does not answer for this long counts as away. */
const ANSWER_WITHIN_MS = 5_000;

interface SchemaWatchOptions {
  db: Database;
  release: Release;
  queue: QueueBackend;
  log: Logger;
}

/**
 * Looks once a second whether a release can work with the database. Logs one line when it cannot, one for each new
 * reason, and one when it can again.
 */
export class SchemaWatch {
  readonly #options: SchemaWatchOptions;
  readonly #closing = new AbortController();
  readonly #firstLook = Promise.withResolvers<void>();
  readonly #current = Promise.withResolvers<void>();
  #isCurrent = false;
  #reason: string | null = 'the database has not been looked at yet';
  #isReachable = false;
  #logged: string | null = null;

  constructor(options: SchemaWatchOptions) {
    this.#options = options;
    void this.#run();
  }

  /**
   * Whether all migrations of the release have run, so a database that is away now may be tried. Waits only for the
   * first look.
   */
  async isCurrent(): Promise<boolean> {
    await this.#firstLook.promise;
    return this.#isCurrent;
  }

  /** Whether the database answered the last look, and why it cannot be used; null if it can. Waits as isCurrent. */
  async health(): Promise<{ isReachable: boolean; reason: string | null }> {
    await this.#firstLook.promise;
    return { isReachable: this.#isReachable, reason: this.#reason };
  }

  /** Resolves when all migrations of the release have run; never if the watch is closed before. */
  untilCurrent(): Promise<void> {
    return this.#current.promise;
  }

  async close(): Promise<void> {
    this.#closing.abort();
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
    const { db, release, queue } = this.#options;
    const deadline = new Deadline(ANSWER_WITHIN_MS);
    try {
      // Does not wait for a connection that has gone silent: the next look uses another one.
      this.#note(await findSchemaFault(within(db, deadline), release, queue.kind), true);
    } catch (error) {
      const fault = isOverload(error) ? 'does not answer' : explainDatabaseFault(error, release);
      this.#note(fault === null ? (error as Error).message : `PostgreSQL ${fault}`, false);
    } finally {
      deadline.end();
    }
  }

  #note(reason: string | null, isReachable: boolean): void {
    if (this.#closing.signal.aborted) return;
    this.#isCurrent ||= reason === null;
    this.#reason = reason;
    this.#isReachable = isReachable;
    if (reason !== this.#logged) {
      this.#logged = reason;
      if (reason === null) this.#options.log.info('the database can be used; goes on');
      else this.#options.log.warn({ reason }, 'waits for the database');
    }
    this.#firstLook.resolve();
    if (this.#isCurrent) this.#current.resolve();
  }
}
