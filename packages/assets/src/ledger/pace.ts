import { setImmediate as giveWay } from 'node:timers/promises';

/** Work in steps of some milliseconds at most: others can have the event loop after each of them. */
export type Steps<Result> = Generator<void, Result>;

/** How long work may keep the event loop. A call of others comes to it several times. */
const MAX_BUSY_MS = 10;

/** Does all steps of some work at once, and returns its result. */
export function doAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Does work step by step, and lets others have the event loop whenever it has had it for long. */
export class Pace {
  #sinceMs = performance.now();

  /** Does all steps of some work, and returns its result: at once if it is not time meanwhile to let others go on. */
  do<Result>(steps: Steps<Result>): Result | Promise<Result> {
    for (;;) {
      if (this.#isTime) return this.giveWay().then(() => this.do(steps));
      const { done, value } = steps.next();
      if (done === true) return value;
    }
  }

  /** Lets others have the event loop, if it is time. */
  async giveWay(): Promise<void> {
    if (!this.#isTime) return;
    await giveWay();
    this.#sinceMs = performance.now();
  }

  get #isTime(): boolean {
    return performance.now() - this.#sinceMs >= MAX_BUSY_MS;
  }
}
