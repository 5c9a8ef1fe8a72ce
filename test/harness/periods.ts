import { PERIOD_TABLES, partitionOf } from '@lockstep/orders';
import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';
import { expect, vi } from 'vitest';
import { COMMAND } from './command-line.ts';
import { type Ended, type Job, newDataDir, startJob } from './processes.ts';

/** Begins the next period, as a worker does in a new month. */
export async function beginNextPeriod(db: Database): Promise<void> {
  await sql`select begin_period((select max(number) from period))`.execute(db);
}

/** Deletes what is kept for days only, as the clean-up does when they are over; events that have no place yet get theirs first. */
export async function passKeptDays(db: Database): Promise<void> {
  await vi.waitFor(
    async () => {
      const { rows } = await sql`select from unnumbered_event`.execute(db);
      expect(rows).toEqual([]);
    },
    { timeout: 30_000 },
  );
  await sql`delete from event`.execute(db);
  await sql`delete from failed_order`.execute(db);
}

/** Starts `lockstep period …` on a database. */
export function startPeriodCommand(url: string, ...words: string[]): Job {
  return startJob([...COMMAND, 'period', ...words], { DATABASE_URL: url, DATA_DIR: newDataDir() });
}

/** Runs `lockstep period …` on a database to its end. */
export function runPeriodCommand(url: string, ...words: string[]): Promise<Ended> {
  return startPeriodCommand(url, ...words).ended;
}

/** The tables of a period that are there, attached or not. */
export async function tablesOf(db: Database, period: number): Promise<string[]> {
  const { rows } = await sql<{ relname: string }>`
    select relname from pg_class
    where relname = any (${PERIOD_TABLES.map((table) => partitionOf(table, period))}::text[])
      and relnamespace = 'public'::regnamespace order by 1`.execute(db);
  return rows.map(({ relname }) => relname);
}
