import { z } from 'zod';
import { ChannelCode } from './access.ts';
import { named, namedEnum } from './containers.ts';
import { DisabledCause, EventType, FeedEvent } from './orders/events.ts';
import { checkPeriod } from './orders/lists.ts';
import {
  boundedList,
  id,
  integer,
  optional,
  optionalId,
  optionalText,
  recentTime,
  text,
  textOrEmpty,
  textOrNull,
  time,
} from './scalars.ts';
import { fault } from './templates.ts';

/** Maximum webhooks of an application. */
export const MAX_WEBHOOKS = 20;
const MAX_URL_CHARACTERS = 2_048;
const MAX_FILTERED = 100;
/** How many earlier secrets of a webhook still sign (rules 6.8). */
export const MAX_OLD_SECRETS = 10;

export const WebhookParams = z.object({ webhookId: id<'WebhookId'>().describe('Id of the webhook.') });

const URL = text(MAX_URL_CHARACTERS).describe(
  `The https URL that receives the events: up to ${MAX_URL_CHARACTERS} characters, without a user name, password or fragment.`,
);

/** What a webhook is limited to: undefined if absent; null, for all, if null or empty. */
function filter<Item extends z.ZodType<string>>(item: Item) {
  return boundedList(item, MAX_FILTERED)
    .nullish()
    .transform((all) => (all?.length === 0 ? null : all && [...new Set(all)]));
}
const FILTERS = {
  types: filter(EventType).describe('Only events of these types. Null or empty: all.'),
  channelCodes: filter(ChannelCode).describe(
    'Only events of these channels, and those of no channel. Null or empty: all.',
  ),
};

export const DeliveryParams = WebhookParams.extend({ deliveryId: id<'DeliveryId'>().describe('Id of the delivery.') });

export const CreateWebhook = named('WebhookToCreate', 'A webhook to create.', {
  url: URL,
  description: optionalText().describe('Your note on its purpose.'),
  ...FILTERS,
});
export type CreateWebhook = z.infer<typeof CreateWebhook>;

export const UpdateWebhook = named('WebhookToUpdate', 'What to change of a webhook. Absent fields stay.', {
  url: optional(URL),
  description: textOrEmpty().optional().describe('Your note on its purpose. Null: none.'),
  ...FILTERS,
});
export type UpdateWebhook = z.infer<typeof UpdateWebhook>;

export const Webhook = named('Webhook', 'An endpoint that receives events.', {
  webhookId: z.string().describe('Id of the webhook.'),
  url: z.string().describe('The URL to which events are sent.'),
  description: textOrNull('Your note; null if none.'),
  state: namedEnum('WebhookState', 'State of a webhook.', ['active', 'paused', 'disabled']).describe(
    'active; paused, which receives what waits when it is resumed; or disabled, which receives nothing until it is ' +
      'enabled.',
  ),
  types: z.array(EventType).nullable().describe('The types of events that it receives; null if all.'),
  channelCodes: z.array(z.string()).nullable().describe('The channels whose events it receives; null if all.'),
  createdTime: time('When it was created'),
  pausedTime: time('When it was paused; null if not paused').nullable(),
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

export const ReplayEvents = z
  .object({
    after: optionalId<'EventId'>().describe('Only the events after this id.'),
    from: optional(recentTime()).describe('Only the events since this time; not with `after`.'),
    to: optional(recentTime()).describe('Only the events up to this time; not with `after`.'),
  })
  .superRefine(({ after, from, to }, context) => {
    checkPeriod(context, { from, to });
    const [field] = Object.entries({ from, to }).flatMap(([name, time]) => (time === undefined ? [] : [name]));
    if (after !== undefined && field !== undefined)
      context.addIssue({ code: 'custom', path: [field], message: fault('absent_with', 'after') });
  })
  .meta({ id: 'EventsToReplay', description: 'The events to replay. Without a field: all stored events.' });
export type ReplayEvents = z.infer<typeof ReplayEvents>;

const DeliveryAttempt = named('DeliveryAttempt', 'One attempt to deliver a message.', {
  time: time('When it started'),
  status: integer().nullable().describe('HTTP status of the answer; null if none arrived in time.'),
  durationMs: integer().describe('Duration in milliseconds.'),
  fault: textOrNull('For people: why the delivery failed; null if it succeeded.'),
  answer: textOrNull('The first kilobyte of the body of the answer, as text; null if empty.'),
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

/** The type of a test message, which is no event of the feed. */
export const TEST_TYPE = 'webhook.test';

const TestEvent = named('TestEvent', 'A test of a webhook.', {
  id: z.string().describe('Id of the message: test_ and its deliveryId.'),
  type: z.enum([TEST_TYPE]).describe('Type of the message.'),
  time: time('When the test was requested'),
  data: named('NoData', 'No data: {}.', {}).describe('Empty.'),
});

/** The body of a message, by the type of its event, or of a test (rules 6.8). */
export const WEBHOOK_MESSAGES: Readonly<Record<string, z.ZodObject>> = Object.fromEntries(
  [...FeedEvent.options, TestEvent].flatMap((event) => {
    const timestamp = z.iso.datetime().describe('When the event happened, in ISO 8601.');
    const id = event.meta()!.id!.replace('Event', 'Message');
    const message = event
      .extend({ timestamp })
      .meta({ id, description: 'A message to a webhook about such an event.' });
    return event.shape.type.options.map((type) => [type, message]);
  }),
);
