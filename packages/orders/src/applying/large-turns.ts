import { FairQueue, GivenBack } from '@lockstep/platform';
import type { PreparedBatch } from '../accepting/prepare.ts';
import { LargeWork, LIMITS } from '../planning/limits.ts';

/** Runs large work of drains one at a time in a process, so that its memory is bounded. */
export class LargeTurn {
  readonly #turns = new FairQueue({ atOnce: 1, maxWaiting: () => Number.POSITIVE_INFINITY });
  readonly #stopping = new AbortController();
  #count = 0;

  /** Whether large work is running or waiting. */
  get isTaken(): boolean {
    return this.#count > 0;
  }

  /**
   * Waits for its turn, then runs the work. Throws a GivenBack if `stop` is called before that, or the reason of
   * `signal` if it aborts.
   */
  async run<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const stop = this.#stopping.signal;
    this.#count++;
    try {
      const owner = { kind: 'large drain', party: 'lanes' };
      return await this.#turns.run(owner, signal === undefined ? stop : AbortSignal.any([stop, signal]), work);
    } finally {
      this.#count--;
    }
  }

  stop(): void {
    this.#stopping.abort(new GivenBack());
  }
}

const MAX_WAITING = 4;

export function weighBatch({ chunks }: PreparedBatch): number {
  return chunks.reduce((sum, { weight }) => sum + weight, 0);
}

/**
 * Runs large sync batches and previews one at a time in a process, with a fair share for each application. So no
 * application can fill the memory or block the others.
 */
export class LargeBatches {
  readonly #turns = new FairQueue({ atOnce: 1, maxWaiting: () => MAX_WAITING });

  /**
   * Runs work for a batch. If the batch is large, because of its weight or because the work throws a LargeWork, calls
   * `beforeTurn` and then runs the work as large work when its turn comes. The signal that `beforeTurn` returns ends
   * the wait.
   */
  async run<Result>(
    batch: PreparedBatch,
    work: (isLarge: boolean) => Promise<Result>,
    beforeTurn: () => Promise<AbortSignal>,
  ): Promise<Result> {
    if (weighBatch(batch) <= LIMITS.small) {
      try {
        return await work(false);
      } catch (error) {
        if (!(error instanceof LargeWork)) throw error;
      }
    }
    const owner = { kind: 'large batch', party: batch.applicationId };
    return await this.#turns.run(owner, await beforeTurn(), () => work(true));
  }
}
