import { type ApplicationId, Refusal, type Webhook, type WebhookId } from '@lockstep/contract';
import { type Database, isId, type Tables } from '@lockstep/platform';
import type { Selectable } from 'kysely';
import type {} from '../tables.ts';

/** A webhook and its application. Every operation on a webhook names both. */
export interface OwnWebhook {
  applicationId: ApplicationId;
  webhookId: WebhookId;
}

export const SHOWN = ['id', 'url', 'description', 'created_time', 'disabled_time', 'disabled_cause'] as const;
type ShownRow = Pick<Selectable<Tables['webhook']>, (typeof SHOWN)[number]>;

/** A query for the webhooks of an application that are not deleted. All queries of its operations start here. */
export function webhooksOf(db: Database, applicationId: ApplicationId) {
  return db.selectFrom('webhook').where('application_id', '=', applicationId).where('deleted_time', 'is', null);
}

/**
 * Returns a webhook. Throws a Refusal (webhook_not_found), also for deleted webhooks and those of other applications.
 */
export async function findWebhook(db: Database, own: OwnWebhook) {
  return found(own, await selectOne(db, own)?.executeTakeFirst());
}

/**
 * Returns a webhook and locks it until the transaction ends, as workers do before they claim its deliveries. Always
 * lock a webhook before its deliveries. Throws as findWebhook.
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
