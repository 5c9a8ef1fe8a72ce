/** How long a reading is kept for each millisecond that it took: so readings take a tenth of a connection at most. */
const KEPT_PER_MS = 10;
/** How long a failed one is kept at most: what failed may be well again. */
const MAX_FAILURE_KEPT_MS = 10_000;

/**
 * A reading that callers share: those that come while it runs get the same one, and those that come soon after it what
 * it read. One that failed is kept, too, if it took long: what is slow is not asked without a pause.
 */
export class SharedReading<Result> {
  readonly #read: () => Promise<Result>;
  readonly #minKeptMs: number;
  #running: Promise<Result> | null = null;
  #kept: { reading: Promise<Result>; untilMs: number } | null = null;

  /** `minKeptMs`: how long a reading that succeeded is kept at least. */
  constructor(read: () => Promise<Result>, minKeptMs: number) {
    this.#read = read;
    this.#minKeptMs = minKeptMs;
  }

  /** What is read now, or was read a moment ago. Throws what the reading throws. */
  async get(): Promise<Result> {
    if (this.#kept !== null && performance.now() < this.#kept.untilMs) return await this.#kept.reading;
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
    return await this.#running;
  }

  async #run(): Promise<Result> {
    const startMs = performance.now();
    const reading = this.#read();
    const keep = (minMs: number, maxMs: number) => {
      const endMs = performance.now();
      const keptMs = Math.min(maxMs, Math.max(minMs, (endMs - startMs) * KEPT_PER_MS));
      this.#kept = { reading, untilMs: endMs + keptMs };
    };
    try {
      const result = await reading;
      keep(this.#minKeptMs, Number.POSITIVE_INFINITY);
      return result;
    } catch (error) {
      keep(0, MAX_FAILURE_KEPT_MS);
      throw error;
    }
  }
}
