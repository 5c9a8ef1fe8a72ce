import { readFile } from 'node:fs/promises';
import { type Database, shippedMigrations } from '@lockstep/platform';
import { sql } from 'kysely';

const MIGRATIONS = new URL('../../migrations/', import.meta.url);

/** Runs one side of a migration, and nothing else. */
async function runMigration(db: Database, name: string, side: 'up' | 'down'): Promise<void> {
  await sql.raw(await readFile(new URL(`${name}.${side}.sql`, MIGRATIONS), 'utf8')).execute(db);
}

/**
 * Takes migrations back from a migrated database, as if they had not run: the newest `count` that a release cannot do
 * without, and the contractions behind them.
 * @returns their names, oldest first
 */
export function takeBack(db: Database, count: number): Promise<string[]> {
  const needed = shippedMigrations().filter(({ kind }) => kind !== 'contraction');
  return takeBackFrom(db, needed.at(-count)!.name);
}

/** Takes back the migrations from this one on. */
export async function takeBackFrom(db: Database, first: string): Promise<string[]> {
  const names = shippedMigrations().flatMap(({ name }) => (name >= first ? [name] : []));
  for (const name of names.toReversed()) {
    await runMigration(db, name, 'down');
    await sql`delete from kysely_migration where name = ${name}`.execute(db);
    const { rows } = await sql<{ there: boolean }>`select to_regclass('schema_expansion') is not null as there`.execute(
      db,
    );
    if (rows[0]!.there) await sql`delete from schema_expansion where name = ${name}`.execute(db);
  }
  return names;
}
