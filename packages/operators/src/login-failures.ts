import { createHash } from 'node:crypto';
import { countFailure, FAILURE_WINDOW, MAX_FAILURES, MAX_FAILURES_OF_ALL } from '@lockstep/access';
import type { Database, Trx } from '@lockstep/platform';
import { sql } from 'kysely';

/** The address that stands for all addresses together. */
const ALL_ADDRESSES = '';

/** Failures are kept by the hash of the name, so that whatever is typed into the field takes 32 bytes. */
const hashName = (name: string) => createHash('sha256').update(name).digest();

/** Whether failed logins have locked a name for an address, or for all. In a transaction it waits for those that count now. */
export async function isLocked(db: Database, name: string, address: string): Promise<boolean> {
  const { rows } = await sql<{ is_locked: boolean }>`
    select coalesce(locked_until > statement_timestamp(), false) as is_locked from operator_login_failure
    where name_hash = ${hashName(name)} and address in (${address}, ${ALL_ADDRESSES})
    order by address for share`.execute(db);
  return rows.some((row) => row.is_locked);
}

/** Counts a failed login. The tenth within 15 minutes from one address locks the name for it, the hundredth of all for all. */
export async function recordFailure(db: Database, name: string, address: string): Promise<void> {
  const failure = sql`array[statement_timestamp()], statement_timestamp() + ${FAILURE_WINDOW}`;
  const nameHash = hashName(name);
  await sql`
    with own as (
      insert into operator_login_failure as known (name_hash, address, failed_times, expires_time)
      values (${nameHash}, ${address}, ${failure})
      on conflict (name_hash, address) do update set ${countFailure(MAX_FAILURES)}
      returning coalesce(old.locked_until > statement_timestamp(), false) as was_locked
    )
    insert into operator_login_failure as known (name_hash, address, failed_times, expires_time)
    select ${nameHash}, ${ALL_ADDRESSES}, ${failure} from own where not was_locked
    on conflict (name_hash, address) do update set ${countFailure(MAX_FAILURES_OF_ALL)}`.execute(db);
}

/** Forgets the failed logins of a name: whoever gets a new password may log in with it. */
export async function forgetFailures(trx: Trx, name: string): Promise<void> {
  const nameHash = hashName(name);
  await sql`
    delete from operator_login_failure where name_hash = ${nameHash} and address = any (array (
      select address from operator_login_failure where name_hash = ${nameHash} order by address for update))`.execute(
    trx,
  );
}
