import { setTimeout as delay } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { type Migration, type MigrationProvider, Migrator, NO_MIGRATIONS } from 'kysely/migration';
import type { Database } from './database.ts';
import { MigrationFiles } from './migration-files.ts';
import { forgetApplied, isApplied, noteApplied, readApplied } from './migration-record.ts';
import { findOlderProcesses, type OlderProcesses } from './older-processes.ts';
import { findMigrations, MIGRATIONS, type ShippedMigration } from './shipped-migrations.ts';
import { isOverload, lostAgainstOthers } from './sql-state.ts';

export interface MigrateOptions {
  /**
   * How long a migration waits for a lock that others hold. Everyone who needs the same rows or tables waits behind it, so
   * it gives up soon and tries again a little later.
   */
  lockTimeoutMs?: number;
  /** How long it goes on trying, from its first attempt on. */
  patienceMs?: number;
  /** Hears of each migration as soon as it is done. */
  onApplied?: (name: string) => void;
  /** Where the migrations lie; those of this release if absent. */
  directory?: URL;
}

/** What a run of the migrations did, and what it had to leave. */
export interface Migrated {
  applied: string[];
  /** The migrations that wait for older processes to end; empty if all have run. */
  left: string[];
  /** The sessions of older processes that are in the way of the first one that is left. */
  olderProcesses: OlderProcesses[];
  /** Whether this release cannot work before those that are left have run. */
  isBehind: boolean;
}

const LOCK_TIMEOUT_MS = 1_000;
const PATIENCE_MS = 120_000;
/** How much longer than its wait for a lock it pauses after it: those who queued behind it have most of the time. */
const PAUSE_FACTOR = 2;
/** The longest rest of a back-fill between two transactions; it rests as long as it worked. */
const LONGEST_REST_MS = 1_000;

/** A migration failed, or could not get a lock in time. Those before it are done. */
export class MigrationFailure extends Error {
  constructor(name: string, cause: unknown) {
    super(`${name} failed`, { cause });
    this.name = 'MigrationFailure';
  }
}

/**
 * Brings the database to the newest migration, one after the other in the order of their numbers, behind a lock, so that
 * processes that start together do not collide. Stops before a contraction while older processes are connected.
 * @throws MigrationFailure with the error of the migration that failed; run it again to go on from there
 */
export function migrateToLatest(db: Database, options: MigrateOptions = {}): Promise<Migrated> {
  return alone(db, options, (session) => new Run(session, options).toLatest());
}

/** Brings an empty database to a migration of the past, by its name, and to the functions of that time. For tests of upgrades. */
export function migrateUpTo(db: Database, name: string): Promise<Migrated> {
  return alone(db, {}, (session) => new Run(session, {}).upTo(name));
}

/** Takes every migration back, newest first. For the test that each pair undoes itself. */
export function migrateDown(db: Database): Promise<string[]> {
  return alone(db, {}, (session) => new Run(session, {}).down());
}

/** Runs work on one connection while no other migrator works on this database. */
function alone<Result>(
  db: Database,
  { lockTimeoutMs = LOCK_TIMEOUT_MS, patienceMs = PATIENCE_MS }: MigrateOptions,
  work: (session: Kysely<unknown>) => Promise<Result>,
): Promise<Result> {
  return db.connection().execute(async (session) => {
    // If this process is killed, PostgreSQL ends its statement and gives back its locks.
    await sql`set client_connection_check_interval = '1s'; set statement_timeout = 0`.execute(session);
    await sql`select set_config('lock_timeout', ${String(patienceMs)}, false)`.execute(session);
    try {
      await sql`select pg_advisory_lock(hashtext('lockstep migrate'))`.execute(session);
    } catch (error) {
      if (!isOverload(error)) throw error;
      throw new Error('another migration of this database is still running: run it again when that has ended');
    }
    try {
      await sql`select set_config('lock_timeout', ${String(lockTimeoutMs)}, false)`.execute(session);
      return await work(session as unknown as Kysely<unknown>);
    } finally {
      const unlock = sql`select pg_advisory_unlock(hashtext('lockstep migrate'))`;
      await unlock.execute(session).catch(() => {});
      const reset = sql`reset lock_timeout; reset client_connection_check_interval; reset statement_timeout`;
      await reset.execute(session).catch(() => {});
    }
  });
}

/** One run over the migrations, on the connection that has the lock. */
class Run {
  readonly #db: Kysely<unknown>;
  readonly #options: MigrateOptions;
  readonly #files: MigrationFiles;
  readonly #migrations: readonly ShippedMigration[];
  readonly #applied: string[] = [];

  constructor(db: Kysely<unknown>, options: MigrateOptions) {
    const directory = options.directory ?? MIGRATIONS;
    this.#db = db;
    this.#options = options;
    this.#files = new MigrationFiles(directory);
    this.#migrations = findMigrations(directory);
  }

  toLatest(): Promise<Migrated> {
    return this.upTo(this.#migrations.at(-1)!.name);
  }

  async upTo(name: string): Promise<Migrated> {
    await this.#history(name);
    const applied = await readApplied(this.#db);
    const steps = this.#migrations.filter((each) => each.kind !== 'history' && each.name <= name);
    const lacking = steps.filter((each) => !isApplied(each, applied));
    for (const [index, step] of lacking.entries()) {
      const olderProcesses = await this.#step(step);
      if (olderProcesses.length === 0) continue;
      const rest = lacking.slice(index);
      const isBehind = rest.some(({ kind }) => kind !== 'contraction');
      return { applied: this.#applied, left: rest.map((each) => each.name), olderProcesses, isBehind };
    }
    return { applied: this.#applied, left: [], olderProcesses: [], isBehind: false };
  }

  async down(): Promise<string[]> {
    const applied = await readApplied(this.#db);
    const steps = this.#migrations.filter((each) => each.kind !== 'history' && isApplied(each, applied));
    for (const step of steps.toReversed()) {
      await this.#db.transaction().execute(async (trx) => {
        await forgetApplied(trx, step);
        await this.#files.run(trx, step.name, 'down');
      });
    }
    const { error, results = [] } = await this.#migrator().migrateTo(NO_MIGRATIONS);
    if (error) throw error;
    return [...steps.map(({ name }) => name).toReversed(), ...results.map(({ migrationName }) => migrationName)];
  }

  /** Runs what is missing of the history, up to `name`, all of it in one transaction. */
  async #history(name: string): Promise<void> {
    const all = this.#migrations.filter(({ kind }) => kind === 'history');
    const applied = await readApplied(this.#db);
    if (all.every((each) => isApplied(each, applied))) return;
    const target = all.findLast((each) => each.name <= name)!.name;
    const { results } = await this.#patiently(target, async () => {
      const migrated = await this.#migrator().migrateTo(target);
      if (migrated.error) throw migrated.error;
      return migrated;
    });
    for (const { migrationName } of results ?? []) this.#note(migrationName);
  }

  #migrator(): Migrator {
    const history = this.#migrations.filter(({ kind }) => kind === 'history');
    const provider: MigrationProvider = {
      getMigrations: async () =>
        Object.fromEntries(
          history.map(({ name }): [string, Migration] => [
            name,
            {
              up: (db) => this.#files.run(db, name, 'up'),
              down: (db) => this.#files.run(db, name, 'down'),
            },
          ]),
        ),
    };
    return new Migrator({ db: this.#db, provider });
  }

  /** Runs one migration to its end. Returns the older processes that are in its way; it has not run then. */
  async #step(step: ShippedMigration): Promise<OlderProcesses[]> {
    const { name, kind } = step;
    if (kind === 'repeat') await this.#backFill(name);
    const older = await this.#patiently(name, () => this.#once(step));
    if (older.length === 0) this.#note(name);
    return older;
  }

  /** Runs a back-fill until there is nothing left to move. What it has moved stays, whatever happens to the rest. */
  async #backFill(name: string): Promise<void> {
    for (;;) {
      const begunMs = performance.now();
      const run = () => this.#db.transaction().execute((trx) => this.#files.repeat(trx, name));
      const moved = await this.#patiently(name, run);
      if (moved === 0n) return;
      await delay(Math.min(performance.now() - begunMs, LONGEST_REST_MS));
    }
  }

  /** Runs a migration and notes it, in a transaction of its own. Returns the older processes that are in its way. */
  async #once(step: ShippedMigration): Promise<OlderProcesses[]> {
    const { name, kind, number } = step;
    const findOlder = (db: Kysely<unknown>) => (kind === 'contraction' ? findOlderProcesses(db, number) : []);
    const before = await findOlder(this.#db);
    if (before.length > 0) return before;
    const newestExpansion = this.#migrations.findLast((each) => each.kind !== 'contraction')!;
    const trx = await this.#db.startTransaction().execute();
    try {
      if (kind !== 'repeat') await this.#files.run(trx, name, 'up');
      if (kind === 'contraction' || step === newestExpansion) await this.#files.applyFunctions(trx, name);
      await noteApplied(trx, step);
      // One that came in the meantime has seen the schema as it was.
      const late = await findOlder(trx);
      await (late.length > 0 ? trx.rollback() : trx.commit()).execute();
      return late;
    } catch (error) {
      // If this fails too, the connection is gone, and the error says why.
      await trx
        .rollback()
        .execute()
        .catch(() => {});
      throw error;
    }
  }

  /** Tries until it works, as long as only others are in the way. */
  async #patiently<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const { lockTimeoutMs = LOCK_TIMEOUT_MS, patienceMs = PATIENCE_MS } = this.#options;
    const endMs = performance.now() + patienceMs;
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!lostAgainstOthers(error) || performance.now() >= endMs) throw new MigrationFailure(name, error);
        await delay(PAUSE_FACTOR * lockTimeoutMs);
      }
    }
  }

  #note(name: string): void {
    this.#applied.push(name);
    this.#options.onApplied?.(name);
  }
}
