import type { Deadline } from '../concurrency/deadline.ts';
import { FairQueue } from '../concurrency/fair-queue.ts';
import { type Database, inTransaction, type Trx, within } from './database.ts';

/** The most calls of one party that wait for their turn. */
const MAX_WAITING = 250;

/**
 * Runs transactions that may wait long for locks of others: a limited number at once in a process, and fewer of one
 * party, so that what one party waits for does not stop another one.
 */
export class TransactionQueue {
  readonly #db: Database;
  readonly #queue: FairQueue;

  /** `db` must have `atOnce` connections for these transactions. */
  constructor(db: Database, { atOnce, atOnceOfParty }: { atOnce: number; atOnceOfParty: number }) {
    this.#db = db;
    this.#queue = new FairQueue({ atOnce, atOnceOfOwner: atOnceOfParty, maxWaiting: () => MAX_WAITING });
  }

  /**
   * Runs a transaction of a party in turn.
   * @throws an error for which isOverload is true when too many wait already, or no turn or lock comes before the
   *   deadline
   */
  run<Result>(party: string, deadline: Deadline, work: (trx: Trx) => Promise<Result>): Promise<Result> {
    const transact = () => inTransaction(within(this.#db, deadline), work);
    return this.#queue.run({ kind: 'transaction', party }, deadline.signal, transact);
  }
}
