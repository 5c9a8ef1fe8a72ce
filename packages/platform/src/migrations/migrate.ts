import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { type Migration, type MigrationResultSet, Migrator } from 'kysely/migration';
import type { Database } from '../postgres/database.ts';
import { lostAgainstOthers } from '../postgres/errors.ts';
import { findLacking, type Release, readMigrations } from './migrations.ts';

export interface MigrateOptions {
  /** Hears of each migration as soon as it is done. */
  onApplied?: (name: string) => void;
}

/**
 * How long a migration waits for a lock that others hold. Everyone who needs the same rows or tables waits behind it,
 * so it gives up soon and tries again a little later.
 */
const LOCK_TIMEOUT_MS = 1_000;
/** For how long a migration is retried, from its first attempt on. */
const PATIENCE_MS = 120_000;
/** How long it pauses after such a wait: those who queued behind it have most of the time. */
const PAUSE_MS = 2_000;

/** A migration failed, or could not get a lock in time. Those before it are done. */
export class MigrationFailure extends Error {
  constructor(name: string, cause: unknown) {
    super(`${name} failed`, { cause });
    this.name = 'MigrationFailure';
  }
}

/**
 * Runs the migrations of a release that a database lacks, each in a transaction of its own, behind kysely's lock, so that processes
 * that start together do not collide. Changes nothing if another baseline made the database, or a later release
 * migrated it.
 * @returns the names of those that ran
 * @throws Error if another baseline made the database. MigrationFailure if a migration fails: call it again to go on
 * from there
 */
export async function migrateToLatest(db: Database, release: Release, options: MigrateOptions = {}): Promise<string[]> {
  const migrations = readMigrations(release.migrations);
  const lacking = await findLacking(db, migrations);
  if (lacking === null) throw new Error(release.otherBaseline);
  if (lacking.length === 0) return [];
  // If this process is killed, PostgreSQL ends its statement and gives back its locks.
  const settings = `set local lock_timeout = ${LOCK_TIMEOUT_MS}; set local statement_timeout = 0;
    set local client_connection_check_interval = '1s';`;
  const provided = migrations.map(({ name, statements }): [string, Migration] => [
    name,
    { up: async (trx) => void (await sql.raw(settings + statements).execute(trx)) },
  ]);
  const migrator = new Migrator({ db, provider: { getMigrations: async () => Object.fromEntries(provided) } });
  const applied: string[] = [];
  let endMs = performance.now() + PATIENCE_MS;
  for (;;) {
    // One at a time: a transaction of all of them would keep the locks of the first until the last is done.
    const { error, results = [] }: MigrationResultSet = await migrator.migrateUp();
    const name = results[0]?.migrationName;
    if (error !== undefined) {
      const isLost = lostAgainstOthers(error) && performance.now() < endMs;
      if (!isLost) throw name === undefined ? error : new MigrationFailure(name, error);
      await delay(PAUSE_MS);
      continue;
    }
    if (name === undefined) return applied;
    applied.push(name);
    options.onApplied?.(name);
    endMs = performance.now() + PATIENCE_MS;
  }
}
