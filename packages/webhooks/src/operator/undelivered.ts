import type { ApplicationId, EventId, WebhookId } from '@lockstep/contract';
import type { BoundedCount } from '@lockstep/contract/console';
import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';
import { oldestMissing } from '../delivering/metrics.ts';
import type {} from '../tables.ts';

/** What is counted at most, of messages and of events. */
const MAX_COUNTED = 10_000;

/** What a webhook has not got yet. */
export interface Undelivered {
  /** Messages that wait to be sent, or to be sent again. */
  pending: BoundedCount;
  /** When the next of them is sent; null where none waits. */
  nextAttemptTime: number | null;
  /** Events behind those, for which there are no messages yet. */
  waitingEvents: BoundedCount;
  /** When the oldest of all these events came up; null if it has got all. */
  oldestMissingTime: number | null;
}

/** Counts what a webhook has not got yet. */
export async function countUndelivered(db: Database, webhookId: WebhookId): Promise<Undelivered> {
  const { rows } = await sql<{ pending: number; next_time: Date | null; waiting: number; oldest: Date | null }>`
    select (
      select count(*)::int from (
        select from webhook_delivery d where d.webhook_id = w.id and d.state = 'pending' limit ${MAX_COUNTED + 1}
      ) as pending
    ) as pending, (
      select d.due_time from webhook_delivery d where d.webhook_id = w.id and d.state = 'pending'
      order by d.due_time limit 1
    ) as next_time, (
      select count(*)::int from (
        select from event e where e.application_id = w.application_id and e.position > w.after_position
        limit ${MAX_COUNTED + 1}
      ) as waiting
    ) as waiting, ${oldestMissing} as oldest
    from webhook w where w.id = ${webhookId}`.execute(db);
  const { pending = 0, next_time: nextTime = null, waiting = 0, oldest = null } = rows[0] ?? {};
  return {
    pending: bound(pending),
    nextAttemptTime: nextTime?.getTime() ?? null,
    waitingEvents: bound(waiting),
    oldestMissingTime: oldest?.getTime() ?? null,
  };
}

const bound = (count: number): BoundedCount => ({
  count: Math.min(count, MAX_COUNTED),
  isMore: count > MAX_COUNTED,
});

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
