import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';

/**
 * Whether a transaction has waited for an advisory lock for so long that it waits to the end: a shared one of sync
 * calls gives its calls back after 100 ms, or a little later on a busy machine, and each of them begins anew.
 */
export async function waitsToTheEnd(db: Database): Promise<boolean> {
  const { rows } = await sql`
    select from pg_locks join pg_stat_activity using (pid)
    where not granted and locktype = 'advisory' and datname = current_database()
      and waitstart < clock_timestamp() - interval '500 milliseconds'`.execute(db);
  return rows.length > 0;
}

/** Transactions in a database that wait for a lock, of these types where they are given. */
export async function countWaiting(db: Database, ...lockTypes: string[]): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`
    select count(*)::int as waiting from pg_locks join pg_stat_activity using (pid)
    where not granted and (${lockTypes.length === 0} or locktype = any (${lockTypes}))
      and datname = current_database()`.execute(db);
  return rows[0]!.waiting;
}
