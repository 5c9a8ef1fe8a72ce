import type { ApplicationId, EventId, WebhookId } from '@lockstep/contract';
import type { BoundedCount, ConsoleWebhookDetail, UnhealthyWebhook } from '@lockstep/contract/console';
import { type Database, inMs } from '@lockstep/platform';
import { sql } from 'kysely';
import { hideQuery, type WebhookViewer, webhooksOf } from '../managing/webhooks.ts';
import { oldestMissing, readWebhookState, type WebhookState } from './metrics.ts';

const MAX_LISTED = 20;
const MAX_COUNTED = 10_000;

export interface WebhookFaults extends WebhookState {
  failing: number;
  /**
   * Since when the longest-disabled webhook has been disabled, and the longest-failing one has failed, in milliseconds.
   */
  disabledSinceTime: number | null;
  failingSinceTime: number | null;
  /** Disabled and failing webhooks, latest first; only some of them if there are many. */
  unhealthy: UnhealthyWebhook[];
}

/** Reads the state of the webhooks of all applications, and which ones fail or are disabled. */
export async function readWebhookFaults(db: Database, viewer: WebhookViewer): Promise<WebhookFaults> {
  const state = await readWebhookState(db);
  const sums = await webhooksOf(db, viewer)
    .select([
      sql<number>`(count(failing_since) filter (where disabled_time is null))::int`.as('failing'),
      inMs('min(disabled_time)').as('disabledSinceTime'),
      inMs('min(failing_since) filter (where disabled_time is null)').as('failingSinceTime'),
    ])
    .executeTakeFirstOrThrow();
  const rows = await webhooksOf(db, viewer)
    .where(({ or, eb }) => or([eb('disabled_time', 'is not', null), eb('failing_since', 'is not', null)]))
    .select(['webhook.id as webhookId', 'url', 'app_key as appKey', 'application.name as applicationName'])
    .select(
      sql<UnhealthyWebhook['state']>`case when disabled_time is null then 'failing' else 'disabled' end`.as('state'),
    )
    .select([inMs('coalesce(disabled_time, failing_since)').as('sinceTime'), 'disabled_cause as disabledCause'])
    .orderBy(({ fn }) => fn.coalesce('disabled_time', 'failing_since'), 'desc')
    .limit(MAX_LISTED)
    .execute();
  return { ...state, ...sums, unhealthy: rows.map((row) => ({ ...row, url: hideQuery(row.url) })) };
}

type Undelivered = Pick<ConsoleWebhookDetail, 'pending' | 'nextAttemptTime' | 'waitingEvents' | 'oldestMissingTime'>;

/** Counts what a webhook has not received: messages, and events for which there are no messages yet. */
export async function countUndelivered(db: Database, webhookId: WebhookId): Promise<Undelivered> {
  const { rows } = await sql<{ pending: number; nextTime: Date | null; waiting: number; oldest: Date | null }>`
    select (
      select count(*)::int from (
        select from webhook_delivery d where d.webhook_id = w.id and d.state = 'pending' limit ${MAX_COUNTED + 1}
      ) as pending
    ) as pending, (
      select d.due_time from webhook_delivery d where d.webhook_id = w.id and d.state = 'pending'
      order by d.due_time limit 1
    ) as "nextTime", (
      select count(*)::int from (
        select from event e where e.application_id = w.application_id and e.position > w.after_position
        limit ${MAX_COUNTED + 1}
      ) as waiting
    ) as waiting, ${oldestMissing} as oldest
    from webhook w where w.id = ${webhookId}`.execute(db);
  const { pending = 0, nextTime = null, waiting = 0, oldest = null } = rows[0] ?? {};
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
