import { MAX_WEIGHT } from './prepare.ts';

/**
 * How long a drain should take: beside other channels, which wait for their turn meanwhile, and alone, where another
 * worker waits for its lanes if this one is stopped.
 */
const TURN_MS = { beside: 120, alone: 1_000 };
/** The least weight of a drain: below it, what each costs by itself counts. */
const MIN_WEIGHT = 250;
/** How much the newest drain counts in the mean. */
const NEWEST = 0.2;

/** How much drains take, by how long they have taken: where PostgreSQL is slower, each takes less. */
export class Pace {
  #weightPerMs = 2;

  /** Notes a drain. */
  drained(weight: number, tookMs: number): void {
    if (weight >= MIN_WEIGHT) this.#weightPerMs += NEWEST * (weight / tookMs - this.#weightPerMs);
  }

  /** What a drain may take while its channel has the service for itself, and beside others. */
  get maxWeight(): { alone: number; beside: number } {
    const inMs = (ms: number) => Math.max(MIN_WEIGHT, Math.min(MAX_WEIGHT, Math.round(this.#weightPerMs * ms)));
    return { alone: inMs(TURN_MS.alone), beside: inMs(TURN_MS.beside) };
  }
}
