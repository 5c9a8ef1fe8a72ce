import { Refusal } from '@lockstep/contract';
import { type Database, inTransaction, type Trx } from '@lockstep/platform';
import PQueue from 'p-queue';

/** Connections that changes of what employees hold take at most: they wait for assets that orders are changing. */
export const HOLDING_CHANGES_AT_ONCE = 4;
const MAX_WAITING = 500;

/** Runs the transactions that change what employees hold, so many at once at most in a process. */
export class HoldingChanges {
  readonly #lanesDb: Database;
  readonly #queue = new PQueue({ concurrency: HOLDING_CHANGES_AT_ONCE });

  /** `lanesDb` has connections for calls that wait, HOLDING_CHANGES_AT_ONCE of them for these. */
  constructor(lanesDb: Database) {
    this.#lanesDb = lanesDb;
  }

  /** Throws a Refusal, overloaded, where too many wait already. */
  run<Result>(work: (trx: Trx) => Promise<Result>): Promise<Result> {
    if (this.#queue.size >= MAX_WAITING) throw new Refusal('overloaded');
    return this.#queue.add(() => inTransaction(this.#lanesDb, work));
  }
}
