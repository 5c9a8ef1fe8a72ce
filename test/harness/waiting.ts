import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';

/** Transactions in a database that wait for a lock, of these types where they are given. */
export async function countWaiting(db: Database, ...lockTypes: string[]): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`
    select count(*)::int as waiting from pg_locks join pg_stat_activity using (pid)
    where not granted and (${lockTypes.length === 0} or locktype = any (${lockTypes}))
      and datname = current_database()`.execute(db);
  return rows[0]!.waiting;
}
