import type { Trx } from '@lockstep/platform';
import { sql } from 'kysely';

/** The advisory lock class of lanes: ('lane', n) locks lane n among all processes. */
const LANE_LOCK = 0x6c616e65;

/** How long a statement of a call that waited for lanes may take once it has them. */
const STATEMENT_TIMEOUT_MS = 60_000;

/**
 * Locks lanes, lowest first, so that drains which share lanes wait rather than deadlock. Held until the commit.
 *
 * It waits for each lane up to `timeoutMs`, without it as long as for any lock of this connection. Then it throws
 * PostgreSQL's lock_not_available.
 */
export async function lockLanes(trx: Trx, lanes: readonly number[], timeoutMs?: number): Promise<void> {
  const sorted = [...lanes].sort((a, b) => a - b);
  const lock = sql`select pg_advisory_xact_lock(${LANE_LOCK}::int, lane) from unnest(${sorted}::int[]) as lane`;
  if (timeoutMs === undefined) return void (await lock.execute(trx));
  await sql`select set_config('lock_timeout', ${String(timeoutMs)}, true)`.execute(trx);
  await lock.execute(trx);
  await sql`set local lock_timeout to default`.execute(trx);
}

/**
 * Locks lanes as lockLanes does, and waits for all of them until a time of performance.now. Then it throws what isOverload
 * knows. Without this, each lane would be waited for anew.
 */
export async function lockLanesUntil(trx: Trx, lanes: readonly number[], deadlineMs: number): Promise<void> {
  await setStatementTimeout(trx, Math.max(1, Math.ceil(deadlineMs - performance.now())));
  await lockLanes(trx, lanes);
  await setStatementTimeout(trx, STATEMENT_TIMEOUT_MS);
}

async function setStatementTimeout(trx: Trx, timeoutMs: number): Promise<void> {
  await sql`select set_config('statement_timeout', ${`${timeoutMs}ms`}, true)`.execute(trx);
}
