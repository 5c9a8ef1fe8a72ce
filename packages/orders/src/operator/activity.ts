import type { OrderCounts } from '@lockstep/contract/console';
import type { Database } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import { PERIOD_SECONDS, startOfPeriod } from '../channels/count-activity.ts';

// What operators see of activity: what workers have added up, and what they have not come to yet.

/** Notes that a reading takes at most, the newest: those of some ten seconds while workers add up. */
const MAX_NOTES = 10_000;

/** How much time a reading covers, and in which pieces. */
export interface ActivitySpan {
  seconds: number;
  pieceSeconds: number;
}

/** What was done in a piece of time that began at `startTime`, in milliseconds. */
interface ActivityPiece extends OrderCounts {
  startTime: number;
}

/** What orders were accepted, and what became of orders. */
export interface Activity {
  /** When the database was asked, by its clock, in milliseconds. */
  time: number;
  /** The pieces of the span without gaps, the oldest first. The last one is not over. */
  pieces: ActivityPiece[];
  /** What was done in the last 10 to 20 seconds. */
  now: OrderCounts & { seconds: number };
}

interface PieceRow {
  piece: number;
  accepted: number;
  succeeded: number;
  failed: number;
}

/**
 * Reads what was done in a span of time up to now. What it reads is bounded by the length of the span, not by what was
 * done; each order is seen once, because it is one statement.
 */
export async function readActivity(db: Database, { seconds, pieceSeconds }: ActivitySpan): Promise<Activity> {
  const { rows } = await sql<PieceRow & { time: number; is_recent: boolean }>`
    with clock as (select statement_timestamp() as at),
    span as (
      select at, ${startOfPeriod(pieceSeconds, 'at')} as last_piece, ${startOfPeriod(PERIOD_SECONDS, 'at')} as last_period
      from clock
    ), done as (
      select period_start as time, accepted, succeeded, failed from order_activity
      where period_start >= (select last_piece from span) - make_interval(secs => ${seconds - pieceSeconds}::int)
      union all ${newestNotes(sql`noted_time, accepted, succeeded, failed`)}
    ), counted as (
      select ${startOfPeriod(pieceSeconds, 'time')} as piece,
        time >= last_period - make_interval(secs => ${PERIOD_SECONDS}::int) as is_recent,
        sum(accepted) as accepted, sum(succeeded) as succeeded, sum(failed) as failed
      from done cross join span group by piece, is_recent
    )
    select (extract(epoch from at) * 1000)::float8 as time, (extract(epoch from piece) * 1000)::float8 as piece,
      coalesce(is_recent, false) as is_recent, coalesce(accepted, 0)::float8 as accepted,
      coalesce(succeeded, 0)::float8 as succeeded, coalesce(failed, 0)::float8 as failed
    from span left join counted on true`.execute(db);
  const { time } = rows[0]!;
  const startMs = Math.floor(time / 1_000 / PERIOD_SECONDS) * PERIOD_SECONDS * 1_000 - PERIOD_SECONDS * 1_000;
  const recent = addUp(rows.filter((row) => row.is_recent));
  return {
    time: Math.floor(time),
    pieces: fillGaps(rows, time, { seconds, pieceSeconds }),
    now: { ...recent, seconds: (time - startMs) / 1_000 },
  };
}

/** Returns why orders failed in the last seconds, the most frequent cause first. */
export async function readFailureCauses(db: Database, seconds: number) {
  const { rows } = await sql<{ cause: string; failed: number; lastTime: number }>`
    with failures as (
      select minute_start as time, cause, failed from failure_activity
      where minute_start >= statement_timestamp() - make_interval(secs => ${seconds}::int)
      union all
      select noted_time, cause, orders::int
      from (${newestNotes(sql`noted_time, causes`)}) as noted
        cross join jsonb_each_text(causes) as listed (cause, orders)
      where noted_time >= statement_timestamp() - make_interval(secs => ${seconds}::int)
    )
    select cause, sum(failed)::float8 as failed, floor(extract(epoch from max(time)) * 1000)::float8 as "lastTime"
    from failures group by cause order by failed desc, cause`.execute(db);
  return rows;
}

const newestNotes = (columns: RawBuilder<unknown>) =>
  sql`(select ${columns} from uncounted_activity order by id desc limit ${sql.lit(MAX_NOTES)})`;

function fillGaps(rows: readonly PieceRow[], time: number, { seconds, pieceSeconds }: ActivitySpan): ActivityPiece[] {
  const byStart = Map.groupBy(rows, ({ piece }) => piece);
  const pieceMs = pieceSeconds * 1_000;
  const count = Math.ceil(seconds / pieceSeconds);
  const firstMs = (Math.floor(time / pieceMs) - count + 1) * pieceMs;
  return Array.from({ length: count }, (_, place) => {
    const startTime = firstMs + place * pieceMs;
    return { startTime, ...addUp(byStart.get(startTime) ?? []) };
  });
}

function addUp(rows: readonly OrderCounts[]): OrderCounts {
  const sum = { accepted: 0, succeeded: 0, failed: 0 };
  for (const { accepted, succeeded, failed } of rows) {
    sum.accepted += accepted;
    sum.succeeded += succeeded;
    sum.failed += failed;
  }
  return sum;
}
