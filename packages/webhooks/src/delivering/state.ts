import type { WebhookId } from '@lockstep/contract';
import type { BoundedCount, ConsoleWebhookDetail, UnhealthyWebhook } from '@lockstep/contract/console';
import { addCounter, addGauge, addHistogram, type Database, inMs, share } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import type { Registry } from 'prom-client';
import { hideQuery, type WebhookViewer, webhooksOf } from '../managing/webhooks.ts';

/** The counters and histograms of webhooks. docs/runbooks/README.md explains each. */
export type WebhookMetrics = ReturnType<typeof createWebhookMetrics>;

const isActive = sql`num_nonnulls(disabled_time, paused_time) = 0`;

const created = new WeakMap<Registry, WebhookMetrics>();

export function webhookMetricsOf(registry: Registry): WebhookMetrics {
  const metrics = created.get(registry) ?? createWebhookMetrics(registry);
  created.set(registry, metrics);
  return metrics;
}

function createWebhookMetrics(registry: Registry) {
  const attempts = 'Attempts to deliver webhook messages';
  const seconds = 'Duration of webhook attempts, up to the response status';
  const buckets = [0.01, 0.05, 0.2, 1, 2, 5, 15];
  const busy = 'Time the worker spent building webhook messages and parsing responses';
  const disabled = 'Webhooks disabled after failed attempts or a 410 response';
  return {
    attempts: addCounter(registry, 'lockstep_webhook_attempts_total', attempts, 'outcome'),
    attemptSeconds: addHistogram(registry, 'lockstep_webhook_attempt_seconds', seconds, buckets, 'outcome'),
    busySeconds: addCounter(registry, 'lockstep_webhook_busy_seconds_total', busy),
    disabled: addCounter(registry, 'lockstep_webhooks_disabled_total', disabled, 'cause'),
  };
}

/**
 * How many webhooks there are, and how late active ones of approved applications are, in seconds (0 if they aren't).
 */
interface WebhookState {
  active: number;
  paused: number;
  disabled: number;
  overdueSeconds: number;
  /** The age of the oldest event not delivered, for endpoints that respond and for failing ones. */
  lagSeconds: number;
  failingLagSeconds: number;
}

/** Adds the gauges of webhooks to a process that serves its metrics. A scrape reads the database at most once. */
export function registerWebhookGauges(registry: Registry, db: Database): void {
  const read = share(() => readWebhookState(db));
  addGauge(registry, { name: 'lockstep_webhooks', help: 'Webhooks by state', label: 'state' }, async () => {
    const { active, paused, disabled } = await read();
    return Object.entries({ active, paused, disabled });
  });
  const overdue = 'Time since the most overdue webhook message was due; 0 if none is overdue';
  addGauge(
    registry,
    { name: 'lockstep_webhook_overdue_seconds', help: overdue, label: 'endpoints' },
    async () => (await read()).overdueSeconds,
  );
  const lag = 'Age of the oldest event not yet delivered, by answering and failing endpoints; 0 if none';
  addGauge(registry, { name: 'lockstep_webhook_lag_seconds', help: lag, label: 'endpoints' }, async () => {
    const { lagSeconds: answering, failingLagSeconds: failing } = await read();
    return Object.entries({ answering, failing });
  });
}

async function readWebhookState(db: Database): Promise<WebhookState> {
  const ageOf = (time: RawBuilder<unknown>, condition: RawBuilder<unknown>) => sql<number>`
    coalesce(max(extract(epoch from statement_timestamp() - ${time})) filter (where ${condition}), 0)::float8`;
  const { rows } = await sql<WebhookState>`
    select count(*) filter (where ${isActive})::int as active, count(paused_time)::int as paused,
      count(disabled_time)::int as disabled,
      ${ageOf(sql`due.due_time`, sql`true`)} as "overdueSeconds",
      ${ageOf(sql`missing.since`, sql`w.failing_since is null`)} as "lagSeconds",
      ${ageOf(sql`missing.since`, sql`w.failing_since is not null`)} as "failingLagSeconds"
    from webhook w join application a on a.id = w.application_id left join lateral (
      select d.due_time from webhook_delivery d
      where d.webhook_id = w.id and d.state = 'pending' and d.due_time < statement_timestamp()
        and (d.claimed_until is null or d.claimed_until <= statement_timestamp())
      order by d.due_time limit 1
    ) as due on ${isActive} and a.status = 'approved'
    left join lateral (select ${oldestMissing} as since) as missing on ${isActive} and a.status = 'approved'
    where w.deleted_time is null`.execute(db);
  return rows[0]!;
}

/**
 * SQL: when the oldest event that webhook `w` has not received was created, with or without a delivery; null if there
 * is none. May be off by some milliseconds, because events numbered together may have been created in another order.
 */
const oldestMissing = sql<Date | null>`(
  select min(e.created_time) from event e
  where e.application_id = w.application_id and e.position in (
    (select position from event where application_id = w.application_id and position > w.after_position
      order by position limit 1)
    union all
    (select position from event where application_id = w.application_id and position > w.replay_after
      and position <= w.replay_until order by position limit 1)
    union all
    (select min(position) from webhook_delivery d where d.webhook_id = w.id and d.state = 'pending')
  ))`;

const MAX_LISTED = 20;
const MAX_COUNTED = 10_000;

export interface WebhookFaults extends WebhookState {
  /** Active and disabled webhooks that the viewer sees, and how many of the active ones are failing. */
  active: number;
  disabled: number;
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
      sql<number>`(count(*) filter (where ${isActive}))::int`.as('active'),
      sql<number>`count(disabled_time)::int`.as('disabled'),
      sql<number>`(count(failing_since) filter (where ${isActive}))::int`.as('failing'),
      inMs('min(disabled_time)').as('disabledSinceTime'),
      inMs('min(failing_since) filter (where num_nonnulls(disabled_time, paused_time) = 0)').as('failingSinceTime'),
    ])
    .executeTakeFirstOrThrow();
  const rows = await webhooksOf(db, viewer)
    .where(sql<boolean>`(disabled_time is not null or (failing_since is not null and paused_time is null))`)
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
        (select from event e where e.application_id = w.application_id and e.position > w.after_position
         limit ${MAX_COUNTED + 1})
        union all
        (select from event e where e.application_id = w.application_id and e.position > w.replay_after
          and e.position <= w.replay_until limit ${MAX_COUNTED + 1})
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
