import { sql } from 'kysely';
import type { Database, Trx } from './database.ts';
import { isConflict } from './errors.ts';

/**
 * Runs part of a transaction behind a savepoint: if it fails, the transaction continues as if it had not run. Throws
 * the failure of the part.
 */
export async function behindSavepoint<Result>(trx: Trx, work: () => Promise<Result>): Promise<Result> {
  await sql`savepoint part`.execute(trx);
  try {
    const result = await work();
    await sql`release savepoint part`.execute(trx);
    return result;
  } catch (error) {
    // If even this fails, the connection is gone, and the failure of the part says why.
    await sql`rollback to savepoint part`.execute(trx).catch(() => {});
    throw error;
  }
}

const MAX_TRIES = 5;

/**
 * Runs a transaction, and retries it when it loses a conflict with another one, at most MAX_TRIES times. If `db` is
 * itself a transaction, `work` becomes part of it: the caller that began it commits and retries it.
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

/** Runs reads on one snapshot: all see the database as of the first one. */
export function inSnapshot<Result>(db: Database, work: (trx: Trx) => Promise<Result>): Promise<Result> {
  return db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(work);
}
