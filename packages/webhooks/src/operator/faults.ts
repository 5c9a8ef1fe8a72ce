import type { UnhealthyWebhook } from '@lockstep/contract/console';
import type { Database } from '@lockstep/platform';
import { type Expression, sql } from 'kysely';
import { readWebhookState, type WebhookState } from '../delivering/metrics.ts';
import type {} from '../tables.ts';
import { hideQuery } from './webhooks.ts';

const MAX_LISTED = 20;

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

const milliseconds = (time: Expression<Date | null>) =>
  sql<number | null>`floor(extract(epoch from ${time}) * 1000)::float8`;

/** Reads the state of the webhooks of all applications, and which ones fail or are disabled. */
export async function readWebhookFaults(db: Database): Promise<WebhookFaults> {
  const state = await readWebhookState(db);
  const kept = db.selectFrom('webhook').where('deleted_time', 'is', null);
  const sums = await kept
    .select(({ fn, ref }) => [
      fn
        .countAll<string>()
        .filterWhere('disabled_time', 'is', null)
        .filterWhere('failing_since', 'is not', null)
        .as('failing'),
      milliseconds(fn.min(ref('disabled_time'))).as('disabledSince'),
      milliseconds(fn.min(ref('failing_since')).filterWhere('disabled_time', 'is', null)).as('failingSince'),
    ])
    .executeTakeFirstOrThrow();
  const rows = await kept
    .innerJoin('application', 'application.id', 'application_id')
    .where(({ or, eb }) => or([eb('disabled_time', 'is not', null), eb('failing_since', 'is not', null)]))
    .select(['webhook.id', 'url', 'app_key', 'name', 'disabled_time', 'disabled_cause', 'failing_since'])
    .orderBy(({ fn }) => fn.coalesce('disabled_time', 'failing_since'), 'desc')
    .limit(MAX_LISTED)
    .execute();
  return {
    ...state,
    failing: Number(sums.failing),
    disabledSinceTime: sums.disabledSince,
    failingSinceTime: sums.failingSince,
    unhealthy: rows.map((row) => ({
      webhookId: row.id,
      url: hideQuery(row.url),
      appKey: row.app_key,
      applicationName: row.name,
      state: row.disabled_time === null ? 'failing' : 'disabled',
      sinceTime: (row.disabled_time ?? row.failing_since!).getTime(),
      disabledCause: row.disabled_cause,
    })),
  };
}
