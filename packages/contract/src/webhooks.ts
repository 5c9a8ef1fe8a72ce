import { z } from 'zod';
import { named, namedEnum } from './containers.ts';
import { id, integer, optionalId, optionalText, text, textOrNull, time } from './scalars.ts';

/** Maximum webhooks of an application. */
export const MAX_WEBHOOKS = 20;
const MAX_URL_CHARACTERS = 2_048;

export const WebhookParams = z.object({ webhookId: id<'WebhookId'>().describe('Id of the webhook.') });

export const CreateWebhook = named('WebhookToCreate', 'A webhook to create.', {
  url: text(MAX_URL_CHARACTERS).describe(
    `The https URL that receives the events: up to ${MAX_URL_CHARACTERS} characters, without a user name, password or fragment.`,
  ),
  description: optionalText().describe('Your note on its purpose.'),
});
export type CreateWebhook = z.infer<typeof CreateWebhook>;

export const DisabledCause = namedEnum('DisabledCause', 'Why a webhook was disabled.', [
  'endpoint_gone',
  'attempts_exhausted',
]);

export const Webhook = named('Webhook', 'An endpoint that receives events.', {
  webhookId: z.string().describe('Id of the webhook.'),
  url: z.string().describe('The URL to which events are sent.'),
  description: textOrNull('Your note; null if none.'),
  state: namedEnum('WebhookState', 'State of a webhook.', ['active', 'disabled']).describe(
    'active; or disabled, which receives nothing until it is enabled.',
  ),
  createdTime: time('When it was created'),
  disabledTime: time('When it was disabled; null if active').nullable(),
  disabledCause: DisabledCause.nullable().describe(
    'endpoint_gone: it answered 410. attempts_exhausted: all attempts to deliver an event failed. null if active.',
  ),
});
export type Webhook = z.infer<typeof Webhook>;

export const WebhookWithSecret = Webhook.extend({
  secret: z.string().describe('The secret that signs its messages (Standard Webhooks). Shown only once.'),
}).meta({ id: 'WebhookWithSecret', description: 'A webhook with its secret.' });
export type WebhookWithSecret = z.infer<typeof WebhookWithSecret>;

export const WebhookList = named('WebhookList', 'The webhooks of the application.', {
  webhooks: z.array(Webhook).describe('Webhooks of the application, oldest first.'),
});

export const ReplayEvents = named('EventsToReplay', 'The events to replay.', {
  after: optionalId<'EventId'>().describe('Replay the events after this id. Absent: all stored events.'),
});

const DeliveryAttempt = named('DeliveryAttempt', 'One attempt to deliver a message.', {
  time: time('When it started'),
  status: integer().nullable().describe('HTTP status of the answer; null if none arrived in time.'),
  durationMs: integer().describe('Duration in milliseconds.'),
  fault: textOrNull('For people: why the delivery failed; null if it succeeded.'),
});

export const WebhookDelivery = named('WebhookDelivery', 'A message to a webhook, with its attempts.', {
  deliveryId: z.string().describe('Id of the delivery.'),
  messageId: z.string().describe('The webhook-id header: the id of the event, or test_ and a number.'),
  type: z.string().describe('Type of the event, or webhook.test.'),
  state: namedEnum('DeliveryState', 'State of a delivery.', ['pending', 'delivered', 'failed']).describe(
    'pending until an attempt succeeds, or the last one fails.',
  ),
  createdTime: time('When it was first due'),
  attempts: z.array(DeliveryAttempt).describe('Attempts so far, oldest first.'),
  nextAttemptTime: time('When the next attempt is due; null if none').nullable(),
});
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

export const DeliveryPage = named('DeliveryPage', 'A page of the deliveries of a webhook.', {
  deliveries: z.array(WebhookDelivery).describe('Stored deliveries, newest first.'),
  nextCursor: textOrNull('The cursor of the next page; null on the last page.'),
});
export type DeliveryPage = z.infer<typeof DeliveryPage>;
