/** How long a reading is kept for each millisecond that it took: so readings take a tenth of a connection at most. */
const KEPT_PER_MS = 10;

/**
 * A reading that callers share: those that come while it runs get the same one, and those that come soon after it what it
 * read. A reading that fails is not kept.
 */
export class SharedReading<Result> {
  readonly #read: () => Promise<Result>;
  readonly #minKeptMs: number;
  #running: Promise<Result> | null = null;
  #kept: { result: Result; untilMs: number } | null = null;

  /** `minKeptMs`: how long a reading is kept at least. */
  constructor(read: () => Promise<Result>, minKeptMs: number) {
    this.#read = read;
    this.#minKeptMs = minKeptMs;
  }

  /** What is read now, or was read a moment ago. Throws what the reading throws. */
  async get(): Promise<Result> {
    if (this.#kept !== null && performance.now() < this.#kept.untilMs) return this.#kept.result;
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
    return await this.#running;
  }

  async #run(): Promise<Result> {
    const startMs = performance.now();
    const result = await this.#read();
    const endMs = performance.now();
    this.#kept = { result, untilMs: endMs + Math.max(this.#minKeptMs, (endMs - startMs) * KEPT_PER_MS) };
    return result;
  }
}
