import { z } from 'zod';
import { ListPageQuery } from './orders/lists.ts';
import { id, integer, optionalId, optionalText, text, time } from './scalars.ts';

/** Webhooks that an application may have. */
export const MAX_WEBHOOKS = 20;
const MAX_URL_CHARACTERS = 2_048;

/** The path parameters of the operations on one webhook (rules 6.8). */
export const WebhookParams = z.object({ webhookId: id<'WebhookId'>().describe('Id of the webhook.') });

/** The body that registers a webhook (rules 6.8). */
export const CreateWebhook = z
  .object({
    url: text(MAX_URL_CHARACTERS).describe(
      `Where to send events: https, at most ${MAX_URL_CHARACTERS} characters, without user, password and fragment.`,
    ),
    description: optionalText().describe('What it is for, in your words.'),
  })
  .meta({ id: 'WebhookToCreate', description: 'Where to send events.' });
export type CreateWebhook = z.infer<typeof CreateWebhook>;

/** A webhook (rules 6.8). */
export const Webhook = z
  .object({
    webhookId: z.string().describe('Id of the webhook.'),
    url: z.string().describe('Where events are sent.'),
    description: z.string().nullable().describe('What it is for; null where that was not said.'),
    state: z
      .enum(['active', 'disabled'])
      .meta({ id: 'WebhookState', description: 'Whether events are sent to a webhook.' })
      .describe('active, or disabled: nothing is sent until it is enabled.'),
    createdTime: time('When it was registered'),
    disabledTime: time('When it was disabled; null while it is active').nullable(),
    disabledCause: z
      .enum(['endpoint_gone', 'attempts_exhausted'])
      .nullable()
      .meta({ id: 'DisabledCause', description: 'Why a webhook was disabled.' })
      .describe(
        'endpoint_gone: it answered 410; attempts_exhausted: every attempt to deliver an event failed; null while it is active.',
      ),
  })
  .meta({ id: 'Webhook', description: 'Where events are sent, and whether they are.' });
export type Webhook = z.infer<typeof Webhook>;

/** A webhook with its secret (rules 6.8). */
export const WebhookWithSecret = Webhook.extend({
  secret: z.string().describe('What signs its messages, by Standard Webhooks. It is shown this once.'),
}).meta({ id: 'WebhookWithSecret', description: 'A webhook with its secret.' });
export type WebhookWithSecret = z.infer<typeof WebhookWithSecret>;

/** The webhooks of an application (rules 6.8). */
export const WebhookList = z
  .object({ webhooks: z.array(Webhook).describe('The webhooks of the application, oldest first.') })
  .meta({ id: 'WebhookList', description: 'The webhooks of the application.' });
export type WebhookList = z.infer<typeof WebhookList>;

/** From where to send events again (rules 6.8). */
export const ReplayEvents = z
  .object({
    after: optionalId<'EventId'>().describe(
      'Id of an event, or a lower number: those behind it are sent, again where they were sent. Absent: all that are kept.',
    ),
  })
  .meta({ id: 'EventsToReplay', description: 'From where to send events again.' });
export type ReplayEvents = z.infer<typeof ReplayEvents>;

/** One attempt to deliver a message (rules 6.8). */
const DeliveryAttempt = z
  .object({
    time: time('When it began'),
    status: integer().nullable().describe('The HTTP status of the answer; null without an answer in time.'),
    durationMs: integer().describe('How long it took: milliseconds.'),
    fault: z.string().nullable().describe('Why it does not count as delivered, for people; null where it does.'),
  })
  .meta({ id: 'DeliveryAttempt', description: 'One attempt to deliver a message.' });

/** A message to a webhook, and the attempts to deliver it (rules 6.8). */
export const WebhookDelivery = z
  .object({
    deliveryId: z.string().describe('Id of the delivery.'),
    messageId: z.string().describe('The webhook-id of the message: the id of the event, or test_ and a number.'),
    type: z.string().describe('Type of the event; webhook.test for a test.'),
    state: z
      .enum(['pending', 'delivered', 'failed'])
      .meta({ id: 'DeliveryState', description: 'What became of a message.' })
      .describe('pending until an attempt succeeds or there is no further one.'),
    createdTime: time('When it was to be sent first'),
    attempts: z.array(DeliveryAttempt).describe('The attempts so far, oldest first.'),
    nextAttemptTime: time('When it is tried next; null where it is not').nullable(),
  })
  .meta({ id: 'WebhookDelivery', description: 'A message to a webhook, and the attempts to deliver it.' });
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

/** The query of the list of deliveries (rules 6.8). */
export const ListDeliveriesQuery = ListPageQuery;

/** A page of the deliveries of a webhook (rules 6.8). */
export const DeliveryPage = z
  .object({
    deliveries: z.array(WebhookDelivery).describe('The deliveries that are kept, newest first.'),
    nextCursor: z.string().nullable().describe('The cursor of the next page; null on the last.'),
  })
  .meta({ id: 'DeliveryPage', description: 'A page of the deliveries of a webhook.' });
export type DeliveryPage = z.infer<typeof DeliveryPage>;
