/** How long a reading is kept for each millisecond that it took: so readings take a tenth of a connection at most. */
const KEPT_PER_MS = 10;

/**
 * A reading that callers share: those that come while it runs get the same one, and those that come soon after it what it
 * read. One that failed is kept, too, if it took long: what is slow is not asked without a pause.
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
    const keep = (minKeptMs: number) => {
      const endMs = performance.now();
      this.#kept = { reading, untilMs: endMs + Math.max(minKeptMs, (endMs - startMs) * KEPT_PER_MS) };
    };
    try {
      const result = await reading;
      keep(this.#minKeptMs);
      return result;
    } catch (error) {
      keep(0);
      throw error;
    }
  }
}
