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
    const { rows } = await sql<WebhookDelivery>`
      insert into webhook_delivery (webhook_id, type) select ${id}::bigint, ${TEST_TYPE} where ${MAX_PENDING_TESTS} > (
        select count(*) from webhook_delivery where webhook_id = ${id} and state = 'pending' and position is null
      ) returning ${SHOWN}`.execute(trx);
    if (rows[0] === undefined) throw new Overload(`the webhook already has ${MAX_PENDING_TESTS} pending tests`);
    return rows[0];
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
    if (!isId(deliveryId)) throw new Refusal('delivery_not_found', id, deliveryId);
    const { rows: sent } = await sql<{ position: string | null; type: string }>`
      select position, type from webhook_delivery where webhook_id = ${id} and id = ${deliveryId}`.execute(trx);
    if (sent[0] === undefined) throw new Refusal('delivery_not_found', id, deliveryId);
    const { position, type } = sent[0];
    if (position !== null) {
      const { rows } = await sql`
        select from event where application_id = ${applicationId} and position = ${position}`.execute(trx);
      if (rows.length === 0) throw new Refusal('event_deleted', deliveryId);
    }
    // A test is sent by the same row, because its id is the row's. Of an event there may be a later row.
    const row = position === null ? sql`id = ${deliveryId}` : sql`state = 'pending' and position = ${position}`;
    const { rows: due } = await sql<WebhookDelivery>`
      update webhook_delivery set state = 'pending', due_time =
        case when position is null or attempts < ${MAX_ATTEMPTS - 1} then statement_timestamp() else due_time end
      where webhook_id = ${id} and ${row} returning ${SHOWN}`.execute(trx);
    if (due[0] !== undefined) return due[0];
    const { rows: added } = await sql<WebhookDelivery>`
      insert into webhook_delivery (webhook_id, position, type) values (${id}, ${position}, ${type})
      returning ${SHOWN}`.execute(trx);
    return added[0]!;
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
    const older = cursors.after === null ? sql`true` : sql`id < ${cursors.after[0]}`;
    const { rows } = await sql<WebhookDelivery>`
      select ${SHOWN} from webhook_delivery where webhook_id = ${id} and ${older}
      order by id desc limit ${limit + 1}`.execute(trx);
    const { page: deliveries, nextCursor } = cursors.cut(rows, limit, ({ deliveryId }) => [deliveryId]);
    return { deliveries, nextCursor };
  });
}

/** SQL for a delivery with its attempts, as it is shown. */
const SHOWN = sql`id as "deliveryId", coalesce(position::text, 'test_' || id) as "messageId", type, state,
  ${inMs('created_time')} as "createdTime", ${inMs('due_time')} as "nextAttemptTime", (
    select coalesce(json_agg(
      json_build_object(
        'time', ${inMs('time')}, 'status', status, 'durationMs', duration_ms, 'fault', fault, 'answer', answer
      ) order by number
    ), '[]') from webhook_attempt where delivery_id = webhook_delivery.id
  ) as attempts`;
