import type { Database, Tables, Trx } from '@lockstep/platform';
import { sql } from 'kysely';

/** Changes rows in a way that triggers refuse. */
export async function pastTriggers(
  db: Database,
  tables: readonly (keyof Tables)[],
  work: (trx: Trx) => Promise<unknown>,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    for (const table of tables) await sql`alter table ${sql.table(table)} disable trigger user`.execute(trx);
    await work(trx);
    for (const table of tables) await sql`alter table ${sql.table(table)} enable trigger user`.execute(trx);
  });
}

/** Changes batches and chunks in a way that triggers refuse, as another release may have stored them. */
export const pastBatchTriggers = (db: Database, work: (trx: Trx) => Promise<unknown>) =>
  pastTriggers(db, ['batch', 'lane_chunk'], work);

/** Drops the trigger function that a test added to a table, and its triggers. */
export async function dropTriggerFunction(db: Database, table: keyof Tables, name: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    // Locks the table first, like every other session; otherwise PostgreSQL may find a deadlock.
    await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(trx);
    await sql`drop function ${sql.ref(name)} cascade`.execute(trx);
  });
}
