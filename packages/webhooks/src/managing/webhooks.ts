import {
  type ApplicationCaller,
  type EventType,
  type Operator,
  Refusal,
  type Webhook,
  type WebhookId,
} from '@lockstep/contract';
import type { ConsoleData, ConsoleRequest, ConsoleWebhook, WebhookHealth } from '@lockstep/contract/console';
import { type Database, inMs, isId, ListCursor, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import type {} from '../tables.ts';

/** Who looks: the application of the webhooks, or an operator, who sees those of all applications that they see. */
export type WebhookViewer = Pick<ApplicationCaller, 'applicationId'> | Operator;

/** Starts a query for the webhooks that a viewer sees and that are not deleted. All operations start here. */
export function webhooksOf(db: Database, viewer: WebhookViewer) {
  const { applicationId } = viewer;
  const channels = applicationId === null ? viewer.channels : null;
  return db
    .selectFrom('webhook')
    .innerJoin('application', 'application.id', 'webhook.application_id')
    .where('webhook.deleted_time', 'is', null)
    .$if(applicationId !== null, (all) => all.where('webhook.application_id', '=', applicationId!))
    .$if(channels !== null, (all) => all.where(sql<boolean>`application.channels <@ ${channels}::text[]`));
}

const inMsOrNull = (time: string) => sql<number | null>`${inMs(time)}`;

/** Starts a query for these webhooks with what is shown of them. */
export function shownWebhooks(db: Database, viewer: WebhookViewer) {
  return webhooksOf(db, viewer)
    .select(['webhook.id as webhookId', 'application_id as applicationId', 'url', 'description'])
    .select([
      sql<Webhook['state']>`
        case when disabled_time is not null then 'disabled' when paused_time is not null then 'paused' else 'active' end
      `.as('state'),
      sql<Webhook['types']>`types`.as('types'),
      'channel_codes as channelCodes',
    ])
    .select([inMs('webhook.created_time').as('createdTime'), inMsOrNull('paused_time').as('pausedTime')])
    .select([inMsOrNull('disabled_time').as('disabledTime'), 'disabled_cause as disabledCause'])
    .select([inMsOrNull('failing_since').as('failingSinceTime'), 'app_key as appKey'])
    .select(['application.name as applicationName', 'status as applicationStatus']);
}

export type ShownWebhook = Awaited<ReturnType<ReturnType<typeof shownWebhooks>['executeTakeFirstOrThrow']>>;

/**
 * Returns a webhook that the viewer sees; undefined if there is none. With `lock`, locks it until the transaction ends,
 * as workers do before they claim its deliveries. Always lock a webhook before its deliveries.
 */
export async function findWebhook(
  db: Database,
  viewer: WebhookViewer,
  webhookId: WebhookId,
  { lock = false } = {},
): Promise<ShownWebhook | undefined> {
  if (!isId(webhookId)) return undefined;
  return await shownWebhooks(db, viewer)
    .where('webhook.id', '=', webhookId)
    .$if(lock, (found) => found.forNoKeyUpdate('webhook'))
    .executeTakeFirst();
}

/** Returns a webhook as `findWebhook` does. Throws a Refusal: webhook_not_found. */
export async function requireWebhook(...named: Parameters<typeof findWebhook>): Promise<ShownWebhook> {
  const found = await findWebhook(...named);
  if (found === undefined) throw new Refusal('webhook_not_found', named[2]);
  return found;
}

/** Locks a webhook for sending to it. Throws a Refusal: webhook_not_found, webhook_disabled or webhook_paused. */
export async function requireActive(trx: Trx, viewer: WebhookViewer, webhookId: WebhookId): Promise<ShownWebhook> {
  const row = await requireEnabled(trx, viewer, webhookId);
  if (row.pausedTime !== null) throw new Refusal('webhook_paused', row.webhookId);
  return row;
}

/** Locks a webhook that is not disabled. Throws a Refusal: webhook_not_found or webhook_disabled. */
export async function requireEnabled(trx: Trx, viewer: WebhookViewer, webhookId: WebhookId): Promise<ShownWebhook> {
  const row = await requireWebhook(trx, viewer, webhookId, { lock: true });
  if (row.disabledTime !== null) throw new Refusal('webhook_disabled', row.webhookId);
  return row;
}

/** Shows a webhook to its application. */
export function showWebhook(row: ShownWebhook): Webhook {
  const { applicationId, failingSinceTime, appKey, applicationName, applicationStatus, ...shown } = row;
  return shown;
}

/** Shows a webhook to operators. */
export function showSentWebhook({ applicationId: _, ...row }: ShownWebhook): ConsoleWebhook {
  const isFailing = row.state === 'active' && row.failingSinceTime !== null;
  return { ...row, url: hideQuery(row.url), state: isFailing ? 'failing' : row.state };
}

/** Returns a URL for operators without the values of its query, in which some receivers expect a secret. */
export function hideQuery(url: string): string {
  const [address, query] = url.split('?', 2);
  return query === undefined ? address! : `${address}?…`;
}

const CONDITIONS: Record<WebhookHealth, ReturnType<typeof sql<boolean>>> = {
  active: sql<boolean>`num_nonnulls(webhook.disabled_time, webhook.paused_time, webhook.failing_since) = 0`,
  failing: sql<boolean>`num_nonnulls(webhook.disabled_time, webhook.paused_time) = 0 and webhook.failing_since is not null`,
  paused: sql<boolean>`webhook.paused_time is not null`,
  disabled: sql<boolean>`webhook.disabled_time is not null`,
};

/**
 * Lists webhooks for operators, newest first. It scans rows, of which an application has at most 20. Throws a
 * WrongCursor.
 */
export async function listWebhookPage(
  db: Database,
  viewer: WebhookViewer,
  { limit, cursor, ...filters }: ConsoleRequest<'listWebhooks'>['query'],
): Promise<ConsoleData<'listWebhooks'>> {
  const { state, appKey } = filters;
  const cursors = new ListCursor(['webhooks', viewer.applicationId, filters], cursor);
  const rows = await shownWebhooks(db, viewer)
    .$if(state !== undefined, (query) => query.where(CONDITIONS[state!]))
    .$if(appKey !== undefined, (query) => query.where('app_key', '=', appKey!))
    .$if(cursors.after !== null, (query) => query.where('webhook.id', '<', cursors.after![0] as WebhookId))
    .orderBy('webhook.id', 'desc')
    .limit(limit + 1)
    .execute();
  const { page, nextCursor } = cursors.cut(rows, limit, ({ webhookId }) => [webhookId]);
  return { webhooks: page.map(showSentWebhook), nextCursor };
}

export type DisabledCause = NonNullable<Webhook['disabledCause']>;

/** Disables a webhook that the transaction has locked (rules 6.8). Returns false if it was not active. */
export async function disableWebhook(trx: Trx, webhookId: WebhookId, cause: DisabledCause): Promise<boolean> {
  const disabled = await sql`
    update webhook set paused_time = null, disabled_time = statement_timestamp(), disabled_cause = ${cause}
    where id = ${webhookId} and disabled_time is null and deleted_time is null`.execute(trx);
  if (disabled.numAffectedRows === 0n) return false;
  await failPending(trx, webhookId);
  await tellOf(trx, 'webhook.disabled', [webhookId]);
  return true;
}

/** Adds an event about webhooks to their applications' feeds, in the transaction that changes them (rules 6.8). */
export async function tellOf(trx: Trx, type: EventType, webhookIds: readonly WebhookId[]): Promise<void> {
  await sql`
    insert into unnumbered_event (application_id, type, data)
    select application_id, ${type}, json_build_object(
      'webhookId', id::text, 'cause', disabled_cause, 'sinceTime', ${inMs('coalesce(disabled_time, failing_since)')}
    ) from webhook where id = any (${webhookIds}::bigint[])`.execute(trx);
}

/** Fails the pending messages of a webhook. A message in flight still gets its actual outcome. */
export async function failPending(trx: Trx, webhookId: WebhookId): Promise<void> {
  await sql`
    update webhook_delivery set state = 'failed', due_time = null
    where webhook_id = ${webhookId} and state = 'pending'`.execute(trx);
}
