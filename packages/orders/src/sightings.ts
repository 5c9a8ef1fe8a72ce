/** The oldest pending batch of a lane. */
export interface OldestPending {
  lane: number;
  batchId: bigint;
}

/**
 * The oldest pending batches of the lanes above `afterLane`, up to `throughLane`. A lane where nothing is pending is
 * absent.
 */
export interface OldestInLanes {
  oldest: OldestPending[];
  afterLane: number;
  throughLane: number;
}

/**
 * What the sweep has seen as the oldest of each lane, and since when. It does not use the times in the database, whose
 * clock may have jumped since. `nowMs` is a time of performance.now.
 */
export class Sightings {
  readonly #staleAfterMs: number;
  readonly #seen = new Map<number, { batchId: bigint; sinceMs: number }>();

  /** `staleAfterMs`: how long a batch may stay the oldest of its lane. */
  constructor(staleAfterMs: number) {
    this.#staleAfterMs = staleAfterMs;
  }

  /**
   * Finds those of the oldest pending batches that have been so for too long. Their time starts again then. What was
   * seen of other lanes stays.
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
