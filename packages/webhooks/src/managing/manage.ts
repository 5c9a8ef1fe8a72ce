import {
  type ApplicationId,
  type CreateWebhook,
  type EventId,
  MAX_WEBHOOKS,
  Refusal,
  type Webhook,
  type WebhookId,
  type WebhookWithSecret,
} from '@lockstep/contract';
import { assertPositionAssigned, parsePosition } from '@lockstep/orders';
import { type Database, inTransaction } from '@lockstep/platform';
import { sql } from 'kysely';
import { MAX_ATTEMPTS } from '../retry-schedule.ts';
import { checkUrl } from '../sending/addresses.ts';
import { newSecret, showSecret } from '../sending/messages.ts';
import { failPending, requireWebhook, shownWebhooks, showWebhook, type WebhookViewer, webhooksOf } from './webhooks.ts';

/** How long the previous secret signs after a rotation (rules 6.8). */
const OLD_SECRET_HOURS = 24;

/** The last position assigned to an event. Events numbered from now on come after it. */
const lastPosition = sql<EventId>`(select last_position from event_counter)`;

/**
 * Registers a webhook, which receives events from now on (rules 6.8).
 *
 * Throws a Refusal: those of checkUrl, and webhooks_exhausted.
 */
export async function createWebhook(
  db: Database,
  applicationId: ApplicationId,
  { url, description = null }: { url: CreateWebhook['url']; description?: string | null | undefined },
  rule: { allowPrivate: boolean },
): Promise<WebhookWithSecret> {
  await checkUrl(url, rule);
  const secret = newSecret();
  return await inTransaction(db, async (trx) => {
    // Serializes the calls of an application, so that the count is exact.
    await sql`select from application where id = ${applicationId} for no key update`.execute(trx);
    const { count } = await webhooksOf(trx, { applicationId })
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .executeTakeFirstOrThrow();
    if (Number(count) >= MAX_WEBHOOKS) throw new Refusal('webhooks_exhausted', MAX_WEBHOOKS);
    const { id } = await trx
      .insertInto('webhook')
      .values({ application_id: applicationId, url, description, secret, after_position: lastPosition })
      .returning('id')
      .executeTakeFirstOrThrow();
    return { ...(await readWebhook(trx, { applicationId }, id)), secret: showSecret(secret) };
  });
}

export async function listWebhooks(db: Database, viewer: WebhookViewer): Promise<Webhook[]> {
  const rows = await shownWebhooks(db, viewer).orderBy('webhook.id').execute();
  return rows.map(showWebhook);
}

/** Returns a webhook (rules 6.8). Throws a Refusal: webhook_not_found. */
export async function readWebhook(db: Database, viewer: WebhookViewer, webhookId: WebhookId): Promise<Webhook> {
  return showWebhook(await requireWebhook(db, viewer, webhookId));
}

/** Deletes a webhook and its secrets (rules 6.8). Throws a Refusal: webhook_not_found. */
export async function deleteWebhook(db: Database, viewer: WebhookViewer, webhookId: WebhookId): Promise<void> {
  await inTransaction(db, async (trx) => {
    const { webhookId: id } = await requireWebhook(trx, viewer, webhookId, { lock: true });
    const deleted = { deleted_time: sql<Date>`statement_timestamp()` };
    const forgotten = { secret: null, old_secret: null, old_secret_end_time: null };
    await trx
      .updateTable('webhook')
      .set({ ...deleted, ...forgotten })
      .where('id', '=', id)
      .execute();
    await failPending(trx, id);
  });
}

/**
 * Gives a webhook a new secret. The previous one also signs for 24 hours; an older one stops at once (rules 6.8).
 * Throws a Refusal: webhook_not_found.
 */
export async function rotateWebhookSecret(
  db: Database,
  viewer: WebhookViewer,
  webhookId: WebhookId,
): Promise<WebhookWithSecret> {
  const secret = newSecret();
  return await inTransaction(db, async (trx) => {
    const row = await requireWebhook(trx, viewer, webhookId, { lock: true });
    await trx
      .updateTable('webhook')
      .set({
        secret,
        old_secret: sql<Buffer>`secret`,
        old_secret_end_time: sql<Date>`statement_timestamp() + make_interval(hours => ${OLD_SECRET_HOURS})`,
      })
      .where('id', '=', row.webhookId)
      .execute();
    return { ...showWebhook(row), secret: showSecret(secret) };
  });
}

/**
 * Enables a disabled webhook, which then receives events from now on; does nothing to an active one (rules 6.8). Throws
 * a Refusal: webhook_not_found.
 */
export async function enableWebhook(db: Database, viewer: WebhookViewer, webhookId: WebhookId): Promise<Webhook> {
  return await inTransaction(db, async (trx) => {
    const row = await requireWebhook(trx, viewer, webhookId, { lock: true });
    if (row.disabledTime === null) return showWebhook(row);
    const enabled = {
      disabled_time: null,
      disabled_cause: null,
      at_once: 1,
      last_attempt_prompt: null,
      failing_since: null,
    };
    await trx
      .updateTable('webhook')
      .set({ ...enabled, after_position: lastPosition })
      .where('id', '=', row.webhookId)
      .execute();
    return await readWebhook(trx, viewer, webhookId);
  });
}

/**
 * Replays the events after `after`, or all stored ones (rules 6.8). Pending retries become due at once, except a last
 * attempt, whose failure disables the webhook. Never skips an event that has not been sent yet.
 *
 * Throws a Refusal: webhook_not_found, webhook_disabled or event_unknown.
 */
export async function replayWebhook(
  db: Database,
  viewer: WebhookViewer,
  webhookId: WebhookId,
  after?: EventId,
): Promise<Webhook> {
  const position = parsePosition(after);
  const from = sql<EventId>`${String(position)}::bigint`;
  return await inTransaction(db, async (trx) => {
    const row = await requireWebhook(trx, viewer, webhookId, { lock: true });
    if (row.disabledTime !== null) throw new Refusal('webhook_disabled', row.webhookId);
    await assertPositionAssigned(trx, position);
    await trx
      .updateTable('webhook')
      .set({ after_position: sql<EventId>`least(after_position, ${from})` })
      .where('id', '=', row.webhookId)
      .execute();
    await sql`update webhook_delivery set due_time = statement_timestamp()
      where webhook_id = ${row.webhookId} and state = 'pending' and position > ${from}
        and due_time > statement_timestamp() and attempts < ${MAX_ATTEMPTS - 1}`.execute(trx);
    return showWebhook(row);
  });
}
