import type { Webhook, WebhookId } from '@lockstep/contract';
import type { Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import type {} from '../tables.ts';

export type DisabledCause = NonNullable<Webhook['disabledCause']>;

/** Disables a webhook that the transaction has locked (rules 6.8). Returns false if it was not active. */
export async function disableWebhook(trx: Trx, webhookId: WebhookId, cause: DisabledCause): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('webhook')
    .set({ disabled_time: sql<Date>`statement_timestamp()`, disabled_cause: cause })
    .where('id', '=', webhookId)
    .where('disabled_time', 'is', null)
    .where('deleted_time', 'is', null)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) return false;
  await failPending(trx, webhookId);
  return true;
}

/** Fails the pending messages of a webhook. A message in flight still gets its actual outcome. */
export async function failPending(trx: Trx, webhookId: WebhookId): Promise<void> {
  await trx
    .updateTable('webhook_delivery')
    .set({ state: 'failed', due_time: null })
    .where('webhook_id', '=', webhookId)
    .where('state', '=', 'pending')
    .execute();
}
