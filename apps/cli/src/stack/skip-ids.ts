import { newCommand, recordChange } from '@lockstep/operators';
import { type Database, inTransaction } from '@lockstep/platform';
import { sql } from 'kysely';

/** How many draws of each sequence to skip; one draw is a batch, an enterprise, or a thousand instances. */
const DRAWS = 1_000_000;
const ASSET_NUMBERS = 1_000_000;
const EVENTS = 1_000_000;

/**
 * Moves all ids, asset numbers and events' positions on, so that those given out after a backup was taken are not given
 * out again after it is restored. Each call moves them on once more. It is recorded as `action`, with `details`.
 */
export async function skipIds(db: Database, action: string, details: Record<string, unknown> = {}): Promise<void> {
  await inTransaction(db, async (trx) => {
    await sql`select skip_ids(${DRAWS}, ${ASSET_NUMBERS}, ${EVENTS})`.execute(trx);
    const after = { ...details, idsMovedOnBy: DRAWS };
    await recordChange(trx, newCommand(), { action, target: null, before: null, after });
  });
}
