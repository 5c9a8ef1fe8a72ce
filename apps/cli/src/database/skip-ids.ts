import { newCommand, recordChange } from '@lockstep/operators';
import { type Database, inTransaction } from '@lockstep/platform';
import { sql } from 'kysely';

/** How many values of each sequence to skip. One is used for a batch, an enterprise, or a thousand instances. */
const DRAWS = 1_000_000;
const ASSET_NUMBERS = 1_000_000;
const EVENTS = 1_000_000;

/**
 * Skips ids, asset numbers and event positions, so that a restored service does not reuse those issued after the
 * backup. Each call skips more. Adds `action` with `details` to the audit log.
 */
export async function skipIds(db: Database, action: string, details: Record<string, unknown> = {}): Promise<void> {
  await inTransaction(db, async (trx) => {
    await sql`select skip_ids(${DRAWS}, ${ASSET_NUMBERS}, ${EVENTS})`.execute(trx);
    const after = { ...details, idsMovedOnBy: DRAWS };
    await recordChange(trx, newCommand(), { action, target: null, after });
  });
}

export async function skip(db: Database) {
  await skipIds(db, 'database.ids_skipped');
  return 'Skipped a million IDs and asset numbers.';
}
