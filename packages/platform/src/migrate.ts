import { readdir, readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { type Migration, type MigrationProvider, Migrator, NO_MIGRATIONS } from 'kysely/migration';
import type { Database } from './database.ts';
import { recordingDefinitions } from './schema-drift.ts';

const MIGRATIONS = new URL('../../../migrations/', import.meta.url);

let shipped: Promise<string[]> | undefined;

/** The names of the migrations that this release ships, oldest first. Read once: a process is of one release. */
export function shippedMigrations(): Promise<string[]> {
  shipped ??= readdir(MIGRATIONS).then((files) =>
    files
      .filter((file) => file.endsWith('.up.sql'))
      .map((file) => file.slice(0, -'.up.sql'.length))
      .toSorted(),
  );
  return shipped;
}

/** The pairs of plain SQL files in migrations/: NNNN_name.up.sql and NNNN_name.down.sql. */
const sqlFiles: MigrationProvider = {
  async getMigrations() {
    const names = await shippedMigrations();
    return Object.fromEntries(
      names.map((name) => [name, { up: run(`${name}.up.sql`), down: run(`${name}.down.sql`) }]),
    );
  },
};

function run(file: string): Migration['up'] {
  return async (db) => {
    const statements = sql.raw(await readFile(new URL(file, MIGRATIONS), 'utf8'));
    await recordingDefinitions(db, async () => void (await statements.execute(db)));
  };
}

/**
 * Brings the database to the newest migration, all of them in one transaction behind a lock, so that processes which
 * start together do not collide. Answers the names that ran. Throws what the failing file threw.
 */
export function migrateToLatest(db: Database): Promise<string[]> {
  return db.connection().execute(async (session) => {
    // The migrator's own lock is waited for an hour. Whoever has this one gets that at once, and waits for this one no
    // longer than the connection's lock_timeout says. It goes with the connection.
    await sql`select pg_advisory_lock(hashtext('lockstep migrate'))`.execute(session);
    try {
      return applied(await new Migrator({ db: session, provider: sqlFiles }).migrateToLatest());
    } finally {
      await sql`select pg_advisory_unlock(hashtext('lockstep migrate'))`.execute(session).catch(() => {});
    }
  });
}

/** Brings an empty database to a migration of the past, by its name. For tests of upgrades. */
export async function migrateUpTo(db: Database, name: string): Promise<string[]> {
  return applied(await new Migrator({ db, provider: sqlFiles }).migrateTo(name));
}

/** Takes every migration back, newest first. For the test that each pair undoes itself. */
export async function migrateDown(db: Database): Promise<string[]> {
  return applied(await new Migrator({ db, provider: sqlFiles }).migrateTo(NO_MIGRATIONS));
}

function applied({ error, results }: Awaited<ReturnType<Migrator['migrateToLatest']>>): string[] {
  if (error) throw error;
  return (results ?? []).map((result) => result.migrationName);
}
