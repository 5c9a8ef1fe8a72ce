import type { WebhookId } from '@lockstep/contract';
import type { ConsoleWebhook, WebhookHealth } from '@lockstep/contract/console';
import { type Database, isId, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { type OwnWebhook, SHOWN, showWebhook } from '../managing/own-webhooks.ts';

interface WebhookFilters {
  state: WebhookHealth | undefined;
  appKey: string | undefined;
}

/**
 * Returns a page of the webhooks of all applications, newest first, after an id, and the id that ends it; null at the
 * end. Leaves out deleted webhooks. It scans rows, of which an application has at most 20.
 */
export async function listWebhookPage(
  db: Database,
  { state, appKey }: WebhookFilters,
  { after, limit }: { after: WebhookId | null; limit: number },
): Promise<{ webhooks: ConsoleWebhook[]; stop: WebhookId | null }> {
  const rows = await allWebhooks(db)
    .$if(state !== undefined, (query) => query.where(CONDITIONS[state!]))
    .$if(appKey !== undefined, (query) => query.where('application.app_key', '=', appKey!))
    .$if(after !== null, (query) => query.where('webhook.id', '<', after!))
    .orderBy('webhook.id', 'desc')
    .limit(limit + 1)
    .execute();
  const page = rows.slice(0, limit);
  return { webhooks: page.map(show), stop: rows.length > limit ? page.at(-1)!.id : null };
}

const CONDITIONS: Record<WebhookHealth, ReturnType<typeof sql<boolean>>> = {
  active: sql<boolean>`webhook.disabled_time is null and webhook.failing_since is null`,
  failing: sql<boolean>`webhook.disabled_time is null and webhook.failing_since is not null`,
  disabled: sql<boolean>`webhook.disabled_time is not null`,
};

export interface AnyWebhook {
  own: OwnWebhook;
  webhook: ConsoleWebhook;
}

/** Returns a webhook of any application; undefined if there is none or it has been deleted. */
export async function findAnyWebhook(db: Database, webhookId: WebhookId): Promise<AnyWebhook | undefined> {
  return shape(await selectOne(db, webhookId)?.executeTakeFirst());
}

/** Returns a webhook as findAnyWebhook does, and locks it until the transaction ends. */
export async function lockAnyWebhook(trx: Trx, webhookId: WebhookId): Promise<AnyWebhook | undefined> {
  return shape(await selectOne(trx, webhookId)?.forNoKeyUpdate('webhook').executeTakeFirst());
}

function selectOne(db: Database, webhookId: WebhookId) {
  return isId(webhookId) ? allWebhooks(db).where('webhook.id', '=', webhookId) : undefined;
}

function shape(row: Row | undefined): AnyWebhook | undefined {
  return row && { own: { applicationId: row.application_id, webhookId: row.id }, webhook: show(row) };
}

function allWebhooks(db: Database) {
  return db
    .selectFrom('webhook')
    .innerJoin('application', 'application.id', 'webhook.application_id')
    .where('webhook.deleted_time', 'is', null)
    .select(SHOWN.map((column) => `webhook.${column}` as const))
    .select(['webhook.application_id', 'webhook.failing_since'])
    .select(['application.app_key', 'application.name as application_name', 'application.status']);
}

type Row = Awaited<ReturnType<ReturnType<typeof allWebhooks>['executeTakeFirstOrThrow']>>;

function show(row: Row): ConsoleWebhook {
  const webhook = showWebhook(row);
  const isFailing = webhook.state === 'active' && row.failing_since !== null;
  return {
    ...webhook,
    url: hideQuery(row.url),
    state: isFailing ? 'failing' : webhook.state,
    appKey: row.app_key,
    applicationName: row.application_name,
    applicationStatus: row.status,
    failingSinceTime: row.failing_since?.getTime() ?? null,
  };
}

/** Returns a URL for operators without the values of its query, in which some receivers expect a secret. */
export function hideQuery(url: string): string {
  const [address, query] = url.split('?', 2);
  return query === undefined ? address! : `${address}?…`;
}
