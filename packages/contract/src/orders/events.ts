import { z } from 'zod';
import { named, namedEnum } from '../containers.ts';
import { MAX_EVENTS } from '../routes.ts';
import type { EventId } from '../scalars.ts';
import { AssetId, CustomerId, integer, LicenseOrderId, queryIntegerOr, textOrNull, time } from '../scalars.ts';
import { fault } from '../templates.ts';
import type { LATEST } from '../words.ts';
import { BatchSummary, MAX_WAIT_SECONDS } from './results.ts';

const DEFAULT_EVENTS = 100;
const PLACE_FAULT = fault('event_id');

export const EventsQuery = z.object({
  after: z
    .string(PLACE_FAULT)
    .trim()
    .regex(/^(latest|\d{0,19})$/, PLACE_FAULT)
    .nullish()
    .transform((value) => (value || undefined) as EventId | typeof LATEST | undefined)
    .describe(
      'lastId of the previous call: later events only. latest: only events from now on. Absent: all stored events.',
    ),
  limit: queryIntegerOr(DEFAULT_EVENTS, 1, MAX_EVENTS, 'Maximum number of events'),
  waitSeconds: queryIntegerOr(0, 0, MAX_WAIT_SECONDS, 'Seconds to wait for an event'),
});
export type EventsQuery = z.infer<typeof EventsQuery>;

const BatchEnd = BatchSummary.extend({
  cancelled: integer().describe('Failed orders that were cancelled.'),
}).meta({ id: 'BatchEnd', description: 'The totals of a completed batch.' });
export type BatchEnd = z.infer<typeof BatchEnd>;

const BATCH_EVENTS = ['batch.completed', 'batch.retried'] as const;
const EXPIRY_EVENTS = ['licenses.expiring', 'licenses.expired'] as const;
const ASSET_EVENTS = [
  'asset.transferred',
  'asset.revoked',
  'asset.locked',
  'asset.unlocked',
  'asset.frozen',
  'asset.unfrozen',
] as const;
const WEBHOOK_EVENTS = ['webhook.failing', 'webhook.disabled'] as const;

const EVENT_TYPES = [...BATCH_EVENTS, ...EXPIRY_EVENTS, ...ASSET_EVENTS, ...WEBHOOK_EVENTS] as const;

export const EventType = namedEnum(
  'EventType',
  'Type of an event. batch.completed: all orders of a batch have an outcome; once for each batch. batch.retried: an ' +
    'operator retried failed orders of a completed batch, and all have an outcome again. licenses.expiring: licenses of ' +
    'a customer end on a day. licenses.expired: they ended on it. asset.transferred: an order of another application ' +
    'moved assets away from a customer. asset.revoked: one revoked them. asset.locked, unlocked, frozen, unfrozen: ' +
    'another application did so. webhook.failing: a webhook of yours has failed for half an hour. webhook.disabled: it ' +
    'is disabled. Later releases may add types: skip those that you do not know.',
  EVENT_TYPES,
);
export type EventType = z.infer<typeof EventType>;

/** How many assets, and how many products, an event names. */
export const MAX_NAMED = 100;

const NamedAsset = named('NamedAsset', 'An asset of an event.', {
  assetId: AssetId.describe('Id of the asset.'),
  assetNum: z.string().describe('Asset number.'),
  limitEndDate: time('End of the asset; null if it has none').nullable(),
});

const NamedProduct = named('NamedProduct', 'A product of an event.', {
  id: z.string().describe('Id of the product.'),
  productUri: z.string().describe('Globally unique product id.'),
  assetNum: z.string().describe('Number of its asset.'),
  limitEndDate: time('End of the product'),
});

const OF_CUSTOMER = {
  customerId: CustomerId.describe('Customer of the licenses; after a transfer, the former one.'),
  channelCode: z.string().describe('Channel of the customer.'),
};
const FIRST = `the first ${MAX_NAMED}`;

const EndingLicenses = named('EndingLicenses', 'Licenses of a customer that end on a day.', {
  ...OF_CUSTOMER,
  day: z.iso.date().describe('The day on which they end, in UTC, such as 2026-12-31.'),
  leadDays: integer().describe('How many days before that day they are told; 0 in licenses.expired.'),
  assets: z.array(NamedAsset).describe(`Assets that end on the day: ${FIRST}.`),
  products: z
    .array(NamedProduct)
    .describe(
      `Products that end on the day, and not after their asset: ${FIRST}. Those whose end is after that of their asset are not listed.`,
    ),
  counts: named('EndingCounts', 'Numbers of licenses that end.', {
    assets: integer().describe('Number of these assets.'),
    products: integer().describe('Number of these products.'),
  }).describe('How many there were when the service looked, in the course of the day.'),
  list: z.string().describe('Path and query, after the base URL, of the list that shows all. Add a g_nonce.'),
});
export type EndingLicenses = z.infer<typeof EndingLicenses>;

const ChangedAssets = named('ChangedAssets', 'Assets of a customer that another application changed.', {
  ...OF_CUSTOMER,
  licenseOrderId: LicenseOrderId.nullable().describe('The order that did it; null if it was not an order.'),
  assets: z.array(NamedAsset).describe(`The assets: ${FIRST}.`),
  counts: named('AssetCounts', 'A number of assets.', {
    assets: integer().describe('Number of the assets.'),
  }).describe('How many there are.'),
});

export const DisabledCause = namedEnum('DisabledCause', 'Why a webhook was disabled.', [
  'endpoint_gone',
  'attempts_exhausted',
]);

const WebhookTrouble = named('WebhookTrouble', 'A webhook that fails or is disabled.', {
  webhookId: z.string().describe('Id of the webhook.'),
  cause: DisabledCause.nullable().describe('Why it was disabled; null while it only fails.'),
  sinceTime: time('When it was disabled, or began to fail'),
});

const feedEvent = <const Types extends readonly string[], Data extends z.ZodType>(
  name: string,
  types: Types,
  data: Data,
) =>
  named(`${name}Event`, `An event of type ${types.join(' or ')}.`, {
    id: z.string().describe('Id of the event, in digits. Later events have higher ids.'),
    type: namedEnum(`${name}EventType`, 'Types of such events.', types).describe('Type of the event.'),
    time: time('When the event happened'),
    data,
  });

export const FeedEvent = z
  .discriminatedUnion('type', [
    feedEvent('Batch', BATCH_EVENTS, BatchEnd.describe('The batch at that time.')),
    feedEvent('License', EXPIRY_EVENTS, EndingLicenses.describe('The licenses.')),
    feedEvent('Asset', ASSET_EVENTS, ChangedAssets.describe('The assets.')),
    feedEvent('Webhook', WEBHOOK_EVENTS, WebhookTrouble.describe('The webhook.')),
  ])
  .meta({ id: 'Event', description: 'An event of the feed.' });
export type FeedEvent = z.infer<typeof FeedEvent>;

export const EventPage = named('EventPage', 'A page of the event feed.', {
  events: z.array(FeedEvent).describe('The events after `after`, oldest first.'),
  lastId: textOrNull(
    'Send this as `after` next. It is the id of the last event; without events, `after` as sent, or the newest id with latest.',
  ),
  hasMore: z.boolean().describe('Whether more events exist.'),
});
export type EventPage = z.infer<typeof EventPage>;
