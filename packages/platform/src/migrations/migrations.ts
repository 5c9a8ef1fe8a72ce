import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { sql } from 'kysely';
import type { Database } from '../postgres/database.ts';

/** A migration: what it is called in the database, and its statements. */
interface Migration {
  name: string;
  statements: string;
}

/** What a release knows of its schema, and what it tells people of it. */
export interface Release {
  /** The directory of its migrations. */
  migrations: URL;
  /** What brings a database up to date, behind `run`. */
  migrateCommand: string;
  /** What says where the database is. */
  urlVariable: string;
  /** Says that another baseline made a database: this release can neither use nor migrate it. */
  otherBaseline: string;
}

/**
 * Reads the migrations of a directory, oldest first. Each is called after its file. Until
 * 1.0.0 the baseline is edited in place, so its name has its digest too: by it, a database of another baseline is
 * known.
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
 * Finds the names of the migrations that have not run on a database. Others, of a later release, may have run.
 * @returns null if another baseline made the database
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
