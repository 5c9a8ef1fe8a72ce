import { routes } from '../routes.ts';
import {
  CreateWebhook,
  DeliveryPage,
  ListDeliveriesQuery,
  MAX_WEBHOOKS,
  ReplayEvents,
  Webhook,
  WebhookDelivery,
  WebhookList,
  WebhookParams,
  WebhookWithSecret,
} from '../webhooks.ts';
import { answers, doneAnswers, ofModule } from './operation.ts';

/** The webhooks of an application (rules 6.8). */
export const webhookOperations = ofModule('order', {
  createWebhook: {
    ...routes.createWebhook,
    body: CreateWebhook,
    answers: answers(WebhookWithSecret),
    summary: 'Register a webhook',
    description:
      'Has every event from now on sent to an address, signed by Standard Webhooks: a POST of `{type, timestamp, data}` ' +
      'whose `webhook-id` is the id of the event. Any 2xx within 15 seconds is delivered; otherwise it comes again after ' +
      '5 seconds, 5 and 30 minutes, 2, 5, 10, 14, 20 and 24 hours. A message may come twice: its id is the same. 410, or ' +
      `the end of that, disables the webhook. An application has at most ${MAX_WEBHOOKS}.`,
  },
  listWebhooks: {
    ...routes.listWebhooks,
    answers: answers(WebhookList),
    summary: 'List webhooks',
    description: 'Lists the webhooks of the application, without their secrets.',
  },
  getWebhook: {
    ...routes.getWebhook,
    params: WebhookParams,
    answers: answers(Webhook),
    summary: 'A webhook',
    description: 'Returns a webhook, without its secret.',
  },
  deleteWebhook: {
    ...routes.deleteWebhook,
    params: WebhookParams,
    answers: doneAnswers,
    summary: 'Delete a webhook',
    description: 'Ends a webhook for good: what was not delivered yet is not sent any more.',
  },
  rotateWebhookSecret: {
    ...routes.rotateWebhookSecret,
    params: WebhookParams,
    answers: answers(WebhookWithSecret),
    summary: 'Give a webhook a new secret',
    description:
      'Makes a new secret. For 24 hours messages carry the signatures of both, the new one first; a secret before those ' +
      'two ends at once.',
  },
  testWebhook: {
    ...routes.testWebhook,
    params: WebhookParams,
    answers: answers(WebhookDelivery),
    summary: 'Test a webhook',
    description:
      'Sends a message of type `webhook.test` once, without further attempts. The list of deliveries says what became of ' +
      'it.',
  },
  enableWebhook: {
    ...routes.enableWebhook,
    params: WebhookParams,
    answers: answers(Webhook),
    summary: 'Enable a webhook',
    description:
      'Has events sent again, from now on. A replay brings what was missed. An active webhook stays as it is.',
  },
  replayWebhook: {
    ...routes.replayWebhook,
    params: WebhookParams,
    body: ReplayEvents,
    answers: answers(Webhook),
    summary: 'Send events again',
    description: 'Sends the events behind one that is kept to the webhook, oldest first, and goes on with new ones.',
  },
  listDeliveries: {
    ...routes.listDeliveries,
    params: WebhookParams,
    query: ListDeliveriesQuery,
    answers: answers(DeliveryPage),
    summary: 'List deliveries',
    description: 'Lists the messages to a webhook, newest first, with every attempt to deliver them.',
  },
});
