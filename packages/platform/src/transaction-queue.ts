import { type Database, inTransaction, type Trx } from './database.ts';
import type { Deadline } from './deadline.ts';
import { FairQueue } from './fair-queue.ts';
import { within } from './within.ts';

/** Calls of one party that wait for their turn. */
const MAX_WAITING = 250;

/**
 * Runs transactions that may wait long for what orders are changing: so many at once at most in a process, and fewer of
 * one party, so that what one waits for keeps no other from working.
 */
export class TransactionQueue {
  readonly #db: Database;
  readonly #queue: FairQueue;

  /** `db` has `atOnce` connections for these. */
  constructor(db: Database, { atOnce, atOnceOfParty }: { atOnce: number; atOnceOfParty: number }) {
    this.#db = db;
    this.#queue = new FairQueue({ atOnce, atOnceOfOwner: atOnceOfParty, maxWaiting: () => MAX_WAITING });
  }

  /**
   * Runs a transaction of a party (an enterprise, an application) in turn. Throws what isOverload knows where too many
   * wait already, no turn comes before the deadline, or what others hold does not become free before it.
   */
  run<Result>(party: string, deadline: Deadline, work: (trx: Trx) => Promise<Result>): Promise<Result> {
    const transact = () => inTransaction(within(this.#db, deadline), work);
    return this.#queue.run({ kind: 'transaction', party }, deadline.signal, transact);
  }
}
