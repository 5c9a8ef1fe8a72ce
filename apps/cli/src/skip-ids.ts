import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';

/** What is passed over of each sequence: draws, of which one is a batch, an enterprise, or a thousand instances. */
const DRAWS = 1_000_000;
const ASSET_NUMBERS = 1_000_000;

/**
 * Moves every id and the asset numbers on, so that what was handed out after a backup was taken is not handed out again
 * after it is restored. Again moves them on again.
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
  });
}
