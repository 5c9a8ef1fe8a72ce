import { ListPageQuery } from '../orders/lists.ts';
import {
  CreateWebhook,
  DeliveryPage,
  DeliveryParams,
  MAX_OLD_SECRETS,
  MAX_WEBHOOKS,
  ReplayEvents,
  UpdateWebhook,
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
    body: CreateWebhook,
    answers: answers(WebhookWithSecret),
    summary: 'Create a webhook',
    description:
      'Sends every event from now on to a URL, signed as Standard Webhooks specifies: a POST of ' +
      '`{id, type, timestamp, time, data}` with the id of the event as `webhook-id`. Any 2xx within 15 seconds counts as delivered. Otherwise the service ' +
      'retries after 5 seconds, 5 and 30 minutes, and 2, 5, 10, 14, 20 and 24 hours. The same message may arrive twice, ' +
      'with the same id. The status 410, or failure of all attempts, disables the webhook. An application may have ' +
      `${MAX_WEBHOOKS} webhooks.`,
  },
  listWebhooks: {
    answers: answers(WebhookList),
    summary: 'List webhooks',
    description: 'Lists the webhooks of the application, without their secrets.',
  },
  getWebhook: {
    params: WebhookParams,
    answers: answers(Webhook),
    summary: 'Get a webhook',
    description: 'Returns a webhook, without its secret.',
  },
  updateWebhook: {
    params: WebhookParams,
    body: UpdateWebhook,
    answers: answers(Webhook),
    summary: 'Update a webhook',
    description:
      'Changes the URL, description or filters. Attempts from now on go to the new URL, and pending messages become due. ' +
      'New filters apply to events for which there is no message yet.',
  },
  deleteWebhook: {
    params: WebhookParams,
    answers: doneAnswers,
    summary: 'Delete a webhook',
    description: 'Deletes a webhook. Messages that are not yet delivered are dropped.',
  },
  rotateWebhookSecret: {
    params: WebhookParams,
    answers: answers(WebhookWithSecret),
    summary: 'Rotate the secret of a webhook',
    description:
      'Creates a new secret. Each earlier secret signs for 24 hours after it was replaced: messages then carry the ' +
      `signature of the new secret first, then those of the earlier ones, at most ${MAX_OLD_SECRETS}.`,
  },
  testWebhook: {
    params: WebhookParams,
    answers: answers(WebhookDelivery),
    summary: 'Test a webhook',
    description:
      'Sends one message of the type `webhook.test`, without retries. The list of deliveries shows its ' + 'outcome.',
  },
  pauseWebhook: {
    params: WebhookParams,
    answers: answers(Webhook),
    summary: 'Pause a webhook',
    description: 'Sends nothing more until the webhook is resumed. Its events wait as long as they are stored.',
  },
  resumeWebhook: {
    params: WebhookParams,
    answers: answers(Webhook),
    summary: 'Resume a webhook',
    description: 'Resumes a paused webhook, which then receives the events that waited.',
  },
  enableWebhook: {
    params: WebhookParams,
    answers: answers(Webhook),
    summary: 'Enable a webhook',
    description:
      'Enables a disabled webhook: it receives new events from now on. To send those that it missed, replay them. ' +
      'An active webhook stays as it is.',
  },
  replayWebhook: {
    params: WebhookParams,
    body: ReplayEvents,
    answers: answers(Webhook),
    summary: 'Replay events',
    description:
      'Sends stored events to the webhook again, oldest first: all, those after an id, or those of a period. New events ' +
      'come beside them. If a replay is still running, it is extended to cover both.',
  },
  resendDelivery: {
    params: DeliveryParams,
    answers: answers(WebhookDelivery),
    summary: 'Resend a message',
    description:
      'Sends a message again, with the same id. If it is pending, it becomes due now, except a last attempt, whose ' +
      'failure disables the webhook.',
  },
  listDeliveries: {
    params: WebhookParams,
    query: ListPageQuery,
    answers: answers(DeliveryPage),
    summary: 'List deliveries',
    description: 'Lists the messages to a webhook, newest first, with all attempts to deliver them.',
  },
});
