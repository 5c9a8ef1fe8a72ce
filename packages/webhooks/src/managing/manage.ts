import {
  type ApplicationCaller,
  type ApplicationId,
  type CreateWebhook,
  type EventId,
  MAX_OLD_SECRETS,
  MAX_WEBHOOKS,
  Refusal,
  type ReplayEvents,
  requireChannel,
  type UpdateWebhook,
  type Webhook,
  type WebhookId,
  type WebhookWithSecret,
} from '@lockstep/contract';
import { assertPositionAssigned, parsePosition } from '@lockstep/orders';
import { type Database, inTransaction, type Tables, type Trx } from '@lockstep/platform';
import { sql, type UpdateObject } from 'kysely';
import { MAX_ATTEMPTS } from '../retry-schedule.ts';
import { checkUrl } from '../sending/addresses.ts';
import { newSecret, showSecret } from '../sending/messages.ts';
import {
  failPending,
  requireActive,
  requireEnabled,
  requireWebhook,
  type ShownWebhook,
  shownWebhooks,
  showWebhook,
  type WebhookViewer,
  webhooksOf,
} from './webhooks.ts';

/** How long a secret signs after it was replaced (rules 6.8). */
const OLD_SECRET_HOURS = 24;

/** What is known of an endpoint to which nothing was sent. */
const UNKNOWN = { at_once: 1, last_attempt_prompt: null, failing_since: null, failing_told: false };

/** The last position assigned to an event. Events numbered from now on come after it. */
const lastPosition = sql<EventId>`(select last_position from event_counter)`;

/**
 * Registers a webhook, which receives events from now on (rules 6.8).
 *
 * Throws a Refusal: those of checkUrl, channel_not_allowed and webhooks_exhausted.
 */
export async function createWebhook(
  db: Database,
  { applicationId, channels }: ApplicationCaller,
  { url, description, types = null, channelCodes = null }: CreateWebhook,
  rule: { allowPrivate: boolean },
): Promise<WebhookWithSecret> {
  for (const code of channelCodes ?? []) requireChannel(channels, code, 'channelCodes');
  await checkUrl(url, rule);
  const secret = newSecret();
  return await inTransaction(db, async (trx) => {
    // Serializes the calls of an application, so that the count is exact.
    await sql`select from application where id = ${applicationId} for no key update`.execute(trx);
    const others = await webhooksOf(trx, { applicationId }).select('webhook.id').execute();
    if (others.length >= MAX_WEBHOOKS) throw new Refusal('webhooks_exhausted', MAX_WEBHOOKS);
    const { rows } = await sql<{ id: WebhookId }>`
      insert into webhook (application_id, url, description, secret, types, channel_codes, after_position)
      values (${applicationId}, ${url}, ${description ?? null}, ${secret}, ${types}, ${channelCodes}, ${lastPosition})
      returning id`.execute(trx);
    return { ...(await readWebhook(trx, { applicationId }, rows[0]!.id)), secret: showSecret(secret) };
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

/**
 * Changes what is given of a webhook (rules 6.8). What is known of an endpoint ends with its URL, and pending messages
 * become due at the next one.
 *
 * Throws a Refusal: those of checkUrl, channel_not_allowed and webhook_not_found.
 */
export async function updateWebhook(
  db: Database,
  caller: ApplicationCaller,
  webhookId: WebhookId,
  { url, description, types, channelCodes }: UpdateWebhook,
  rule: { allowPrivate: boolean },
): Promise<Webhook> {
  for (const code of channelCodes ?? []) requireChannel(caller.channels, code, 'channelCodes');
  await requireWebhook(db, caller, webhookId);
  if (url !== undefined) await checkUrl(url, rule);
  return await changeWebhook(db, caller, webhookId, requireWebhook, (before) => ({
    ...(url !== undefined && url !== before.url && { url, ...UNKNOWN }),
    ...(description !== undefined && { description: description || null }),
    ...(types !== undefined && { types }),
    ...(channelCodes !== undefined && { channel_codes: channelCodes }),
  }));
}

/** Pauses a webhook until it is resumed (rules 6.8). Throws a Refusal: webhook_not_found or webhook_disabled. */
export function pauseWebhook(db: Database, viewer: WebhookViewer, webhookId: WebhookId): Promise<Webhook> {
  return changeWebhook(db, viewer, webhookId, requireEnabled, ({ pausedTime }) =>
    pausedTime === null ? { paused_time: sql<Date>`statement_timestamp()` } : {},
  );
}

/** Resumes a paused webhook (rules 6.8). Throws a Refusal: webhook_not_found or webhook_disabled. */
export function resumeWebhook(db: Database, viewer: WebhookViewer, webhookId: WebhookId): Promise<Webhook> {
  return changeWebhook(db, viewer, webhookId, requireEnabled, () => ({ paused_time: null }));
}

/** Deletes a webhook and its secrets (rules 6.8). Throws a Refusal: webhook_not_found. */
export async function deleteWebhook(db: Database, viewer: WebhookViewer, webhookId: WebhookId): Promise<void> {
  await inTransaction(db, async (trx) => {
    const { webhookId: id } = await requireWebhook(trx, viewer, webhookId, { lock: true });
    await sql`update webhook set deleted_time = statement_timestamp(), secret = null where id = ${id}`.execute(trx);
    await sql`delete from webhook_old_secret where webhook_id = ${id}`.execute(trx);
    await failPending(trx, id);
  });
}

/**
 * Gives a webhook a new secret. The previous one also signs for 24 hours, as do up to nine before it (rules 6.8).
 * Throws a Refusal: webhook_not_found or secrets_exhausted.
 */
export async function rotateWebhookSecret(
  db: Database,
  viewer: WebhookViewer,
  webhookId: WebhookId,
): Promise<WebhookWithSecret> {
  const secret = newSecret();
  return await inTransaction(db, async (trx) => {
    const row = await requireWebhook(trx, viewer, webhookId, { lock: true });
    const { rows: old } = await sql<{ end_time: Date }>`
      select end_time from webhook_old_secret
      where webhook_id = ${row.webhookId} and end_time > statement_timestamp() order by end_time`.execute(trx);
    if (old.length >= MAX_OLD_SECRETS)
      throw new Refusal('secrets_exhausted', row.webhookId, MAX_OLD_SECRETS, old[0]!.end_time.toISOString());
    await sql`insert into webhook_old_secret (webhook_id, secret, end_time)
      select id, secret, statement_timestamp() + make_interval(hours => ${OLD_SECRET_HOURS})
      from webhook where id = ${row.webhookId}`.execute(trx);
    await sql`update webhook set secret = ${secret} where id = ${row.webhookId}`.execute(trx);
    return { ...showWebhook(row), secret: showSecret(secret) };
  });
}

/**
 * Enables a disabled webhook, which then receives events from now on; does nothing to an active one (rules 6.8). Throws
 * a Refusal: webhook_not_found.
 */
export async function enableWebhook(db: Database, viewer: WebhookViewer, webhookId: WebhookId): Promise<Webhook> {
  const enabled = { disabled_time: null, disabled_cause: null, replay_after: null, replay_until: null, ...UNKNOWN };
  return await changeWebhook(db, viewer, webhookId, requireWebhook, ({ disabledTime }) =>
    disabledTime === null ? {} : { ...enabled, after_position: lastPosition },
  );
}

/** Changes columns of a webhook that `require` finds, and returns it. */
async function changeWebhook(
  db: Database,
  viewer: WebhookViewer,
  webhookId: WebhookId,
  require: (trx: Trx, viewer: WebhookViewer, webhookId: WebhookId, how: { lock: true }) => Promise<ShownWebhook>,
  change: (before: ShownWebhook) => UpdateObject<Tables, 'webhook'>,
): Promise<Webhook> {
  return await inTransaction(db, async (trx) => {
    const before = await require(trx, viewer, webhookId, { lock: true });
    const set = change(before);
    if (Object.keys(set).length === 0) return showWebhook(before);
    await trx.updateTable('webhook').set(set).where('id', '=', before.webhookId).execute();
    if ('url' in set) await makeDue(trx, before.webhookId);
    return await readWebhook(trx, viewer, webhookId);
  });
}

/**
 * Sends stored events again: all, those after an event, or those of a period (rules 6.8). A replay that is not finished
 * is extended to cover both. Pending retries of these events become due at once, except a last attempt, whose failure
 * disables the webhook.
 *
 * Throws a Refusal: those of requireActive, and event_unknown.
 */
export async function replayWebhook(
  db: Database,
  viewer: WebhookViewer,
  webhookId: WebhookId,
  { after, from, to }: Partial<ReplayEvents>,
): Promise<Webhook> {
  return await inTransaction(db, async (trx) => {
    const row = await requireActive(trx, viewer, webhookId);
    const place = parsePosition(after);
    await assertPositionAssigned(trx, place);
    const begin = from === undefined ? String(place) : await findEventBefore(trx, row.applicationId, from);
    // Later events are sent in any case.
    const end = to === undefined ? null : await findEventBefore(trx, row.applicationId, to + 1);
    await sql`
      update webhook set replay_after = least(replay_after, ${begin}),
        replay_until = greatest(replay_until, least(${end}::bigint, after_position))
      where id = ${row.webhookId} and ${begin}::bigint < least(${end}::bigint, after_position)`.execute(trx);
    await makeDue(trx, row.webhookId, begin, end);
    return showWebhook(row);
  });
}

/** Makes pending retries of a range of events due at once, except last attempts, whose failure disables the webhook. */
async function makeDue(trx: Trx, webhookId: WebhookId, begin = '0', end: EventId | null = null): Promise<void> {
  await sql`
    update webhook_delivery set due_time = statement_timestamp()
    where webhook_id = ${webhookId} and state = 'pending' and position > ${begin}
      and (${end}::bigint is null or position <= ${end})
      and due_time > statement_timestamp() and attempts < ${MAX_ATTEMPTS - 1}`.execute(trx);
}

/**
 * An event gets its time when its numbering starts and its position when the numbering gets the lock, so a later
 * position may have an earlier time. No numbering waits this long.
 */
const MAX_NUMBERING_SECONDS = 60;

/**
 * Returns the event before the first event of an application created at or after a time. If there is none, returns the
 * last event of all.
 */
async function findEventBefore(db: Database, applicationId: ApplicationId, fromMs: number): Promise<EventId> {
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
