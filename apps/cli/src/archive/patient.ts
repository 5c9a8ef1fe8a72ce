import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, lostAgainstOthers } from '@lockstep/platform';
import { sql } from 'kysely';

/** How long a statement waits for a lock each time, and how long it lets those behind it work then. */
export interface Patience {
  lockTimeoutMs: number;
  tryAgainMs: number;
}

const PATIENCE: Patience = { lockTimeoutMs: 1_000, tryAgainMs: 500 };
const LOOK_AGAIN_MS = 200;

/**
 * Runs a statement that takes a lock which others wait behind. It waits briefly, and tries again until it has it, so nobody
 * waits long for it. `db`: one session.
 */
export async function withPatience(
  db: Database,
  run: () => Promise<void>,
  { lockTimeoutMs, tryAgainMs }: Patience = PATIENCE,
): Promise<void> {
  await sql`select set_config('lock_timeout', ${`${lockTimeoutMs}ms`}, false)`.execute(db);
  try {
    while (!(await hasRun(run))) await sleep(tryAgainMs);
  } finally {
    await sql`reset lock_timeout`.execute(db);
  }
}

async function hasRun(run: () => Promise<void>): Promise<boolean> {
  try {
    await run();
    return true;
  } catch (error) {
    if (lostAgainstOthers(error)) return false;
    throw error;
  }
}

/**
 * Waits until every transaction of this database has ended that runs now: whatever begins later sees what was committed
 * before. Those of PostgreSQL itself, such as a vacuum, do not count.
 */
export async function awaitRunningTransactions(db: Database, say: (line: string) => void): Promise<void> {
  let running = await readRunning(db);
  if (running.size > 0) say(`waiting for transactions to end: ${running.size}`);
  while (running.size > 0) {
    await sleep(LOOK_AGAIN_MS);
    running = running.intersection(await readRunning(db));
  }
}

/** By their locks, which every account may see. */
async function readRunning(db: Database): Promise<Set<string>> {
  const { rows } = await sql<{ virtual_id: string }>`
    select held.virtualxid as virtual_id from pg_locks as held
    join pg_stat_activity as session on session.pid = held.pid
    where held.locktype = 'virtualxid' and held.granted and held.virtualxid = held.virtualtransaction
      and session.datname = current_database() and session.usesysid is not null and session.pid <> pg_backend_pid()`.execute(
    db,
  );
  return new Set(rows.map(({ virtual_id }) => virtual_id));
}
