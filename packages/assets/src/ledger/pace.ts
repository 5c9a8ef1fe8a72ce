import { setImmediate as giveWay } from 'node:timers/promises';

/** Work split into steps of some milliseconds, between which the event loop can run other work. */
export type Steps<Result> = Generator<void, Result>;

/** How long work may occupy the event loop. Another call may meet several such intervals. */
const MAX_BUSY_MS = 10;

/** Runs all steps without a pause, and returns the result. */
export function doAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Runs work step by step, and yields the event loop after each MAX_BUSY_MS. */
export class Pace {
  #sinceMs = performance.now();

  /** Runs all steps and returns the result; synchronously if no pause is due. */
  do<Result>(steps: Steps<Result>): Result | Promise<Result> {
    for (;;) {
      if (this.#isTime) return this.giveWay().then(() => this.do(steps));
      const { done, value } = steps.next();
      if (done === true) return value;
    }
  }

  /** Yields the event loop, if it is time. */
  async giveWay(): Promise<void> {
    if (!this.#isTime) return;
    await giveWay();
    this.#sinceMs = performance.now();
  }

  get #isTime(): boolean {
    return performance.now() - this.#sinceMs >= MAX_BUSY_MS;
  }
}
