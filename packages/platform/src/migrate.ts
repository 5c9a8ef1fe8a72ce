import { readdir, readFile } from 'node:fs/promises';
import { type Kysely, sql } from 'kysely';
import { type Migration, type MigrationProvider, Migrator, NO_MIGRATIONS } from 'kysely/migration';
import type { Database } from './database.ts';
import { recordDefinitions } from './schema-drift.ts';

const MIGRATIONS = new URL('../../../migrations/', import.meta.url);
/** The functions of triggers as they are now, one a file. */
const FUNCTIONS = new URL('functions/', MIGRATIONS);

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

/**
 * The pairs of plain SQL files in migrations/: NNNN_name.up.sql and NNNN_name.down.sql. The functions belong to the newest
 * one: they are applied after it, all of them, in the transaction of the migrations.
 */
const sqlFiles: MigrationProvider = {
  async getMigrations() {
    const names = await shippedMigrations();
    const migrations = names.map((name): [string, Migration] => [
      name,
      {
        async up(db) {
          await runFile(db, `${name}.up.sql`);
          if (name === names.at(-1)) await applyFunctions(db);
        },
        down: (db) => runFile(db, `${name}.down.sql`),
      },
    ]);
    return Object.fromEntries(migrations);
  },
};

async function runFile(db: Kysely<unknown>, file: string): Promise<void> {
  await run(db, await readFile(new URL(file, MIGRATIONS), 'utf8'));
}

async function applyFunctions(db: Kysely<unknown>): Promise<void> {
  const files = (await readdir(FUNCTIONS)).toSorted();
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, FUNCTIONS), 'utf8')));
  await run(db, texts.join('\n'));
}

/** Runs SQL statements and records what they changed in the schema. */
function run(db: Kysely<unknown>, statements: string): Promise<void> {
  return recordDefinitions(db, async () => void (await sql.raw(statements).execute(db)));
}

/**
 * Brings the database to the newest migration and its functions to those of this release, all in one transaction behind
 * a lock, so that processes that start together do not collide.
 * @returns the names of the migrations that ran
 * @throws what the failing file threw; nothing has changed then
 */
export function migrateToLatest(db: Database): Promise<string[]> {
  return db.connection().execute(async (session) => {
    // The migrator waits an hour for its own lock. Whoever has this one gets that at once, and waits for this one no
    // longer than the connection's lock_timeout says. The lock ends with the connection.
    await sql`select pg_advisory_lock(hashtext('lockstep migrate'))`.execute(session);
    try {
      return migratedNames(await new Migrator({ db: session, provider: sqlFiles }).migrateToLatest());
    } finally {
      await sql`select pg_advisory_unlock(hashtext('lockstep migrate'))`.execute(session).catch(() => {});
    }
  });
}

/** Brings an empty database to a migration of the past, by its name, and to the functions of that time. For tests of upgrades. */
export async function migrateUpTo(db: Database, name: string): Promise<string[]> {
  return migratedNames(await new Migrator({ db, provider: sqlFiles }).migrateTo(name));
}

/** Takes every migration back, newest first. For the test that each pair undoes itself. */
export async function migrateDown(db: Database): Promise<string[]> {
  return migratedNames(await new Migrator({ db, provider: sqlFiles }).migrateTo(NO_MIGRATIONS));
}

function migratedNames({ error, results }: Awaited<ReturnType<Migrator['migrateToLatest']>>): string[] {
  if (error) throw error;
  return (results ?? []).map((result) => result.migrationName);
}
