import { PERIOD_TABLES, type PeriodTable, partitionOf } from '@lockstep/orders';
import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';
import { isThere, readAttachment } from './archived-tables.ts';
import { type Patience, withPatience } from './patient.ts';

/**
 * Detaches the partitions of a period, while the service works. What an earlier try has begun is finished. `db`: one
 * session without a transaction.
 */
export async function detachPeriod(db: Database, period: number, say: (line: string) => void): Promise<void> {
  for (const table of PERIOD_TABLES) {
    if ((await readAttachment(db, table, period)) === 'detached') continue;
    say(`detaching ${partitionOf(table, period)}`);
    // A try that had to give way may have left the partition on its way out.
    await withPatience(db, () => detach(db, table, period));
  }
}

async function detach(db: Database, table: PeriodTable, period: number): Promise<void> {
  const attachment = await readAttachment(db, table, period);
  if (attachment === 'detached') return;
  const how = attachment === 'pending' ? sql`finalize` : sql`concurrently`;
  const partition = sql.table(partitionOf(table, period));
  await sql`alter table ${sql.table(table)} detach partition ${partition} ${how}`.execute(db);
}

/**
 * What every call needs is locked while a table is dropped, and all of them wait behind that. A backup or a report may be in
 * its way for hours: so it takes a twentieth of the time at most.
 */
const DROPS: Patience = { lockTimeoutMs: 100, tryAgainMs: 2_000 };

/**
 * Drops the detached tables of a period. Throws an Error if one of them is attached.
 *
 * A table with foreign keys cannot be dropped without a moment in which nobody uses the tables that it points to.
 */
export async function dropPeriod(db: Database, period: number, say: (line: string) => void): Promise<void> {
  for (const table of PERIOD_TABLES) {
    if (!(await isThere(db, table, period))) continue;
    if ((await readAttachment(db, table, period)) !== 'detached') {
      throw new Error(`${partitionOf(table, period)} is attached to ${table} again. It is not dropped.`);
    }
    say(`dropping ${partitionOf(table, period)}`);
    const drop = async () =>
      void (await sql`drop table if exists ${sql.table(partitionOf(table, period))}`.execute(db));
    await withPatience(db, drop, DROPS);
  }
}
