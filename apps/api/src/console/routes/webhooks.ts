import type { WebhookId } from '@lockstep/contract';
import { type Operator, recordChange } from '@lockstep/operators';
import { type Database, inTransaction } from '@lockstep/platform';
import { enableWebhook, listDeliveries, replayWebhook, testWebhook } from '@lockstep/webhooks';
import {
  countUndelivered,
  findEventBefore,
  findWebhook,
  listWebhookPage,
  showSentWebhook,
} from '@lockstep/webhooks/operator';
import type { FastifyRequest } from 'fastify';
import { noteSubject } from '../../calls/calls.ts';
import { type ConsoleHandlers, existing } from '../operations.ts';

/** Handlers for the webhooks of the applications that an operator sees, and their deliveries. */
export const webhooksHandlers = {
  listWebhooks: (request, operator) => listWebhookPage(request.db, operator, request.query),

  getWebhook: async (request, operator) => {
    const webhookId = idOf(request);
    const webhook = showSentWebhook(await find(request.db, operator, webhookId));
    return { ...webhook, ...(await countUndelivered(request.db, webhookId)) };
  },

  listWebhookDeliveries: async (request, operator) => {
    const { webhookId: id } = await find(request.db, operator, idOf(request));
    return await listDeliveries(request.db, operator, id, request.query);
  },

  enableWebhook: async (request, operator) => {
    const webhookId = idOf(request);
    const { fromTime = null } = request.body;
    return await inTransaction(request.db, async (trx) => {
      const row = await find(trx, operator, webhookId, { lock: true });
      const { state, disabledTime, disabledCause } = showSentWebhook(row);
      if (state !== 'disabled') return showSentWebhook(row);
      const after = fromTime === null ? undefined : await findEventBefore(trx, row.applicationId, fromTime);
      await enableWebhook(trx, operator, webhookId);
      if (after !== undefined) await replayWebhook(trx, operator, webhookId, after);
      await recordChange(trx, operator, {
        action: 'webhook.enabled',
        target: webhookId,
        before: { state, disabledTime, disabledCause },
        after: { state: 'active', fromTime },
      });
      return showSentWebhook(await find(trx, operator, webhookId));
    });
  },

  replayWebhook: async (request, operator) => {
    const webhookId = idOf(request);
    const { after, fromTime } = request.body;
    return await inTransaction(request.db, async (trx) => {
      const row = await find(trx, operator, webhookId);
      const from = fromTime === undefined ? after : await findEventBefore(trx, row.applicationId, fromTime);
      await replayWebhook(trx, operator, webhookId, from);
      await recordChange(trx, operator, {
        action: 'webhook.replayed',
        target: webhookId,
        after: { after: after ?? null, fromTime: fromTime ?? null },
      });
      return showSentWebhook(await find(trx, operator, webhookId));
    });
  },

  testWebhook: async (request, operator) => {
    const webhookId = idOf(request);
    return await inTransaction(request.db, async (trx) => {
      await find(trx, operator, webhookId);
      const added = await testWebhook(trx, operator, webhookId);
      const after = { messageId: added.messageId };
      await recordChange(trx, operator, { action: 'webhook.tested', target: webhookId, after });
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

/** Finds a webhook, and locks it with `lock`. Throws a ConsoleRefusal: not_found. */
const find = async (db: Database, operator: Operator, webhookId: WebhookId, how?: { lock: boolean }) =>
  existing('webhook', webhookId, await findWebhook(db, operator, webhookId, how));
