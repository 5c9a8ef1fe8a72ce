import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';
import { readArchives } from './archive-record.ts';
import { batchesOf, ordersOf, partitionOf } from './periods.ts';

/**
 * Says why a period cannot be archived, as a sentence; null if it can. Then nothing of it changes any more: new rows belong
 * to later periods, its batches have ended, and nothing is kept by which one could be opened again.
 */
export async function findObstacle(db: Database, period: number): Promise<string | null> {
  if (!(await isPartitioned(db))) {
    return 'The tables are not in partitions yet: npm run migrate says what is left to do.';
  }
  const current = await findCurrentPeriod(db);
  if (period >= current) {
    return period === current ? `Period ${period} is the current one.` : `Period ${period} has not begun.`;
  }
  const archives = new Map((await readArchives(db)).map((archive) => [archive.number, archive]));
  for (let earlier = 0; earlier < period; earlier++) {
    if (archives.get(earlier)?.step !== 'done') return `Period ${earlier} comes first: it is not archived.`;
  }
  if (!(await isAttached(db, period))) return `Period ${period} has no partition ${partitionOf('batch', period)}.`;
  return await findWhatLasts(db, period);
}

async function isPartitioned(db: Database): Promise<boolean> {
  const { rows } = await sql<{ partitioned: boolean }>`
    select relkind = 'p' as partitioned from pg_class where oid = 'batch'::regclass`.execute(db);
  return rows[0]!.partitioned;
}

/** The period to which new rows belong. */
async function findCurrentPeriod(db: Database): Promise<number> {
  const { rows } = await sql<{ current: number }>`select max(number)::int as current from period`.execute(db);
  return rows[0]!.current;
}

async function isAttached(db: Database, period: number): Promise<boolean> {
  const { rows } = await sql<{ attached: boolean }>`
    select exists (
      select from pg_inherits where inhparent = 'batch'::regclass and inhrelid = to_regclass(${partitionOf('batch', period)})
    ) as attached`.execute(db);
  return rows[0]!.attached;
}

/** Finds what of a period may still change, or is still given out. */
async function findWhatLasts(db: Database, period: number): Promise<string | null> {
  const [batches, orders] = [batchesOf(period), ordersOf(period)];
  const ofBatches = (column: string) =>
    sql`${sql.ref(column)} >= ${batches.from} and ${sql.ref(column)} < ${batches.to}`;
  const { rows } = await sql<{ open: number; failed: boolean; events: boolean }>`
    select
      (select count(*) from batch where completed_time is null and ${ofBatches('id')})::int as open,
      exists (
        select from failed_order where license_order_id >= ${orders.from} and license_order_id < ${orders.to}
      ) as failed,
      exists (select from unnumbered_event where ${ofBatches('batch_id')})
        or exists (select from event where ${ofBatches('batch_id')}) as events`.execute(db);
  const { open, failed, events } = rows[0]!;
  if (open > 0) return `${open} of its batches are not completed.`;
  if (failed) {
    return `What failed orders of period ${period} held is still kept. Workers delete it after FAILED_ORDER_DAYS.`;
  }
  return events ? `Events of period ${period} are still kept. Workers delete them after EVENT_DAYS.` : null;
}
