import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';

/** How many draws of each sequence to skip; one draw is a batch, an enterprise, or a thousand instances. */
const DRAWS = 1_000_000;
const ASSET_NUMBERS = 1_000_000;
const EVENTS = 1_000_000;

/**
 * Moves all ids, asset numbers and events' positions on, so that those given out after a backup was taken are not given out again after it
 * is restored. Each call moves them on once more.
 */
export async function skipIds(db: Database): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await sql`
      select setval(format('%I.%I', schemaname, sequencename)::regclass,
        coalesce(last_value, start_value) + increment_by * ${DRAWS}::bigint)
      from pg_sequences where schemaname = 'public'`.execute(transaction);
    await sql`
      update asset_number set handed_out = least(handed_out + ${ASSET_NUMBERS}::bigint, 999999999)`.execute(
      transaction,
    );
    // A reader goes on from the last event that it saw before the loss: new ones must come behind that.
    await sql`update event_counter set last_position = last_position + ${EVENTS}::bigint`.execute(transaction);
  });
}
