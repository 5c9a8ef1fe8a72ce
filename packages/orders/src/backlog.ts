import type { Backlog, Database } from '@lockstep/platform';
import { sql } from 'kysely';

/** How many orders are pending in each lane, and how old the oldest is. */
export async function readBacklog(db: Database): Promise<Backlog> {
  const { rows } = await sql<{ lane: number; pending: number; age_seconds: number }>`
    select lane, sum(order_count)::int as pending,
      extract(epoch from clock_timestamp() - min(accepted_time))::float8 as age_seconds
    from lane_chunk where finished_time is null group by lane order by lane`.execute(db);
  return {
    lanes: rows.map((row) => ({ lane: row.lane, pendingOrders: row.pending })),
    oldestPendingSeconds: Math.max(0, ...rows.map((row) => row.age_seconds)),
  };
}

/** Lanes with orders that have been pending for longer than `olderThanMs`. */
export async function findStaleLanes(db: Database, olderThanMs: number): Promise<{ lanes: number[]; newest: string }> {
  const { rows } = await sql<{ lane: number; newest: string }>`
    select lane, max(batch_id) as newest from lane_chunk
    where finished_time is null and accepted_time < clock_timestamp() - make_interval(secs => ${olderThanMs / 1_000})
    group by lane`.execute(db);
  const newest = rows.reduce((max, row) => (BigInt(row.newest) > max ? BigInt(row.newest) : max), 0n);
  return { lanes: rows.map((row) => row.lane), newest: String(newest) };
}
