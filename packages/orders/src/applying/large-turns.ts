import { FairQueue, GivenBack } from '@lockstep/platform';
import type { PreparedBatch } from '../accepting/prepare.ts';
import { LargeWork, LIMITS } from '../planning/limits.ts';

/** Lets large work of drains run one at a time in a process, so that the memory it takes is bounded. */
export class LargeTurn {
  readonly #turns = new FairQueue({ atOnce: 1, maxWaiting: () => Number.POSITIVE_INFINITY });
  readonly #stopping = new AbortController();
  #count = 0;

  /** Whether somebody has the turn. */
  get isTaken(): boolean {
    return this.#count > 0;
  }

  /**
   * Waits for the turn and runs some work. Throws a GivenBack if `stop` is called before the turn comes, or the reason
   * of `signal` if that aborts.
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

  /** Gives nobody a turn any more. */
  stop(): void {
    this.#stopping.abort(new GivenBack());
  }
}

/** Large batches of an application that wait for their turn. */
const MAX_WAITING = 4;

/** What a batch costs: the weight of its orders. */
export function weighBatch({ chunks }: PreparedBatch): number {
  return chunks.reduce((sum, { weight }) => sum + weight, 0);
}

/**
 * Lets large sync batches and previews take turns: one at a time in a process, the applications in turn. So no
 * application fills the memory with many, or keeps the others waiting.
 */
export class LargeBatches {
  readonly #turns = new FairQueue({ atOnce: 1, maxWaiting: () => MAX_WAITING });

  /**
   * Runs some work for a batch. If the batch is large, by its weight or because the work throws a LargeWork, it runs as
   * large work, in turn, and after `beforeTurn`, which returns what ends the wait for the turn.
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
