import { sql } from 'kysely';

/**
 * When the oldest event came up that the webhook `w` has not got, whether there is a message of it or not; null if it
 * has got all. Events that come up together get their times in any order, so this may be some milliseconds off.
 */
export const oldestMissing = sql<Date | null>`(
  select min(e.created_time) from event e
  where e.application_id = w.application_id and e.position in (
    (select position from event where application_id = w.application_id and position > w.after_position
      order by position limit 1)
    union all
    (select min(position) from webhook_delivery d where d.webhook_id = w.id and d.state = 'pending')
  ))`;
