/** How long what is pending may stay the oldest of its lane before nobody is thought to work on it. */
const STALE_AFTER_MS = 2_000;

/** The oldest pending batch of a lane. */
export interface OldestPending {
  lane: number;
  batchId: bigint;
}

/**
 * What the sweep has seen at the head of each lane, and since when. Nothing is judged by the times that are stored: the
 * database's clock may have jumped since. `nowMs` is a time of performance.now.
 */
export class Sightings {
  #seen = new Map<number, { batchId: bigint; sinceMs: number }>();

  /** Of the oldest pending batches now, those that have been the oldest of their lane for too long; then they count anew. */
  stale(oldest: readonly OldestPending[], nowMs: number): OldestPending[] {
    const seen = new Map(
      oldest.map(({ lane, batchId }) => {
        const before = this.#seen.get(lane);
        return [lane, before?.batchId === batchId ? before : { batchId, sinceMs: nowMs }];
      }),
    );
    this.#seen = seen;
    const stale = oldest.filter(({ lane }) => nowMs - seen.get(lane)!.sinceMs >= STALE_AFTER_MS);
    for (const { lane } of stale) seen.delete(lane);
    return stale;
  }
}
