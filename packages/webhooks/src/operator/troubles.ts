import type { TroubledWebhook } from '@lockstep/contract/console';
import type { Database } from '@lockstep/platform';
import { type Expression, sql } from 'kysely';
import { readWebhookState, type WebhookState } from '../delivering/metrics.ts';
import type {} from '../tables.ts';
import { hideQuery } from './webhooks.ts';

/** Troubled webhooks that are listed at most. */
const MAX_LISTED = 20;

/** How the webhooks of all applications do. */
export interface WebhookTroubles extends WebhookState {
  /** How many active ones cannot be delivered to now. */
  failing: number;
  /** Since when the first of those is disabled, and the first fails: milliseconds. */
  disabledSinceTime: number | null;
  failingSinceTime: number | null;
  /** Those that are disabled or fail, the latest trouble first; not all, if there are many. */
  troubled: TroubledWebhook[];
}

const milliseconds = (time: Expression<Date | null>) =>
  sql<number | null>`floor(extract(epoch from ${time}) * 1000)::float8`;

/** Reads how the webhooks of all applications do, and which ones are in trouble. */
export async function readWebhookTroubles(db: Database): Promise<WebhookTroubles> {
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
    troubled: rows.map((row) => ({
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
