import type { WebhookId } from '@lockstep/contract';
import { ConsoleRefusal } from '@lockstep/contract/console';
import { recordChange } from '@lockstep/operators';
import { type Database, inTransaction, ListCursor } from '@lockstep/platform';
import { enableWebhook, listDeliveries, replayWebhook, testWebhook } from '@lockstep/webhooks';
import {
  type AnyWebhook,
  countUndelivered,
  findAnyWebhook,
  findEventBefore,
  listWebhookPage,
  lockAnyWebhook,
} from '@lockstep/webhooks/operator';
import type { FastifyRequest } from 'fastify';
import { noteSubject } from '../../calls/calls.ts';
import type { ConsoleHandlers } from '../operations.ts';

/** Handlers for the webhooks of all applications and their deliveries. */
export const webhooksHandlers = {
  listWebhooks: async (request) => {
    const { limit, cursor, ...wanted } = request.query;
    const places = new ListCursor(['console', 'webhooks', wanted], cursor);
    const after = (places.after?.[0] ?? null) as WebhookId | null;
    const filters = { state: wanted.state, appKey: wanted.appKey };
    const { webhooks, stop } = await listWebhookPage(request.db, filters, { after, limit });
    return { webhooks, nextCursor: places.write(stop && [stop]) };
  },

  getWebhook: async (request) => {
    const webhookId = idOf(request);
    const { webhook } = await find(request.db, webhookId);
    return { ...webhook, ...(await countUndelivered(request.db, webhookId)) };
  },

  listWebhookDeliveries: async (request) => {
    const { own } = await find(request.db, idOf(request));
    return await listDeliveries(request.db, own, request.query);
  },

  enableWebhook: async (request, operator) => {
    const webhookId = idOf(request);
    const { fromTime = null } = request.body;
    return await inTransaction(request.db, async (trx) => {
      const { own, webhook: before } = existing(webhookId, await lockAnyWebhook(trx, webhookId));
      if (before.state !== 'disabled') return before;
      const after = fromTime === null ? undefined : await findEventBefore(trx, own.applicationId, fromTime);
      await enableWebhook(trx, own);
      if (after !== undefined) await replayWebhook(trx, own, after);
      await recordChange(trx, operator, {
        action: 'webhook.enabled',
        target: webhookId,
        before: { state: before.state, disabledTime: before.disabledTime, disabledCause: before.disabledCause },
        after: { state: 'active', fromTime },
      });
      return (await find(trx, webhookId)).webhook;
    });
  },

  replayWebhook: async (request, operator) => {
    const webhookId = idOf(request);
    const { after, fromTime } = request.body;
    return await inTransaction(request.db, async (trx) => {
      const { own } = await find(trx, webhookId);
      const from = fromTime === undefined ? after : await findEventBefore(trx, own.applicationId, fromTime);
      await replayWebhook(trx, own, from);
      await recordChange(trx, operator, {
        action: 'webhook.replayed',
        target: webhookId,
        before: null,
        after: { after: after ?? null, fromTime: fromTime ?? null },
      });
      return (await find(trx, webhookId)).webhook;
    });
  },

  testWebhook: async (request, operator) => {
    const webhookId = idOf(request);
    return await inTransaction(request.db, async (trx) => {
      const { own } = await find(trx, webhookId);
      const added = await testWebhook(trx, own);
      const after = { messageId: added.messageId };
      await recordChange(trx, operator, { action: 'webhook.tested', target: webhookId, before: null, after });
      return added;
    });
  },
} satisfies ConsoleHandlers;

/** Returns the webhook id of a call, and records it for the log line. */
function idOf(request: FastifyRequest<{ Params: { webhookId: WebhookId } }>): WebhookId {
  const { webhookId } = request.params;
  noteSubject(request, { webhookId });
  return webhookId;
}

/** Returns a webhook. Throws a ConsoleRefusal: not_found. */
async function find(db: Database, webhookId: WebhookId): Promise<AnyWebhook> {
  return existing(webhookId, await findAnyWebhook(db, webhookId));
}

function existing(webhookId: WebhookId, found: AnyWebhook | undefined): AnyWebhook {
  if (found === undefined) throw new ConsoleRefusal('not_found', 'webhook', webhookId);
  return found;
}
