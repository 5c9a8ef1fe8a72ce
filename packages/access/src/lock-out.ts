import { type RawBuilder, sql } from 'kysely';

/**
 * Failed logins that lock an account (rules 2): from one party, such as an application, for that party; from all of them
 * together for everybody. So no party keeps another one from logging in.
 */
export const MAX_FAILURES = 10;
export const MAX_FAILURES_OF_ALL = 100;
/** How long a failed login counts. */
export const FAILURE_WINDOW = sql`interval '15 minutes'`;
const LOCK_TIME = sql`interval '5 minutes'`;

/**
 * For an `on conflict do update set` on a row named `known` with failed_times, locked_until and expires_time: the change by one
 * more failure. While the row is locked nothing counts.
 */
export function countFailure(maxFailures: number): RawBuilder<unknown> {
  return sql`(failed_times, locked_until, expires_time) = (
    select
      case when is_locked then known.failed_times when locks then '{}' else recent end,
      case when is_locked then known.locked_until when locks then statement_timestamp() + ${LOCK_TIME} end,
      statement_timestamp() + ${FAILURE_WINDOW}
    from (
      select recent, coalesce(known.locked_until > statement_timestamp(), false) as is_locked,
        cardinality(recent) >= ${maxFailures} as locks
      from (
        select array_append(
          array(select t from unnest(known.failed_times) as t where t > statement_timestamp() - ${FAILURE_WINDOW}),
          statement_timestamp()
        ) as recent
      ) as remembered
    ) as judged
  )`;
}
