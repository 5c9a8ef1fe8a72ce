import type { WebhookId } from '@lockstep/contract';
import type { BoundedCount } from '@lockstep/contract/console';
import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';
import { oldestMissing } from './lag.ts';
import type {} from './tables.ts';

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
