import type { WebhookId } from '@lockstep/contract';
import { type Operator, recordChange } from '@lockstep/operators';
import { type Database, inTransaction } from '@lockstep/platform';
import {
  enableWebhook,
  listDeliveries,
  pauseWebhook,
  replayWebhook,
  resendDelivery,
  resumeWebhook,
  testWebhook,
} from '@lockstep/webhooks';
import { countUndelivered, findWebhook, listWebhookPage, showSentWebhook } from '@lockstep/webhooks/operator';
import type { FastifyRequest } from 'fastify';
import { noteSubject } from '../../calls/calls.ts';
import { hidePersonal } from '../hidden-fields.ts';
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
    const { deliveries, nextCursor } = await listDeliveries(request.db, operator, id, request.query);
    const hide = (attempt: (typeof deliveries)[number]['attempts'][number]) => hidePersonal(operator, attempt);
    return { deliveries: deliveries.map((row) => ({ ...row, attempts: row.attempts.map(hide) })), nextCursor };
  },

  enableWebhook: async (request, operator) => {
    const webhookId = idOf(request);
    const { fromTime = null } = request.body;
    return await inTransaction(request.db, async (trx) => {
      const row = await find(trx, operator, webhookId, { lock: true });
      const { state, disabledTime, disabledCause } = showSentWebhook(row);
      if (state !== 'disabled') return showSentWebhook(row);
      await enableWebhook(trx, operator, webhookId);
      if (fromTime !== null) await replayWebhook(trx, operator, webhookId, { from: fromTime });
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
    const { after = null, from = null, to = null } = request.body;
    return await inTransaction(request.db, async (trx) => {
      await find(trx, operator, webhookId);
      await replayWebhook(trx, operator, webhookId, request.body);
      await recordChange(trx, operator, { action: 'webhook.replayed', target: webhookId, after: { after, from, to } });
      return showSentWebhook(await find(trx, operator, webhookId));
    });
  },

  pauseWebhook: (request, operator) => change(request, operator, 'webhook.paused', pauseWebhook),

  resumeWebhook: (request, operator) => change(request, operator, 'webhook.resumed', resumeWebhook),

  resendDelivery: async (request, operator) => {
    const webhookId = idOf(request);
    return await inTransaction(request.db, async (trx) => {
      await find(trx, operator, webhookId);
      const sent = await resendDelivery(trx, operator, webhookId, request.params.deliveryId);
      const after = { messageId: sent.messageId };
      await recordChange(trx, operator, { action: 'webhook.resent', target: webhookId, after });
      return { ...sent, attempts: sent.attempts.map((attempt) => hidePersonal(operator, attempt)) };
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

/** Pauses or resumes a webhook, and records it if the state changed. */
async function change(
  request: FastifyRequest<{ Params: { webhookId: WebhookId } }>,
  operator: Operator,
  action: string,
  make: typeof pauseWebhook,
) {
  const webhookId = idOf(request);
  return await inTransaction(request.db, async (trx) => {
    const { state: before } = showSentWebhook(await find(trx, operator, webhookId, { lock: true }));
    await make(trx, operator, webhookId);
    const after = showSentWebhook(await find(trx, operator, webhookId));
    const states = { before: { state: before }, after: { state: after.state } };
    if (before !== after.state) await recordChange(trx, operator, { action, target: webhookId, ...states });
    return after;
  });
}

/** Returns the webhook id of a call, and records it for the log line. */
function idOf(request: FastifyRequest<{ Params: { webhookId: WebhookId } }>): WebhookId {
  const { webhookId } = request.params;
  noteSubject(request, { webhookId });
  return webhookId;
}

/** Finds a webhook, and locks it with `lock`. Throws a ConsoleRefusal: not_found. */
const find = async (db: Database, operator: Operator, webhookId: WebhookId, how?: { lock: boolean }) =>
  existing('webhook', webhookId, await findWebhook(db, operator, webhookId, how));
