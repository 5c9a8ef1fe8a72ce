import { Refusal, type WebhookId } from '@lockstep/contract';
import type { ConsoleWebhook, WebhookHealth } from '@lockstep/contract/console';
import { type Database, isId, readCursor, type Trx, writeCursor } from '@lockstep/platform';
import { sql } from 'kysely';
import { type OwnWebhook, SHOWN, showWebhook } from './own-webhooks.ts';

/** Which webhooks an operator looks for, and which page of them. */
interface WebhookQuery {
  state: WebhookHealth | undefined;
  /** Only those of this application. */
  appKey: string | undefined;
  limit: number;
  cursor: string | undefined;
}

/**
 * Lists the webhooks of all applications, newest first; deleted ones are gone. An application has 20 at most: the list walks
 * through their rows.
 *
 * Throws a Refusal: field_invalid for a cursor that is not of this list.
 */
export async function listWebhookPage(
  db: Database,
  { state, appKey, limit, cursor }: WebhookQuery,
): Promise<{ webhooks: ConsoleWebhook[]; nextCursor: string | null }> {
  const scope = ['console.listWebhooks', state ?? null, appKey ?? null];
  const place = cursor === undefined ? undefined : readCursor(scope, cursor, [isId]);
  if (place === null) throw new Refusal('field_invalid', 'cursor', 'is not a cursor of this list');
  const rows = await allWebhooks(db)
    .$if(state !== undefined, (query) => query.where(CONDITIONS[state!]))
    .$if(appKey !== undefined, (query) => query.where('application.app_key', '=', appKey!))
    .$if(place !== undefined, (query) => query.where('webhook.id', '<', place![0] as WebhookId))
    .orderBy('webhook.id', 'desc')
    .limit(limit + 1)
    .execute();
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    webhooks: page.map(show),
    nextCursor: rows.length > limit && last !== undefined ? writeCursor(scope, [last.id]) : null,
  };
}

const CONDITIONS: Record<WebhookHealth, ReturnType<typeof sql<boolean>>> = {
  active: sql<boolean>`webhook.disabled_time is null and webhook.failing_since is null`,
  failing: sql<boolean>`webhook.disabled_time is null and webhook.failing_since is not null`,
  disabled: sql<boolean>`webhook.disabled_time is not null`,
};

/** A webhook of any application, and whose it is. */
export interface AnyWebhook {
  own: OwnWebhook;
  webhook: ConsoleWebhook;
}

/** Finds a webhook of whatever application; undefined if there is none or it is deleted. */
export async function findAnyWebhook(db: Database, webhookId: WebhookId): Promise<AnyWebhook | undefined> {
  return shape(await selectOne(db, webhookId)?.executeTakeFirst());
}

/** Finds a webhook as findAnyWebhook does, and keeps it from changing until the transaction ends. */
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

/** An address without the values of its query: some receivers take a secret there. */
function hideQuery(url: string): string {
  const [address, query] = url.split('?', 2);
  return query === undefined ? address! : `${address}?…`;
}
