import type { BatchId } from '@lockstep/contract';
import { type Database, run, type Statement } from '@lockstep/platform';
import { sql } from 'kysely';
import { isPaused } from '../applying/pending.ts';
import { channelOfColumn } from '../lanes.ts';

export interface OldestPending {
  lane: number;
  batchId: bigint;
}

/**
 * The oldest pending batches of the lanes above `afterLane`, up to `throughLane`. Lanes without pending orders are
 * absent.
 */
export interface OldestInLanes {
  oldest: OldestPending[];
  afterLane: number;
  throughLane: number;
}

/**
 * Remembers which batch the sweep has seen as the oldest of each lane, and since when. Uses performance.now (`nowMs`)
 * because the database's clock may jump.
 */
export class Sightings {
  readonly #staleAfterMs: number;
  readonly #seen = new Map<number, { batchId: bigint; sinceMs: number }>();

  constructor(staleAfterMs: number) {
    this.#staleAfterMs = staleAfterMs;
  }

  /**
   * Returns the batches that have been the oldest of their lane for too long, and restarts their time. Lanes outside
   * the range are unaffected.
   */
  findStale({ oldest, afterLane, throughLane }: OldestInLanes, nowMs: number): OldestPending[] {
    const before = new Map(this.#seen);
    for (const lane of before.keys()) if (lane > afterLane && lane <= throughLane) this.#seen.delete(lane);
    const stale: OldestPending[] = [];
    for (const pending of oldest) {
      const { lane, batchId } = pending;
      const seen = before.get(lane);
      const sinceMs = seen?.batchId === batchId ? seen.sinceMs : nowMs;
      if (nowMs - sinceMs >= this.#staleAfterMs) stale.push(pending);
      else this.#seen.set(lane, { batchId, sinceMs });
    }
    return stale;
  }
}

const LANES_AT_ONCE = 2_000;

/**
 * Reads the oldest pending batch of each of the next lanes, except held orders and paused channels. Lanes without
 * pending orders cost nothing.
 */
export async function readOldestPending(db: Database, afterLane: number): Promise<OldestInLanes> {
  const { rows } = await sql<{ lane: number; batch_id: BatchId; is_paused: boolean }>`
    with recursive oldest as (
      (
        select lane, batch_id from lane_chunk where finished_time is null and not is_held and lane > ${afterLane}
        order by lane, batch_id limit 1
      ) union all
      select next.* from oldest cross join lateral (
        select lane, batch_id from lane_chunk
        where finished_time is null and not is_held and lane_chunk.lane > oldest.lane
        order by lane, batch_id limit 1
      ) as next
    )
    select lane, batch_id, ${sql.raw(isPaused('lane'))} as is_paused from oldest limit ${LANES_AT_ONCE}`.execute(db);
  const oldest = rows.filter((row) => !row.is_paused).map((row) => ({ lane: row.lane, batchId: BigInt(row.batch_id) }));
  const throughLane = rows.length < LANES_AT_ONCE ? Number.POSITIVE_INFINITY : rows.at(-1)!.lane;
  return { oldest, afterLane, throughLane };
}

/**
 * A statement that returns the newest batch with pending orders in each lane, except held orders. Lanes without any are
 * absent.
 */
export const findingNewestByLane = (lanes: readonly number[]): Statement<{ lane: number; batch_id: BatchId }> => ({
  name: 'find_newest_by_lane',
  text: `
    select lane, batch_id from unnest((select $1::int[])) as wanted (lane) cross join lateral (
      select batch_id from lane_chunk
      where lane_chunk.lane = wanted.lane and finished_time is null and not is_held
      order by batch_id desc limit 1
    ) as newest`,
  values: [lanes],
});

interface LaneBehind {
  lane: number;
  paused_code: string | null;
}

/** Returns those of the lanes that have pending orders of the batch or of earlier ones, except held orders. */
export const findPendingThrough = (db: Database, lanes: readonly number[], batchId: bigint): Promise<LaneBehind[]> =>
  run(db, {
    name: 'find_pending_through',
    text: `
      select lane, (
        select code from channel where channel.id = ${channelOfColumn()} and paused_time is not null
      ) as paused_code
      from unnest((select $1::int[])) as wanted (lane) cross join lateral (
        select batch_id from lane_chunk
        where lane_chunk.lane = wanted.lane and finished_time is null and not is_held
        order by batch_id limit 1
      ) as oldest where batch_id <= $2::bigint`,
    values: [lanes, batchId],
  });
