import { done, success, type WebhookId } from '@lockstep/contract';
import {
  createWebhook,
  deleteWebhook,
  enableWebhook,
  listDeliveries,
  listWebhooks,
  pauseWebhook,
  readWebhook,
  replayWebhook,
  resendDelivery,
  resumeWebhook,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
} from '@lockstep/webhooks';
import type { FastifyRequest } from 'fastify';
import { noteSubject } from '../calls/calls.ts';
import type { OrderHandlers } from '../calls/operation-routes.ts';
import type { ServerOptions } from '../options.ts';

/** Handlers for the webhooks of an application and their deliveries (rules 6.8). */
export function webhookHandlers({ webhookAllowPrivate: allowPrivate }: ServerOptions) {
  /** Returns the webhook id of a call, and records it for the log line. */
  const idOf = (request: FastifyRequest<{ Params: { webhookId: WebhookId } }>) => {
    const { webhookId } = request.params;
    noteSubject(request, { webhookId });
    return webhookId;
  };

  return {
    createWebhook: async (request, caller) => {
      const created = await createWebhook(request.db, caller, request.body, { allowPrivate });
      noteSubject(request, { webhookId: created.webhookId as WebhookId });
      return success(created);
    },

    listWebhooks: async (request, caller) => success({ webhooks: await listWebhooks(request.db, caller) }),

    getWebhook: async (request, caller) => success(await readWebhook(request.db, caller, idOf(request))),

    updateWebhook: async (request, caller) =>
      success(await updateWebhook(request.db, caller, idOf(request), request.body, { allowPrivate })),

    deleteWebhook: async (request, caller) => {
      await deleteWebhook(request.db, caller, idOf(request));
      return done;
    },

    rotateWebhookSecret: async (request, caller) =>
      success(await rotateWebhookSecret(request.db, caller, idOf(request))),

    testWebhook: async (request, caller) => success(await testWebhook(request.db, caller, idOf(request))),

    pauseWebhook: async (request, caller) => success(await pauseWebhook(request.db, caller, idOf(request))),

    resumeWebhook: async (request, caller) => success(await resumeWebhook(request.db, caller, idOf(request))),

    enableWebhook: async (request, caller) => success(await enableWebhook(request.db, caller, idOf(request))),

    replayWebhook: async (request, caller) =>
      success(await replayWebhook(request.db, caller, idOf(request), request.body)),

    resendDelivery: async (request, caller) =>
      success(await resendDelivery(request.db, caller, idOf(request), request.params.deliveryId)),

    listDeliveries: async (request, caller) =>
      success(await listDeliveries(request.db, caller, idOf(request), request.query)),
  } satisfies OrderHandlers;
}
