/** The pause before a lane that somebody else has locked is tried again. It doubles up to the longest. */
const FIRST_PAUSE_MS = 4;
const LONGEST_PAUSE_MS = 64;

/** The lanes that somebody else had locked when they were wanted, another worker or a call, and how often in a row. */
export class HeldLanes {
  readonly #misses = new Map<number, number>();

  /** Those that could not be had the last time. */
  get lanes(): ReadonlySet<number> {
    return new Set(this.#misses.keys());
  }

  /** Notes that a lane could not be had, and returns after how many ms to try it again. */
  pauseMs(lane: number): number {
    const misses = this.#misses.get(lane) ?? 0;
    this.#misses.set(lane, misses + 1);
    return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** misses);
  }

  /** Notes that a lane could be had. */
  taken(lane: number): void {
    this.#misses.delete(lane);
  }
}
