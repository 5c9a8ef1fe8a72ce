import { z } from 'zod';
import { ListPageQuery } from '../orders/lists.ts';
import { byCursor } from '../routes.ts';
import { emptyAsAbsent, optionalText, recentTime } from '../scalars.ts';
import { DeliveryPage, DeliveryParams, ReplayEvents, Webhook, WebhookDelivery, WebhookParams } from '../webhooks.ts';
import { ApplicationStatus, BoundedCount } from './applications.ts';
import { Sender } from './batches.ts';
import { type ConsoleOperation, get, on, pagesOf } from './operation.ts';

/** The health of a webhook; `failing`: its last attempt failed. */
export const WebhookHealth = z.enum(['active', 'failing', 'paused', 'disabled']);
export type WebhookHealth = z.infer<typeof WebhookHealth>;

/** A webhook as operators see it, without its secret and the query of its URL, which may contain one. */
export const ConsoleWebhook = Webhook.omit({ state: true }).extend({
  state: WebhookHealth,
  ...Sender.shape,
  /** Only webhooks of approved applications receive events. */
  applicationStatus: ApplicationStatus,
  /** When the first of the attempts that failed in a row started; null if the last one succeeded. */
  failingSinceTime: z.number().nullable(),
});
export type ConsoleWebhook = z.infer<typeof ConsoleWebhook>;

export const ConsoleWebhookDetail = ConsoleWebhook.extend({
  /** Messages that are not delivered yet. */
  pending: BoundedCount,
  nextAttemptTime: z.number().nullable().describe('When the next of them is due; null if none is pending.'),
  /** Later events, for which there are no messages yet. */
  waitingEvents: BoundedCount,
  /** The time of the oldest event that is not delivered; null if all are. */
  oldestMissingTime: z.number().nullable(),
});
export type ConsoleWebhookDetail = z.infer<typeof ConsoleWebhookDetail>;

const webhook = on('/webhooks/{webhookId}', WebhookParams);
const delivery = on('/webhooks/{webhookId}/deliveries/{deliveryId}', DeliveryParams);

export const webhooksOperations = {
  listWebhooks: {
    ...get('/webhooks'),
    query: z.object({
      state: emptyAsAbsent(WebhookHealth.optional()),
      appKey: optionalText().describe('Only webhooks of this application.'),
      ...ListPageQuery.shape,
    }),
    ...pagesOf('webhooks', ConsoleWebhook),
  },
  getWebhook: { ...webhook.get(), data: ConsoleWebhookDetail },
  listWebhookDeliveries: {
    ...webhook.get('/deliveries'),
    query: ListPageQuery,
    list: byCursor('deliveries'),
    data: DeliveryPage,
  },
  enableWebhook: {
    ...webhook.post('/enable', 'support'),
    body: z.object({
      /** Also sends events since this time; absent: only new events. */
      fromTime: recentTime().optional(),
    }),
    data: ConsoleWebhook,
  },
  /** Sends events to a webhook again: after an event, of a period, or all stored ones. */
  replayWebhook: { ...webhook.post('/replay', 'support'), body: ReplayEvents, data: ConsoleWebhook },
  pauseWebhook: { ...webhook.post('/pause', 'support'), data: ConsoleWebhook },
  resumeWebhook: { ...webhook.post('/resume', 'support'), data: ConsoleWebhook },
  resendDelivery: { ...delivery.post('/resend', 'support'), data: WebhookDelivery },
  testWebhook: { ...webhook.post('/test', 'support'), data: WebhookDelivery },
} satisfies Record<string, ConsoleOperation>;
