import { type ApplicationId, Refusal, type Webhook, type WebhookId } from '@lockstep/contract';
import { type Database, isId, type Tables } from '@lockstep/platform';
import type { Selectable } from 'kysely';
import type {} from '../tables.ts';

/** Whose webhook: every operation on one names both. */
export interface OwnWebhook {
  applicationId: ApplicationId;
  webhookId: WebhookId;
}

/** The columns of a webhook that clients see. */
export const SHOWN = ['id', 'url', 'description', 'created_time', 'disabled_time', 'disabled_cause'] as const;
type ShownRow = Pick<Selectable<Tables['webhook']>, (typeof SHOWN)[number]>;

/** The webhooks of an application: all queries of operations begin here, and see no other's and no deleted one. */
export function webhooksOf(db: Database, applicationId: ApplicationId) {
  return db.selectFrom('webhook').where('application_id', '=', applicationId).where('deleted_time', 'is', null);
}

/** Finds a webhook. Throws a Refusal: webhook_not_found, for another application's and a deleted one too. */
export async function findWebhook(db: Database, own: OwnWebhook) {
  return found(own, await selectOne(db, own)?.executeTakeFirst());
}

/**
 * Finds a webhook and locks it until the transaction ends, as workers do before they take its deliveries. Lock
 * deliveries only after their webhook. Throws as findWebhook.
 */
export async function lockWebhook(trx: Database, own: OwnWebhook) {
  return found(own, await selectOne(trx, own)?.forNoKeyUpdate().executeTakeFirst());
}

function selectOne(db: Database, { applicationId, webhookId }: OwnWebhook) {
  if (!isId(webhookId)) return undefined;
  return webhooksOf(db, applicationId).where('id', '=', webhookId).select(SHOWN);
}

function found<Row>({ webhookId }: OwnWebhook, row: Row | undefined): Row {
  if (row === undefined) throw new Refusal('webhook_not_found', webhookId);
  return row;
}

/** Shapes a webhook for clients. */
export function showWebhook(row: ShownRow): Webhook {
  return {
    webhookId: row.id,
    url: row.url,
    description: row.description,
    state: row.disabled_time === null ? 'active' : 'disabled',
    createdTime: row.created_time.getTime(),
    disabledTime: row.disabled_time?.getTime() ?? null,
    disabledCause: row.disabled_cause,
  };
}
