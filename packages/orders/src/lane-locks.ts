import { type Database, run, type Statement, type Trx, together } from '@lockstep/platform';
import { sql } from 'kysely';
import { channelOfColumn } from './lanes.ts';

/** The advisory lock class of lanes: ('lane', n) locks lane n among all processes. */
const LANE_LOCK = 0x6c616e65;

/** The class of the locks that say whose drains of a backlog these are: ('bulk', n) is held by drains of worker n. */
const BULK_LOCK = 0x62756c6b;

/** How long a statement of a call that waited for lanes may take once it has them. */
const STATEMENT_TIMEOUT_MS = 60_000;

/** SQL: the lanes that this transaction has locked by `lockingLanes` or `tryingLanes`, as int[]. */
export const LOCKED_LANES = `string_to_array(current_setting('lockstep.lanes'), ',')::int[]`;

/** For the statement that locks: LOCKED_LANES takes them from there, so that what reads them can be sent with it. */
const noted = (locked: string) => `
  select set_config('lockstep.lanes', coalesce(string_agg(lane::text, ','), ''), true) as lanes from (${locked}) as locked`;

export interface LockedRow {
  /** With commas between them. */
  lanes: string;
}

/** Reads which lanes a statement of `lockingLanes` or `tryingLanes` has locked. */
export function readLocked([row]: readonly LockedRow[]): number[] {
  return row!.lanes === '' ? [] : row!.lanes.split(',').map(Number);
}

/**
 * A statement that locks lanes, lowest first, so that transactions which share lanes wait rather than deadlock. They
 * are held until the commit.
 */
export function lockingLanes(lanes: readonly number[]): Statement<LockedRow> {
  const sorted = [...lanes].sort((a, b) => a - b);
  return {
    name: 'lock_lanes',
    text: noted(`select lane, pg_advisory_xact_lock(${LANE_LOCK}, lane) from unnest($1::int[]) as lane`),
    values: [sorted],
  };
}

/**
 * A statement that locks those of the lanes that nobody has locked, and waits for none. `bulkOf`: the worker whose
 * drain of a backlog it is.
 */
export function tryingLanes(
  lanes: readonly number[],
  { bulkOf }: { bulkOf?: number | undefined } = {},
): Statement<LockedRow> {
  return {
    name: 'try_lanes',
    text: `select lanes, case when $2::int is not null then pg_advisory_xact_lock_shared(${BULK_LOCK}, $2::int) end from (${noted(`
      select lane from unnest($1::int[]) as lane where pg_try_advisory_xact_lock(${LANE_LOCK}, lane)`)}) as locked`,
    values: [lanes, bulkOf ?? null],
  };
}

/**
 * Reads which channels have a backlog that this worker leaves to another one: one that drains it now, and has
 * precedence. For each channel another worker may have it, so that the backlogs of several channels spread over the
 * workers. A worker whose drain has done nothing for a second does not count.
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

/** Locks lanes, lowest first; see lockingLanes. It waits for each lane as long as for any lock of this connection. */
export async function lockLanes(trx: Trx, lanes: readonly number[]): Promise<void> {
  await run(trx, lockingLanes(lanes));
}

/**
 * Locks lanes as lockLanes does, and waits for all of them until a time of performance.now. Then it throws what
 * isOverload knows. Without this, each lane would be waited for anew.
 */
export async function lockLanesUntil(trx: Trx, lanes: readonly number[], deadlineMs: number): Promise<void> {
  const leftMs = Math.max(1, Math.ceil(deadlineMs - performance.now()));
  const setting = (timeoutMs: number) => settingTimeout('statement_timeout', timeoutMs);
  await together(trx, [setting(leftMs), lockingLanes(lanes), setting(STATEMENT_TIMEOUT_MS)]);
}

/** How long a transaction waits for each lock while others wait for its turn. */
export const LOCK_WAIT_MS = 200;

/** A statement that sets how long each later statement of its transaction may take, or wait for each lock. */
export const settingTimeout = (name: 'statement_timeout' | 'lock_timeout', timeoutMs: number): Statement<unknown> => ({
  name: 'set_timeout',
  text: 'select set_config($1, $2, true)',
  values: [name, `${timeoutMs}ms`],
});
