import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';
import { expect } from 'vitest';

/** The types of locks for which transactions wait that want a row that another one has locked. */
const ROW_LOCKS = ['transactionid', 'tuple'];

/** Returns how many transactions of a database wait for a row. */
export const countWaitingForRows = (db: Database) => countWaiting(db, ...ROW_LOCKS);

/**
 * Whether a transaction has waited for a row or for the test so long that it will wait to the end. Sync calls that
 * share a transaction give up after 100 ms or a little more on a busy machine, and start again one by one.
 */
export async function waitsToTheEnd(db: Database): Promise<boolean> {
  const { rows } = await sql`
    select from pg_locks join pg_stat_activity using (pid)
    where not granted and locktype = any (${['advisory', ...ROW_LOCKS]}) and datname = current_database()
      and waitstart < clock_timestamp() - interval '500 milliseconds'`.execute(db);
  return rows.length > 0;
}

/** Returns how many transactions of a database wait for a lock, of these types if given. */
export async function countWaiting(db: Database, ...lockTypes: string[]): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`
    select count(*)::int as waiting from pg_locks join pg_stat_activity using (pid)
    where not granted and (${lockTypes.length === 0} or locktype = any (${lockTypes}))
      and datname = current_database()`.execute(db);
  return rows[0]!.waiting;
}

/** Waits until PostgreSQL has ended all sessions of killed processes, by their names, such as `lockstep-%`. */
export async function untilDisconnected(db: Database, name: string): Promise<void> {
  const sessions = sql`select from pg_stat_activity where application_name like ${name} and datname = current_database()`;
  await expect.poll(async () => (await sessions.execute(db)).rows).toEqual([]);
}

/** Waits until the service has received a call, which uses up its nonce. */
export async function untilReceived(db: Database, nonce: string): Promise<void> {
  const used = () => db.selectFrom('nonce').select('nonce').where('nonce', '=', nonce).execute();
  await expect.poll(used).toHaveLength(1);
}

/** Resolves when `work` is done or `count` transactions wait for a lock. Returns which. */
export async function untilDoneOrWaiting(db: Database, work: Promise<unknown>, count: number) {
  let isDone = false;
  const note = () => {
    isDone = true;
  };
  work.then(note, note);
  while (!isDone) {
    if ((await countWaiting(db)) >= count) return 'waiting';
  }
  return 'done';
}
