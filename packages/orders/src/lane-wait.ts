import type { Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { lockLanes } from './lane-chunks.ts';

/** What a statement of a call that waits for lanes may take once it has them. */
const STATEMENT_TIMEOUT_MS = 60_000;

/**
 * Waits for all of some lanes until a time of performance.now, as lockLanes does. What gives up then throws what
 * isOverload knows: without this, each lane would be waited for anew.
 */
export async function lockLanesUntil(trx: Trx, lanes: readonly number[], deadlineMs: number): Promise<void> {
  await setStatementTimeout(trx, Math.max(1, Math.ceil(deadlineMs - performance.now())));
  await lockLanes(trx, lanes);
  await setStatementTimeout(trx, STATEMENT_TIMEOUT_MS);
}

async function setStatementTimeout(trx: Trx, timeoutMs: number): Promise<void> {
  await sql`select set_config('statement_timeout', ${`${timeoutMs}ms`}, true)`.execute(trx);
}
