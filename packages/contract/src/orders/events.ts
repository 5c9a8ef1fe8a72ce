import { z } from 'zod';
import type { EventId } from '../ids.ts';
import { emptyAsAbsent, integer, queryInteger, time } from '../scalars.ts';
import type { LATEST } from '../words.ts';
import { BatchSummary, MAX_WAIT_SECONDS } from './results.ts';

const MAX_EVENTS = 1_000;
const DEFAULT_EVENTS = 100;
const PLACE_FAULT = 'must be a string of 1 to 19 decimal digits, such as "2001", or "latest"';

/** The query of the event feed (rules 6.8). */
export const EventsQuery = z.object({
  after: z
    .string(PLACE_FAULT)
    .trim()
    .regex(/^(latest|\d{0,19})$/, PLACE_FAULT)
    .nullish()
    .transform((value) => (value || undefined) as EventId | typeof LATEST | undefined)
    .describe(
      'lastId of the call before: only events behind this one. latest: only events from now on. Absent: from the oldest ' +
        'that is kept.',
    ),
  limit: emptyAsAbsent(queryInteger(1, MAX_EVENTS).default(DEFAULT_EVENTS)).meta({
    'x-default': DEFAULT_EVENTS,
    description: `Events of an answer at most: 1 to ${MAX_EVENTS}.`,
  }),
  waitSeconds: emptyAsAbsent(queryInteger(0, MAX_WAIT_SECONDS).default(0)).meta({
    'x-default': 0,
    description: `Holds the answer until there is an event or this time is up: 0 to ${MAX_WAIT_SECONDS}.`,
  }),
});
export type EventsQuery = z.infer<typeof EventsQuery>;

/** How a batch ended (rules 6.8). */
const BatchEnd = BatchSummary.extend({
  cancelled: integer().describe('Orders among those failed that a cancel ended.'),
}).meta({ id: 'BatchEnd', description: 'How a batch ended.' });

/** What events there are (rules 6.8). */
export const EventType = z.enum(['batch.completed', 'batch.retried']).meta({
  id: 'EventType',
  description:
    'What happened. batch.completed: every order of a batch has its outcome; once for each batch. batch.retried: orders ' +
    'that the service had failed were tried again after that, and all have their outcome again. A later release may ' +
    'add types: pass over one that you do not know.',
});
export type EventType = z.infer<typeof EventType>;

/** An event of the feed (rules 6.8). */
export const FeedEvent = z
  .object({
    id: z
      .string()
      .describe('Id of the event, digits: its place in the feed. An event that comes later has a higher one.'),
    type: EventType.describe('What happened.'),
    time: time('When it happened'),
    data: BatchEnd.describe('The batch as it was then.'),
  })
  .meta({ id: 'Event', description: 'Something that happened.' });
export type FeedEvent = z.infer<typeof FeedEvent>;

/** A piece of the event feed (rules 6.8). */
export const EventPage = z
  .object({
    events: z.array(FeedEvent).describe('The events behind `after`, oldest first.'),
    lastId: z
      .string()
      .nullable()
      .describe(
        'What to send as `after` next: the id of the last event here, or `after` as it was sent; for latest an id, too.',
      ),
    hasMore: z.boolean().describe('Whether there are more already.'),
  })
  .meta({ id: 'EventPage', description: 'A piece of the event feed.' });
export type EventPage = z.infer<typeof EventPage>;
