import {
  type DeliveryPage,
  type ListPageQuery,
  Refusal,
  TEST_TYPE,
  type WebhookDelivery,
  type WebhookId,
} from '@lockstep/contract';
import { type Database, inMs, inSnapshot, inTransaction, isId, ListCursor, Overload } from '@lockstep/platform';
import { sql } from 'kysely';
import { MAX_ATTEMPTS } from '../retry-schedule.ts';
import { requireActive, requireWebhook, type WebhookViewer } from './webhooks.ts';

/** How many test messages of a webhook may be pending. */
const MAX_PENDING_TESTS = 20;

/** Returns the webhook-id of a message: the id of its event, or for a test its own (rules 6.8). */
export function messageIdOf({ id, position }: { id: string; position: string | null }): string {
  return position ?? `test_${id}`;
}

/**
 * Queues a test message for a webhook (rules 6.8).
 *
 * Throws a Refusal: those of requireActive; an Overload if too many tests are pending.
 */
export async function testWebhook(db: Database, viewer: WebhookViewer, webhookId: WebhookId): Promise<WebhookDelivery> {
  return await inTransaction(db, async (trx) => {
    const { webhookId: id } = await requireActive(trx, viewer, webhookId);
    const { count } = await trx
      .selectFrom('webhook_delivery')
      .where('webhook_id', '=', id)
      .where('state', '=', 'pending')
      .where('position', 'is', null)
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .executeTakeFirstOrThrow();
    if (Number(count) >= MAX_PENDING_TESTS)
      throw new Overload(`the webhook already has ${MAX_PENDING_TESTS} pending tests`);
    const row = await trx
      .insertInto('webhook_delivery')
      .values({ webhook_id: id, type: TEST_TYPE })
      .returning(SHOWN)
      .executeTakeFirstOrThrow();
    return { ...row, attempts: [] };
  });
}

/**
 * Sends a message to a webhook again, under the same id (rules 6.8). A pending message becomes due, except for a last
 * attempt, whose failure disables the webhook.
 *
 * Throws a Refusal: those of requireActive, delivery_not_found or event_deleted.
 */
export async function resendDelivery(
  db: Database,
  viewer: WebhookViewer,
  webhookId: WebhookId,
  deliveryId: string,
): Promise<WebhookDelivery> {
  return await inTransaction(db, async (trx) => {
    const { webhookId: id, applicationId } = await requireActive(trx, viewer, webhookId);
    const ofWebhook = trx.selectFrom('webhook_delivery').where('webhook_id', '=', id);
    const sent = isId(deliveryId)
      ? await ofWebhook.where('id', '=', deliveryId).select(['position', 'type']).executeTakeFirst()
      : undefined;
    if (sent === undefined) throw new Refusal('delivery_not_found', id, deliveryId);
    const { position, type } = sent;
    if (position !== null) {
      const { rows } = await sql`
        select from event where application_id = ${applicationId} and position = ${position}`.execute(trx);
      if (rows.length === 0) throw new Refusal('event_deleted', deliveryId);
    }
    const shown = [...SHOWN, ATTEMPTS.as('attempts')] as const;
    const [due] = await trx
      .updateTable('webhook_delivery')
      .set({
        state: 'pending',
        due_time: sql<Date>`case when position is null or attempts < ${MAX_ATTEMPTS - 1}
          then statement_timestamp() else due_time end`,
      })
      .where('webhook_id', '=', id)
      // A test is sent by the same row, because its id is the row's. Of an event there may be a later row.
      .where(({ and, eb }) =>
        position === null
          ? eb('id', '=', deliveryId)
          : and([eb('state', '=', 'pending'), eb('position', '=', position)]),
      )
      .returning(shown)
      .execute();
    if (due !== undefined) return due;
    const added = trx.insertInto('webhook_delivery').values({ webhook_id: id, position, type });
    return await added.returning(shown).executeTakeFirstOrThrow();
  });
}

/**
 * Returns a page of the deliveries of a webhook, newest first, with their attempts (rules 6.8).
 *
 * Throws a Refusal (webhook_not_found) or a WrongCursor.
 */
export async function listDeliveries(
  db: Database,
  viewer: WebhookViewer,
  webhookId: WebhookId,
  { limit, cursor }: ListPageQuery,
): Promise<DeliveryPage> {
  const cursors = new ListCursor(['listDeliveries', viewer.applicationId, webhookId], cursor);
  return await inSnapshot(db, async (trx) => {
    const { webhookId: id } = await requireWebhook(trx, viewer, webhookId);
    const rows = await trx
      .selectFrom('webhook_delivery')
      .select([...SHOWN, ATTEMPTS.as('attempts')])
      .where('webhook_id', '=', id)
      .$if(cursors.after !== null, (query) => query.where('id', '<', cursors.after![0]!))
      .orderBy('id', 'desc')
      .limit(limit + 1)
      .execute();
    const { page: deliveries, nextCursor } = cursors.cut(rows, limit, ({ deliveryId }) => [deliveryId]);
    return { deliveries, nextCursor };
  });
}

/** SQL for what is shown of a delivery, and for its attempts. */
const SHOWN = [
  'id as deliveryId',
  sql<string>`coalesce(position::text, 'test_' || id)`.as('messageId'),
  'type',
  'state',
  inMs('created_time').as('createdTime'),
  sql<number | null>`${inMs('due_time')}`.as('nextAttemptTime'),
] as const;
const ATTEMPTS = sql<WebhookDelivery['attempts']>`(
  select coalesce(json_agg(
    json_build_object(
      'time', ${inMs('time')}, 'status', status, 'durationMs', duration_ms, 'fault', fault, 'answer', answer
    ) order by number
  ), '[]') from webhook_attempt where delivery_id = webhook_delivery.id
)`;
