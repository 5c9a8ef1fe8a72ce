import type { ApplicationId, EventId, WebhookId } from '@lockstep/contract';
import type { BoundedCount } from '@lockstep/contract/console';
import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';
import { oldestMissing } from '../delivering/metrics.ts';
import type {} from '../tables.ts';

const MAX_COUNTED = 10_000;

export interface Undelivered {
  pending: BoundedCount;
  nextAttemptTime: number | null;
  /** Later events, for which there are no messages yet. */
  waitingEvents: BoundedCount;
  /** When the oldest of all these events was created; null if there is none. */
  oldestMissingTime: number | null;
}

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
 * An event gets its time when its numbering starts and its position when the numbering gets the lock, so a later
 * position may have an earlier time. No numbering waits this long.
 */
const MAX_NUMBERING_SECONDS = 60;

/**
 * Returns the event before the first event of an application created at or after a time. If there is none, returns the
 * last event of all.
 */
export async function findEventBefore(db: Database, applicationId: ApplicationId, fromMs: number): Promise<EventId> {
  const from = new Date(fromMs);
  // Events after `earlier` are at most MAX_NUMBERING_SECONDS older than `from`, so only a few of the application's are
  // skipped.
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
