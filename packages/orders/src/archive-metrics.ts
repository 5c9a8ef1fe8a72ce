import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';
import { Gauge, type Registry } from 'prom-client';
import { PERIOD_TABLES } from './periods.ts';

interface Measured {
  /** Bytes on disk of the partitions of each period that is attached. */
  periods: { number: number; bytes: number }[];
  archived: number;
  unfinished: { number: number; step: string; idle_seconds: number }[];
  /** Locks that sessions hold in PostgreSQL's table of locks, of those for which it has room in any case. */
  locksRatio: number;
}

/** How long one reading is good for: sizes of hundreds of partitions are as many looks at files. */
const GOOD_FOR_MS = 30_000;

/** Adds the gauges of periods and their archives, for a process that serves its metrics. If it cannot read, they are absent. */
export function registerArchiveGauges(registry: Registry, db: Database): void {
  const read = rememberFor(GOOD_FOR_MS, () => measure(db).catch(() => undefined));
  const registers = [registry];
  new Gauge({
    name: 'lockstep_period_bytes',
    help: 'Disk that the tables of a period take with their indexes, as long as they are attached',
    labelNames: ['period'],
    registers,
    async collect() {
      const measured = await read();
      this.reset();
      for (const { number, bytes } of measured?.periods ?? []) this.set({ period: number }, bytes);
    },
  });
  new Gauge({
    name: 'lockstep_periods_archived',
    help: 'Periods that are archived, and whose tables are dropped',
    registers,
    async collect() {
      const measured = await read();
      if (measured === undefined) this.remove();
      else this.set(measured.archived);
    },
  });
  new Gauge({
    name: 'lockstep_archive_unfinished_seconds',
    help: 'How long an archive that has begun and is not done has done nothing, by period and step',
    labelNames: ['period', 'step'],
    registers,
    async collect() {
      const measured = await read();
      this.reset();
      for (const { number, step, idle_seconds } of measured?.unfinished ?? []) {
        this.set({ period: number, step }, idle_seconds);
      }
    },
  });
  new Gauge({
    name: 'lockstep_database_locks_ratio',
    help: 'How full the table of locks of PostgreSQL was, to which each period that is not archived adds',
    registers,
    async collect() {
      const measured = await read();
      if (measured === undefined) this.remove();
      else this.set(measured.locksRatio);
    },
  });
}

/** Remembers what was read for a while, and reads once for all who ask at the same time. */
function rememberFor<Read>(goodForMs: number, read: () => Promise<Read>): () => Promise<Read> {
  let remembered: { until: number; reading: Promise<Read> } | undefined;
  return () => {
    const now = performance.now();
    if (remembered === undefined || now > remembered.until) remembered = { until: now + goodForMs, reading: read() };
    return remembered.reading;
  };
}

async function measure(db: Database): Promise<Measured> {
  const { rows: periods } = await sql<Measured['periods'][number]>`
    select number, sum(bytes)::float8 as bytes from (
      select substring(child.relname from '_p(\\d+)$')::int as number, pg_total_relation_size(child.oid) as bytes
      from pg_inherits join pg_class as child on child.oid = inhrelid
      where inhparent = any (${[...PERIOD_TABLES]}::regclass[]) and not inhdetachpending
    ) as partition where number is not null group by number order by number`.execute(db);
  const { rows: archives } = await sql<{ number: number; step: string; idle_seconds: number }>`
    select number, step, greatest(0, extract(epoch from statement_timestamp() - changed_time))::float8 as idle_seconds
    from period_archive order by number`.execute(db);
  const unfinished = archives.filter(({ step }) => step !== 'done');
  return {
    ...{ periods, archived: archives.length - unfinished.length, unfinished },
    locksRatio: await measureLocks(db),
  };
}

/** Sessions keep some locks for themselves, on what they only read and write rows of; these need no room in the table. */
async function measureLocks(db: Database): Promise<number> {
  const { rows } = await sql<{ ratio: number }>`
    select count(*) / (current_setting('max_locks_per_transaction')::float8 *
      (current_setting('max_connections')::int + current_setting('max_prepared_transactions')::int)) as ratio
    from pg_locks where not fastpath`.execute(db);
  return rows[0]!.ratio;
}
