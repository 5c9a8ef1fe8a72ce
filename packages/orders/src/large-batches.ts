import { Deadline, FairQueue } from '@lockstep/platform';
import type { PreparedBatch } from './prepare.ts';

/** A batch that weighs more is large: the part of the ledger that it needs takes hundreds of megabytes. */
const LARGE_WEIGHT = 20_000;
/** Large batches of an application that wait for their turn. */
const MAX_WAITING = 4;
const MAX_WAIT_MS = 15_000;

/** What a batch costs: see weightOf of its chunks. */
export function weightOfBatch({ chunks }: PreparedBatch): number {
  return chunks.reduce((sum, { weight }) => sum + weight, 0);
}

/**
 * Lets large batches that are carried out or looked at at once take turns, one at a time in a process and in turns of
 * their applications, so that none fills the memory, or keeps the others waiting, with many.
 */
export class LargeBatches {
  readonly #turns = new FairQueue({ atOnce: 1, maxWaiting: () => MAX_WAITING });

  /** Runs some work for a batch, in turn where that is large. Throws what isOverload knows, where no turn comes in time. */
  async inTurn<Result>(batch: PreparedBatch, work: () => Promise<Result>): Promise<Result> {
    if (weightOfBatch(batch) <= LARGE_WEIGHT) return work();
    const deadline = new Deadline(MAX_WAIT_MS);
    try {
      return await this.#turns.run({ kind: 'large batch', party: batch.applicationId }, deadline.signal, work);
    } finally {
      deadline.end();
    }
  }
}
