import { sql } from 'kysely';
import type { Deadline } from '../concurrency/deadline.ts';
import { FairQueue } from '../concurrency/fair-queue.ts';
import { type Database, type Trx, within } from './database.ts';
import { isConflict } from './errors.ts';

/**
 * Runs a part of a transaction behind a savepoint: when it fails, the transaction goes on as if it had not run.
 * @throws the failure of the part
 */
export async function behindSavepoint<Result>(trx: Trx, work: () => Promise<Result>): Promise<Result> {
  await sql`savepoint part`.execute(trx);
  try {
    const result = await work();
    await sql`release savepoint part`.execute(trx);
    return result;
  } catch (error) {
    // When even this fails, the connection is gone, and the failure of the part says why.
    await sql`rollback to savepoint part`.execute(trx).catch(() => {});
    throw error;
  }
}

const MAX_TRIES = 5;

/**
 * Runs a transaction, and runs it again when it lost against another one: MAX_TRIES times at most. If `db` is a
 * transaction already, `work` is a part of that one: whoever began it commits it, and runs it again.
 */
export async function inTransaction<Result>(db: Database, work: (trx: Trx) => Promise<Result>): Promise<Result> {
  if (db.isTransaction) return await work(db as Trx);
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      if (attempt >= MAX_TRIES || !isConflict(error)) throw error;
    }
  }
}

/** Runs reads that belong together: all of them see the database as it was at the first one. */
export function inSnapshot<Result>(db: Database, work: (trx: Trx) => Promise<Result>): Promise<Result> {
  return db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(work);
}

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
