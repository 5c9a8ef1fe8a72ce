const FIRST_MS = 100;
const LONGEST_MS = 10_000;

/** Pauses that grow while something fails, up to the longest, and start small again when it has succeeded. */
export class Pauses {
  #failures = 0;
  /** A time of performance.now. */
  untilMs = 0;

  lengthen(): void {
    this.untilMs = performance.now() + Math.min(FIRST_MS * 2 ** this.#failures, LONGEST_MS);
    this.#failures++;
  }

  end(): void {
    this.#failures = 0;
    this.untilMs = 0;
  }
}
