import { z } from 'zod';
import { named } from '../containers.ts';
import type { EventId } from '../scalars.ts';
import { integer, queryIntegerOr, textOrNull, time } from '../scalars.ts';
import { fault } from '../templates.ts';
import type { LATEST } from '../words.ts';
import { BatchSummary, MAX_WAIT_SECONDS } from './results.ts';

export const MAX_EVENTS = 1_000;
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

export const EventType = z.enum(['batch.completed', 'batch.retried']).meta({
  id: 'EventType',
  description:
    'Type of an event. batch.completed: all orders of a batch have an outcome; once for each batch. batch.retried: an ' +
    'operator retried failed orders of a completed batch, and all have an outcome again. Later releases may add types: ' +
    'skip those that you do not know.',
});
export type EventType = z.infer<typeof EventType>;

export const FeedEvent = named('Event', 'An event of the feed.', {
  id: z.string().describe('Id of the event, in digits. Later events have higher ids.'),
  type: EventType.describe('Type of the event.'),
  time: time('When the event happened'),
  data: BatchEnd.describe('The batch at that time.'),
});
export type FeedEvent = z.infer<typeof FeedEvent>;

export const EventPage = named('EventPage', 'A page of the event feed.', {
  events: z.array(FeedEvent).describe('The events after `after`, oldest first.'),
  lastId: textOrNull(
    'Send this as `after` next. It is the id of the last event; without events, `after` as sent, or the newest id with latest.',
  ),
  hasMore: z.boolean().describe('Whether more events exist.'),
});
export type EventPage = z.infer<typeof EventPage>;
