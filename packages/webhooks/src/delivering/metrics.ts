import type { Database } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** The counters and histograms of webhooks. docs/runbooks/README.md explains each. */
export type WebhookMetrics = ReturnType<typeof createWebhookMetrics>;

const created = new WeakMap<Registry, WebhookMetrics>();

export function webhookMetricsOf(registry: Registry): WebhookMetrics {
  const metrics = created.get(registry) ?? createWebhookMetrics(registry);
  created.set(registry, metrics);
  return metrics;
}

function createWebhookMetrics(registry: Registry) {
  const registers = [registry];
  return {
    attempts: new Counter({
      name: 'lockstep_webhook_attempts_total',
      help: 'Attempts to deliver webhook messages',
      labelNames: ['outcome'],
      registers,
    }),
    attemptSeconds: new Histogram({
      name: 'lockstep_webhook_attempt_seconds',
      help: 'Duration of webhook attempts, up to the response status',
      labelNames: ['outcome'],
      buckets: [0.01, 0.05, 0.2, 1, 2, 5, 15],
      registers,
    }),
    busySeconds: new Counter({
      name: 'lockstep_webhook_busy_seconds_total',
      help: 'Time the worker spent building webhook messages and parsing responses',
      registers,
    }),
    disabled: new Counter({
      name: 'lockstep_webhooks_disabled_total',
      help: 'Webhooks disabled after failed attempts or a 410 response',
      labelNames: ['cause'],
      registers,
    }),
  };
}

/**
 * How many webhooks there are, and how late active ones of approved applications are, in seconds (0 if they aren't).
 */
export interface WebhookState {
  active: number;
  disabled: number;
  overdueSeconds: number;
  /** The age of the oldest event not delivered, for endpoints that respond and for failing ones. */
  lagSeconds: number;
  failingLagSeconds: number;
}

/** Adds the gauges of webhooks to a process that serves its metrics. Each scrape reads the database once. */
export function registerWebhookGauges(registry: Registry, db: Database): void {
  const registers = [registry];
  let reading: Promise<WebhookState | undefined> | undefined;
  const read = () => {
    reading ??= readWebhookState(db)
      .catch(() => undefined)
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };
  new Gauge({
    name: 'lockstep_webhooks',
    help: 'Webhooks by state',
    labelNames: ['state'],
    registers,
    async collect() {
      const state = await read();
      this.reset();
      if (state === undefined) return;
      this.set({ state: 'active' }, state.active);
      this.set({ state: 'disabled' }, state.disabled);
    },
  });
  new Gauge({
    name: 'lockstep_webhook_overdue_seconds',
    help: 'Time since the most overdue webhook message was due; 0 if none is overdue',
    registers,
    async collect() {
      const state = await read();
      if (state === undefined) this.remove();
      else this.set(state.overdueSeconds);
    },
  });
  new Gauge({
    name: 'lockstep_webhook_lag_seconds',
    help: 'Age of the oldest event not yet delivered, by answering and failing endpoints; 0 if none',
    labelNames: ['endpoints'],
    registers,
    async collect() {
      const state = await read();
      this.reset();
      if (state === undefined) return;
      this.set({ endpoints: 'answering' }, state.lagSeconds);
      this.set({ endpoints: 'failing' }, state.failingLagSeconds);
    },
  });
}

export async function readWebhookState(db: Database): Promise<WebhookState> {
  const ageOf = (time: RawBuilder<unknown>, condition: RawBuilder<unknown>) => sql<number>`
    coalesce(max(extract(epoch from statement_timestamp() - ${time})) filter (where ${condition}), 0)::float8`;
  const { rows } = await sql<WebhookState>`
    select count(*) filter (where disabled_time is null)::int as active,
      count(*) filter (where disabled_time is not null)::int as disabled,
      ${ageOf(sql`due.due_time`, sql`true`)} as "overdueSeconds",
      ${ageOf(sql`missing.since`, sql`w.failing_since is null`)} as "lagSeconds",
      ${ageOf(sql`missing.since`, sql`w.failing_since is not null`)} as "failingLagSeconds"
    from webhook w join application a on a.id = w.application_id left join lateral (
      select d.due_time from webhook_delivery d
      where d.webhook_id = w.id and d.state = 'pending' and d.due_time < statement_timestamp()
        and (d.claimed_until is null or d.claimed_until <= statement_timestamp())
      order by d.due_time limit 1
    ) as due on w.disabled_time is null and a.status = 'approved'
    left join lateral (select ${oldestMissing} as since) as missing on w.disabled_time is null and a.status = 'approved'
    where w.deleted_time is null`.execute(db);
  return rows[0]!;
}

/**
 * SQL: when the oldest event that webhook `w` has not received was created, with or without a delivery; null if there
 * is none. May be off by some milliseconds, because events numbered together may have been created in another order.
 */
export const oldestMissing = sql<Date | null>`(
  select min(e.created_time) from event e
  where e.application_id = w.application_id and e.position in (
    (select position from event where application_id = w.application_id and position > w.after_position
      order by position limit 1)
    union all
    (select min(position) from webhook_delivery d where d.webhook_id = w.id and d.state = 'pending')
  ))`;
