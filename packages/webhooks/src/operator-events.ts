import type { ApplicationId, EventId } from '@lockstep/contract';
import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';
import type {} from './tables.ts';

/**
 * Events get their time when their numbering begins and their position when it has its turn, so a later position may
 * have an earlier time. No numbering waits this long.
 */
const MAX_NUMBERING_SECONDS = 60;

/**
 * Finds the event behind which those of an application are that have come up from a time on. If there are none, that is
 * the last event of all.
 */
export async function findEventBefore(db: Database, applicationId: ApplicationId, fromMs: number): Promise<EventId> {
  const from = new Date(fromMs);
  // All that is behind the earlier one is at most so much older than `from`, so few of the application's are passed
  // over.
  const { rows } = await sql<{ position: EventId }>`
    with earlier as (
      select position from event
      where created_time < ${from}::timestamptz - make_interval(secs => ${MAX_NUMBERING_SECONDS})
      order by created_time desc, position limit 1
    )
    select coalesce(
      (select position - 1 from event
       where application_id = ${applicationId} and position > coalesce((select position from earlier), 0)
         and created_time >= ${from}
       order by position limit 1),
      (select last_position from event_counter)
    ) as position`.execute(db);
  return rows[0]!.position;
}
