import type { Caller } from '@lockstep/access';
import { done, success, type WebhookId } from '@lockstep/contract';
import type { Database } from '@lockstep/platform';
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
import type { Services } from '../services.ts';

type OfWebhook = FastifyRequest<{ Params: { webhookId: WebhookId } }>;

/** Handlers for the webhooks of an application and their deliveries (rules 6.8). */
export function webhookHandlers({ webhookAllowPrivate: allowPrivate }: Services) {
  /** Returns the webhook id of a call, and records it for the log line. */
  const idOf = (request: OfWebhook) => {
    const { webhookId } = request.params;
    noteSubject(request, { webhookId });
    return webhookId;
  };
  const ofOne =
    <Result>(work: (db: Database, caller: Caller, webhookId: WebhookId) => Promise<Result>) =>
    async (request: OfWebhook, caller: Caller) =>
      success(await work(request.db, caller, idOf(request)));

  return {
    createWebhook: async (request, caller) => {
      const created = await createWebhook(request.db, caller, request.body, { allowPrivate });
      noteSubject(request, { webhookId: created.webhookId as WebhookId });
      return success(created);
    },

    listWebhooks: async (request, caller) => success({ webhooks: await listWebhooks(request.db, caller) }),

    getWebhook: ofOne(readWebhook),

    updateWebhook: async (request, caller) =>
      success(await updateWebhook(request.db, caller, idOf(request), request.body, { allowPrivate })),

    deleteWebhook: async (request, caller) => {
      await deleteWebhook(request.db, caller, idOf(request));
      return done;
    },

    rotateWebhookSecret: ofOne(rotateWebhookSecret),
    testWebhook: ofOne(testWebhook),
    pauseWebhook: ofOne(pauseWebhook),
    resumeWebhook: ofOne(resumeWebhook),
    enableWebhook: ofOne(enableWebhook),

    replayWebhook: async (request, caller) =>
      success(await replayWebhook(request.db, caller, idOf(request), request.body)),

    resendDelivery: async (request, caller) =>
      success(await resendDelivery(request.db, caller, idOf(request), request.params.deliveryId)),

    listDeliveries: async (request, caller) =>
      success(await listDeliveries(request.db, caller, idOf(request), request.query)),
  } satisfies OrderHandlers;
}
