import type { BatchId } from '@lockstep/contract';
import { type Database, Group, type Logger } from '@lockstep/platform';
import { endBatches } from './end-batches.ts';
import type { EventNumbering } from './numbering.ts';

/** Drains whose batches one statement ends at most. */
const MAX_DRAINS = 64;

/**
 * Ends the batches of drains that have committed, beside the next drains: on one connection, with what gathers
 * meanwhile in the next statement. What fails here is ended by the sweep.
 */
export class DrainEnds {
  readonly #log: Logger;
  readonly #groups: Group<readonly BatchId[], null>;
  readonly #running = new Set<Promise<unknown>>();

  constructor({ db, log, numbering }: { db: Database; log: Logger; numbering: EventNumbering }) {
    this.#log = log;
    this.#groups = new Group({
      run: async (drains) => {
        const endedIds = await endBatches(db, drains.flat());
        if (endedIds.length > 0) numbering.number();
        return drains.map(() => null);
      },
      maxRunning: 1,
      maxInputs: MAX_DRAINS,
    });
  }

  /** Ends those of the batches that are finished, without making the caller wait. */
  end(batchIds: readonly BatchId[]): void {
    if (batchIds.length === 0) return;
    const ending = this.#groups
      .run(batchIds)
      .catch((error: unknown) => this.#log.warn({ err: error }, 'batch completion failed; sweep will take over'))
      .finally(() => this.#running.delete(ending));
    this.#running.add(ending);
  }

  /** Resolves when the batches of all drains so far have ended, or their end has failed. */
  async settle(): Promise<void> {
    await Promise.all(this.#running);
  }
}
