import { type Database, run, type Statement, type Trx, together } from '@lockstep/platform';
import { sql } from 'kysely';
import { channelOfColumn } from './lanes.ts';

/** The class of advisory locks on lanes: ('lane', n) locks lane n across processes. */
const LANE_LOCK = 0x6c616e65;

/** The class of advisory locks on backlogs: drains of a backlog by worker n hold ('bulk', n). */
const BULK_LOCK = 0x62756c6b;

/** The timeout of statements after a call has locked its lanes. */
const STATEMENT_TIMEOUT_MS = 60_000;

/** SQL: the lanes that this transaction has locked with `lockingLanes` or `tryingLanes`, as int[]. */
export const LOCKED_LANES = `string_to_array(current_setting('lockstep.lanes'), ',')::int[]`;

/**
 * Stores the locked lanes in a setting, so that a statement that reads LOCKED_LANES can be sent together with the one
 * that locks.
 */
const recording = (locked: string) => `
  select set_config('lockstep.lanes', coalesce(string_agg(lane::text, ','), ''), true) as lanes from (${locked}) as locked`;

export interface LockedRow {
  /** Separated by commas. */
  lanes: string;
}

export function readLocked([row]: readonly LockedRow[]): number[] {
  return row!.lanes === '' ? [] : row!.lanes.split(',').map(Number);
}

/**
 * A statement that locks lanes until the commit, lowest first, so that transactions with common lanes wait for each
 * other and don't deadlock.
 */
export function lockingLanes(lanes: readonly number[]): Statement<LockedRow> {
  const sorted = [...lanes].sort((a, b) => a - b);
  return {
    name: 'lock_lanes',
    text: recording(`select lane, pg_advisory_xact_lock(${LANE_LOCK}, lane) from unnest($1::int[]) as lane`),
    values: [sorted],
  };
}

/**
 * A statement that locks those of the lanes that are free, without waiting. `bulkOf`: if this is a drain of a backlog,
 * the number of its worker.
 */
export function tryingLanes(
  lanes: readonly number[],
  { bulkOf }: { bulkOf?: number | undefined } = {},
): Statement<LockedRow> {
  return {
    name: 'try_lanes',
    text: `select lanes, case when $2::int is not null then pg_advisory_xact_lock_shared(${BULK_LOCK}, $2::int) end from (${recording(`
      select lane from unnest($1::int[]) as lane where pg_try_advisory_xact_lock(${LANE_LOCK}, lane)`)}) as locked`,
    values: [lanes, bulkOf ?? null],
  };
}

/**
 * Returns the channels whose backlog this worker leaves to another worker that is draining it and has precedence.
 * Precedence differs by channel, so that backlogs spread over the workers. A worker whose drain has been idle for a
 * second does not count.
 */
export async function readBacklogsElsewhere(db: Database, worker: number): Promise<ReadonlySet<number>> {
  const { rows } = await sql<{ channel: number }>`
    with held as materialized (
      select pid, classid, objid::bigint as number from pg_locks
      where locktype = 'advisory' and granted
        and database = (select oid from pg_database where datname = current_database())
    ), drained as (
      select distinct bulk.number::int as worker, (${sql.raw(channelOfColumn('lane.number'))})::int as channel
      from held as bulk join held as lane using (pid) join pg_stat_activity using (pid)
      where bulk.classid = ${sql.lit(BULK_LOCK)} and lane.classid = ${sql.lit(LANE_LOCK)}
        and (state is distinct from 'idle in transaction' or state_change > clock_timestamp() - interval '1 s')
    )
    select distinct channel from drained
    where hashint4extended(worker, channel) < hashint4extended(${worker}::int, channel)`.execute(db);
  return new Set(rows.map(({ channel }) => channel));
}

/**
 * Locks lanes, lowest first (see lockingLanes). It waits for each lane as long as this connection waits for any lock.
 */
export async function lockLanes(trx: Trx, lanes: readonly number[]): Promise<void> {
  await run(trx, lockingLanes(lanes));
}

/**
 * Locks lanes as lockLanes does, but with one deadline (a time of performance.now) for all of them. After it, throws an
 * overload (isOverload).
 */
export async function lockLanesUntil(trx: Trx, lanes: readonly number[], deadlineMs: number): Promise<void> {
  const leftMs = Math.max(1, Math.ceil(deadlineMs - performance.now()));
  const setting = (timeoutMs: number) => settingTimeout('statement_timeout', timeoutMs);
  await together(trx, [setting(leftMs), lockingLanes(lanes), setting(STATEMENT_TIMEOUT_MS)]);
}

/** How long a transaction waits for each lock while others wait for its turn. */
export const LOCK_WAIT_MS = 200;

/** A statement that sets the timeout of each later statement of its transaction, or of each wait for a lock. */
export const settingTimeout = (name: 'statement_timeout' | 'lock_timeout', timeoutMs: number): Statement<unknown> => ({
  name: 'set_timeout',
  text: 'select set_config($1, $2, true)',
  values: [name, `${timeoutMs}ms`],
});
