import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';

const ROWS_AT_ONCE = 10_000;

/**
 * Deletes expired tokens, nonces that may be used again and failed logins that no longer count (rules 2 and 3), in bounded
 * steps until none is left.
 */
export async function deleteExpiredAccess(db: Database): Promise<void> {
  await repeatUntilNone(() =>
    sql`
      delete from access_token where token_hash = any (array
        (select token_hash from access_token where expires_time < now() limit ${ROWS_AT_ONCE} for update skip locked))`.execute(
      db,
    ),
  );
  await repeatUntilNone(() =>
    sql`
      delete from nonce where used_time < now() - interval '10 minutes' and ctid = any (array
        (select ctid from nonce where used_time < now() - interval '10 minutes' limit ${ROWS_AT_ONCE}))`.execute(db),
  );
  await repeatUntilNone(() =>
    sql`
      delete from login_failure where expires_time < now() and ctid = any (array
        (select ctid from login_failure where expires_time < now() limit ${ROWS_AT_ONCE} for update skip locked))`.execute(
      db,
    ),
  );
}

async function repeatUntilNone(deleteSome: () => Promise<{ numAffectedRows?: bigint }>): Promise<void> {
  for (;;) {
    const { numAffectedRows = 0n } = await deleteSome();
    if (numAffectedRows < BigInt(ROWS_AT_ONCE)) return;
  }
}
