import type { Database, Trx } from './database.ts';
import { run } from './statement.ts';

const UNTIL_CONFIRMED = {
  name: 'until_confirmed',
  text: "select pg_logical_emit_message(true, 'until_confirmed', '')",
  values: [],
};

/**
 * Waits until all that others have committed by now is wherever commits have to be (`synchronous_commit`,
 * `synchronous_standby_names`). What a statement has read may not be: after a crash PostgreSQL shows commits again
 * whose standbys have not got them yet. A commit of its own waits for all that stands before it in the log, so this
 * makes an empty one; in a transaction, its commit waits, also if nothing else is written.
 */
export async function untilConfirmed(db: Database | Trx): Promise<void> {
  await run(db, UNTIL_CONFIRMED);
}
