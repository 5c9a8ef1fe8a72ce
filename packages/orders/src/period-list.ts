import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';
import { type ArchiveRecord, readArchives } from './archive-record.ts';
import { batchesOf, PERIOD_TABLES, partitionOf } from './periods.ts';

/** A period as `lockstep period list` shows it. */
export interface ListedPeriod {
  period: number;
  state: 'current' | 'past' | 'archiving' | 'archived';
  beganTime: Date;
  /** When the next one began; null for the current one. */
  endedTime: Date | null;
  /** About how many batches and outcomes, as PostgreSQL has counted them the last time; null if it has not. */
  batches: number | null;
  orders: number | null;
  /** What its tables take on disk with their indexes; 0 once they are dropped. */
  bytes: number;
  openBatches: number;
  /** Its archive; null if none has begun. */
  archive: ArchiveRecord | null;
}

/** Lists the periods that have begun, oldest first. */
export async function listPeriods(db: Database): Promise<ListedPeriod[]> {
  const { rows: periods } = await sql<{ number: number; began_time: Date }>`
    select number, began_time from period order by number`.execute(db);
  const archives = new Map((await readArchives(db)).map((archive) => [archive.number, archive]));
  const listed: ListedPeriod[] = [];
  for (const [index, { number, began_time }] of periods.entries()) {
    const archive = archives.get(number) ?? null;
    const endedTime = periods[index + 1]?.began_time ?? null;
    const state = archive !== null ? STATES[archive.step] : endedTime === null ? 'current' : 'past';
    listed.push({ period: number, state, beganTime: began_time, endedTime, ...(await measure(db, number)), archive });
  }
  return listed;
}

const STATES = {
  copying: 'archiving',
  detaching: 'archiving',
  writing: 'archiving',
  dropping: 'archiving',
  done: 'archived',
} as const satisfies Record<ArchiveRecord['step'], ListedPeriod['state']>;

type Measures = Pick<ListedPeriod, 'batches' | 'orders' | 'bytes' | 'openBatches'>;

async function measure(db: Database, period: number): Promise<Measures> {
  const { from, to } = batchesOf(period);
  const tables = PERIOD_TABLES.map((table) => partitionOf(table, period));
  const aboutRows = (table: string) => sql`
    (select nullif(reltuples, -1)::float8 from pg_class where oid = to_regclass(${table}))`;
  const { rows } = await sql<Measures>`
    select ${aboutRows(partitionOf('batch', period))} as batches,
      ${aboutRows(partitionOf('license_order', period))} as orders,
      (select count(*) from batch where completed_time is null and id >= ${from} and id < ${to})::int as "openBatches",
      coalesce((
        select sum(pg_total_relation_size(to_regclass(name))) from unnest(${tables}::text[]) as named (name)
      ), 0)::float8 as bytes`.execute(db);
  return rows[0]!;
}
