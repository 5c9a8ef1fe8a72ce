import { rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';
import pg from 'pg';
import { inject } from 'vitest';
import { createTestDatabase } from '../stack.ts';

/**
 * Fills the disk for an empty table: its file becomes a device on which every write fails with a full disk, while reads
 * work. Returns a function that frees the space.
 */
export async function fillDisk(db: Database, table: string): Promise<() => Promise<void>> {
  const { rows } = await sql<{ path: string }>`select pg_relation_filepath(${table}) as path`.execute(db);
  const file = join(inject('directory'), 'postgres', 'cluster', rows[0]!.path);
  // Dropping a database makes a checkpoint. If a later checkpoint had to flush earlier writes to the device, PostgreSQL
  // would crash.
  await (await createTestDatabase({ migrated: false })).close();
  await rm(file);
  await symlink('/dev/full', file);
  await endSessions(db);
  return async () => {
    // Gives the table a new file.
    await sql`vacuum full ${sql.table(table)}`.execute(db);
  };
}

/** Makes a database read-only, or writable again, for all of its sessions. */
export async function setReadOnly(db: Database, isReadOnly: boolean): Promise<void> {
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db);
  const client = new pg.Client({ connectionString: inject('postgresUrl') });
  await client.connect();
  await client.query(`alter database ${rows[0]!.name} set default_transaction_read_only = ${isReadOnly}`);
  await client.end();
  await endSessions(db);
}

/** Ends all other sessions of the database, because the setting applies to new ones only. */
async function endSessions(db: Database): Promise<void> {
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`.execute(db);
}
