import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { type MigrationResultSet, Migrator, type Migration as ProvidedMigration } from 'kysely/migration';
import pg from 'pg';
import type { Database } from '../postgres/database.ts';
import { isUnreachable, lostAgainstOthers } from '../postgres/errors.ts';
import { ReadOnlyServer } from '../postgres/pool.ts';

/** The message for a database that another baseline created: this release can neither use nor migrate it. */
export const OTHER_BASELINE =
  'a pre-1.0.0 version of Lockstep created this database, and this version cannot migrate it: use an empty database (npm start: another DATA_DIR)';

/**
 * How long a migration waits for a lock. Every session that needs the same rows or tables queues behind it, so it gives
 * up soon and retries later.
 */
const LOCK_TIMEOUT_MS = 1_000;
/** How long a migration is retried after its first attempt. */
const PATIENCE_MS = 120_000;
/** The pause between attempts, long enough for the sessions that queued behind the migration. */
const PAUSE_MS = 2_000;

/** A migration failed, or could not get a lock in time. The earlier ones are applied. */
class MigrationFailure extends Error {
  constructor(name: string, cause: unknown) {
    super(`${name} failed`, { cause });
    this.name = 'MigrationFailure';
  }
}

/**
 * Applies the migrations in a directory that a database lacks, each in its own transaction, behind kysely's lock, so
 * that processes that start together do not collide. Changes nothing if another baseline created the database or a
 * later release migrated it. Returns the names of the applied migrations, and calls `onApplied` after each.
 *
 * Throws an Error if another baseline created the database, and a MigrationFailure if a migration fails; calling it
 * again continues from there.
 */
export async function migrateToLatest(
  db: Database,
  directory: URL,
  onApplied: (name: string) => void = () => {},
): Promise<string[]> {
  const migrations = readMigrations(directory);
  const lacking = await findLacking(db, migrations);
  if (lacking === null) throw new Error(OTHER_BASELINE);
  if (lacking.length === 0) return [];
  const settings = `set local lock_timeout = ${LOCK_TIMEOUT_MS}; set local statement_timeout = 0;`;
  const provided = migrations.map(({ name, statements }): [string, ProvidedMigration] => [
    name,
    { up: async (trx) => void (await sql.raw(settings + statements).execute(trx)) },
  ]);
  const migrator = new Migrator({ db, provider: { getMigrations: async () => Object.fromEntries(provided) } });
  const applied: string[] = [];
  let endMs = performance.now() + PATIENCE_MS;
  for (;;) {
    // One at a time: a single transaction would hold the locks of the first migration until the last is done.
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
    onApplied(name);
    endMs = performance.now() + PATIENCE_MS;
  }
}

/** A migration: its name in the database, and its statements. */
interface Migration {
  name: string;
  statements: string;
}

/**
 * Reads the migrations of a directory, oldest first, named after their files. Until 1.0.0 is released, the baseline is
 * edited in place, so its name also contains its digest, which identifies a database of another baseline.
 */
export function readMigrations(directory: URL): Migration[] {
  const files = readdirSync(directory).filter((file) => file.endsWith('.sql'));
  return files.toSorted().map((file, index) => {
    const statements = readFileSync(new URL(file, directory), 'utf8');
    const digest = createHash('sha256').update(statements).digest('hex').slice(0, 12);
    const name = file.slice(0, -'.sql'.length);
    return { name: index === 0 ? `${name}-${digest}` : name, statements };
  });
}

/**
 * Returns the names of the migrations that a database lacks. It may have others, of a later release. Returns null if
 * another baseline created the database.
 */
export async function findLacking(db: Database, migrations: readonly Migration[]): Promise<string[] | null> {
  const applied = await readApplied(db);
  const lacking = migrations.map(({ name }) => name).filter((name) => !applied.includes(name));
  return applied.length > 0 && lacking[0] === migrations[0]!.name ? null : lacking;
}

async function readApplied(db: Database): Promise<string[]> {
  const { rows: tables } = await sql`select where to_regclass('kysely_migration') is not null`.execute(db);
  if (tables.length === 0) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  return rows.map(({ name }) => name);
}

/** Returns a database's address for people: host, port, database and role, never the password. */
function describeDatabase(url: string): string {
  const { hostname, port, pathname, username, searchParams } = new URL(url);
  const host = searchParams.get('host') ?? (hostname || 'localhost');
  const role = decodeURIComponent(username);
  const database = decodeURIComponent(pathname.slice(1)) || role;
  return `PostgreSQL at ${host}:${port || 5432} (database "${database}", role "${role}")`;
}

/** Why PostgreSQL refuses a connection or a statement. Each text continues a sentence that begins with its name. */
const REFUSALS: Record<string, string> = {
  '28P01': 'rejects the password of this role',
  '3D000': 'has no such database',
  '53300': 'has no free connections',
  '55P03': 'timed out waiting for a lock that another session holds; retry when no other session uses it',
  '57014': 'timed out',
};

/**
 * Explains a database error in one line that continues after `PostgreSQL` or describeDatabase; null if the error does
 * not come from the database. It names no host, and quotes at most PostgreSQL's own message.
 */
export function explainDatabaseFault(error: unknown): string | null {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  const [line = ''] = message.split('\n');
  if (error instanceof pg.DatabaseError) {
    if (code in REFUSALS) return REFUSALS[code]!;
    // For the other codes, PostgreSQL's own message is the most specific: a table, a line of pg_hba.conf, a startup in
    // progress.
    if (code === '42501') return `denies this role a required privilege: ${line}`;
    if (code === '42P01' || code === '42703') {
      return `lacks tables of this release (${line}): run npm run migrate`;
    }
    return `reports: ${line}`;
  }
  if (error instanceof ReadOnlyServer) return 'is a read-only standby';
  if (isUnreachable(error)) return `is unreachable (${code})`;
  if (/timeout exceeded when trying to connect|due to connection timeout|^Query read timeout/.test(line)) {
    return 'does not respond in time';
  }
  if (/^Connection terminated|^Client has encountered a connection error/.test(line)) return 'closed the connection';
  if (/client password must be a string/.test(line)) return 'requires a password, but DATABASE_URL has none';
  if (/^The server does not support SSL/.test(line)) return 'does not support TLS, but DATABASE_URL requires it';
  return null;
}

/** Explains in one line why a command on the database failed. */
export function explainFault(error: unknown, databaseUrl: string): string {
  if (error instanceof MigrationFailure) {
    const why = explainFault(error.cause, databaseUrl).replace(/\.$/, '');
    return `${error.message}: ${why}. Completed migrations are kept. Fix this, then run the command again.`;
  }
  const fault = explainDatabaseFault(error);
  if (fault !== null) return `${describeDatabase(databaseUrl)} ${fault}.`;
  return (error instanceof Error ? error.message : String(error)).split('\n')[0]!;
}
