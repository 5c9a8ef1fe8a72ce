/** The oldest pending batch of a lane. */
export interface OldestPending {
  lane: number;
  batchId: bigint;
}

/**
 * What the sweep has seen as the oldest of each lane, and since when. It does not use the times in the database, whose clock
 * may have jumped since. `nowMs` is a time of performance.now.
 */
export class Sightings {
  readonly #staleAfterMs: number;
  #seen = new Map<number, { batchId: bigint; sinceMs: number }>();

  /** `staleAfterMs`: how long a batch may stay the oldest of its lane. */
  constructor(staleAfterMs: number) {
    this.#staleAfterMs = staleAfterMs;
  }

  /** Finds those of the oldest pending batches that have been so for too long. Their time starts again then. */
  findStale(oldest: readonly OldestPending[], nowMs: number): OldestPending[] {
    const seen = new Map(
      oldest.map(({ lane, batchId }) => {
        const before = this.#seen.get(lane);
        return [lane, before?.batchId === batchId ? before : { batchId, sinceMs: nowMs }];
      }),
    );
    this.#seen = seen;
    const stale = oldest.filter(({ lane }) => nowMs - seen.get(lane)!.sinceMs >= this.#staleAfterMs);
    for (const { lane } of stale) seen.delete(lane);
    return stale;
  }
}
