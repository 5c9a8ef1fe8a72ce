import { Deadline, FairQueue } from '@lockstep/platform';
import { MAX_WAIT_MS } from './max-wait.ts';
import type { PreparedBatch } from './prepare.ts';

/** A batch that weighs more is large: the part of the ledger that it needs takes hundreds of megabytes. */
const LARGE_WEIGHT = 20_000;
/** Large batches of an application that wait for their turn. */
const MAX_WAITING = 4;

/** What a batch costs: the weight of its orders. */
export function weighBatch({ chunks }: PreparedBatch): number {
  return chunks.reduce((sum, { weight }) => sum + weight, 0);
}

/**
 * Lets large sync batches and previews take turns: one at a time in a process, the applications in turn. So no application
 * fills the memory with many, or keeps the others waiting.
 */
export class LargeBatches {
  readonly #turns = new FairQueue({ atOnce: 1, maxWaiting: () => MAX_WAITING });

  /** Runs some work for a batch; for a large one, in turn. Throws what isOverload knows if no turn comes in time. */
  async inTurn<Result>(batch: PreparedBatch, work: () => Promise<Result>): Promise<Result> {
    if (weighBatch(batch) <= LARGE_WEIGHT) return work();
    const deadline = new Deadline(MAX_WAIT_MS);
    try {
      return await this.#turns.run({ kind: 'large batch', party: batch.applicationId }, deadline.signal, work);
    } finally {
      deadline.end();
    }
  }
}
