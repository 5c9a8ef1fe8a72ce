import type { Caller } from '@lockstep/access';
import { done, success, type WebhookId } from '@lockstep/contract';
import {
  createWebhook,
  deleteWebhook,
  enableWebhook,
  listDeliveries,
  listWebhooks,
  readWebhook,
  replayWebhook,
  rotateWebhookSecret,
  testWebhook,
} from '@lockstep/webhooks';
import type { FastifyRequest } from 'fastify';
import { noteSubject } from '../calls/calls.ts';
import type { OrderHandlers } from '../calls/operation-routes.ts';
import type { ServerOptions } from '../options.ts';

/** Handlers for the webhooks of an application and their deliveries (rules 6.8). */
export function webhookHandlers({ webhookAllowPrivate: allowPrivate }: ServerOptions) {
  /** Returns the webhook of a call, and records it for the log line. */
  const own = (request: FastifyRequest<{ Params: { webhookId: WebhookId } }>, { applicationId }: Caller) => {
    const { webhookId } = request.params;
    noteSubject(request, { webhookId });
    return { applicationId, webhookId };
  };

  return {
    createWebhook: async (request, { applicationId }) => {
      const created = await createWebhook(request.db, applicationId, request.body, { allowPrivate });
      noteSubject(request, { webhookId: created.webhookId as WebhookId });
      return success(created);
    },

    listWebhooks: async (request, { applicationId }) =>
      success({ webhooks: await listWebhooks(request.db, applicationId) }),

    getWebhook: async (request, caller) => success(await readWebhook(request.db, own(request, caller))),

    deleteWebhook: async (request, caller) => {
      await deleteWebhook(request.db, own(request, caller));
      return done;
    },

    rotateWebhookSecret: async (request, caller) =>
      success(await rotateWebhookSecret(request.db, own(request, caller))),

    testWebhook: async (request, caller) => success(await testWebhook(request.db, own(request, caller))),

    enableWebhook: async (request, caller) => success(await enableWebhook(request.db, own(request, caller))),

    replayWebhook: async (request, caller) =>
      success(await replayWebhook(request.db, own(request, caller), request.body.after)),

    listDeliveries: async (request, caller) =>
      success(await listDeliveries(request.db, own(request, caller), request.query)),
  } satisfies OrderHandlers;
}
