import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';

const ROWS_AT_ONCE = 10_000;

/** Deletes tokens that have expired and nonces that may be used again, a bounded number at once. */
export async function deleteExpiredAccess(db: Database): Promise<void> {
  await sql`
    delete from access_token where token_hash in
      (select token_hash from access_token where expires_time < now() limit ${ROWS_AT_ONCE})`.execute(db);
  await sql`
    delete from nonce where ctid = any (array
      (select ctid from nonce where used_time < now() - interval '10 minutes' limit ${ROWS_AT_ONCE}))`.execute(db);
}
