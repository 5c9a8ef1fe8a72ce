import type { BatchId } from '@lockstep/contract';
import { type Database, Group, type Logger } from '@lockstep/platform';
import type { EventNumbering } from '../feed/numbering.ts';
import { completeBatches } from './complete-batches.ts';

const MAX_DRAINS = 64;

/**
 * Completes the batches of committed drains while the next drains run. It uses one connection; batches that arrive
 * while a statement runs go into the next one. If a statement fails, the sweep completes the batches.
 */
export class DrainCompletions {
  readonly #log: Logger;
  readonly #groups: Group<readonly BatchId[], null>;
  readonly #running = new Set<Promise<unknown>>();

  constructor({ db, log, numbering }: { db: Database; log: Logger; numbering: EventNumbering }) {
    this.#log = log;
    this.#groups = new Group({
      run: async (drains) => {
        const completedIds = await completeBatches(db, drains.flat());
        if (completedIds.length > 0) numbering.number();
        return drains.map(() => null);
      },
      maxRunning: 1,
      maxInputs: MAX_DRAINS,
    });
  }

  /** Completes those of the batches whose chunks are all finished. The caller does not wait. */
  complete(batchIds: readonly BatchId[]): void {
    if (batchIds.length === 0) return;
    const completing = this.#groups
      .run(batchIds)
      .catch((error: unknown) => this.#log.warn({ err: error }, 'batch completion failed; sweep will take over'))
      .finally(() => this.#running.delete(completing));
    this.#running.add(completing);
  }

  /** Resolves when all batches so far have been completed or have failed to be. */
  async settle(): Promise<void> {
    await Promise.all(this.#running);
  }
}
