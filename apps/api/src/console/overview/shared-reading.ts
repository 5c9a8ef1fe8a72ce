/** How long a reading is kept per millisecond that it took, so that readings use at most a tenth of a connection. */
const KEPT_PER_MS = 10;
/** How long a failure is kept at most, because the cause may be gone. */
const MAX_FAILURE_KEPT_MS = 10_000;

/**
 * A reading that callers share: those who call while it runs, and shortly after, get the same result. Slow failures are
 * kept too, so that an overloaded database is not queried without a pause.
 */
export class SharedReading<Result> {
  readonly #read: () => Promise<Result>;
  readonly #minKeptMs: number;
  #running: Promise<Result> | null = null;
  #kept: { reading: Promise<Result>; untilMs: number } | null = null;

  /** `minKeptMs`: how long a successful reading is kept at least. */
  constructor(read: () => Promise<Result>, minKeptMs: number) {
    this.#read = read;
    this.#minKeptMs = minKeptMs;
  }

  /** Returns the current or a recent reading. Throws what the reading throws. */
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
