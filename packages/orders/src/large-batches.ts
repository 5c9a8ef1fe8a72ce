import { FairQueue } from '@lockstep/platform';
import { LargeWork, LIMITS } from './limits.ts';
import type { PreparedBatch } from './prepare.ts';

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
