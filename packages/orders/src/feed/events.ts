import {
  type ApplicationId,
  type EndingLicenses,
  type EventId,
  type EventPage,
  type EventsQuery,
  type EventType,
  type FeedEvent,
  LATEST,
  ORDER_ROOT,
  Refusal,
} from '@lockstep/contract';
import { type Database, inMs, prepared, SECONDS_OF_DAY } from '@lockstep/platform';
import { buildSummary, type SummaryRow } from '../summary.ts';
import { EVENTS_CHANNEL, type Shared, Watch } from './numbering.ts';

/** PostgreSQL's largest bigint; no event has a higher position. */
const LAST_POSITION = 2n ** 63n - 1n;

export interface Place {
  applicationId: ApplicationId;
  /** The reader wants events after this position. No event need have exactly this position. */
  after: bigint;
  limit: number;
}

/** The events after a position: at most `limit`, oldest first. */
export type EventsAfter = Pick<EventPage, 'events' | 'hasMore'>;

interface EventRow extends Omit<SummaryRow, 'id' | 'total' | 'held' | 'completedTime'> {
  place: number;
  position: EventId;
  type: EventType;
  time: number;
  cancelled: number;
  /** What an event that is not of a batch says, except what buildEvent adds. */
  data: object | null;
  customerChannel: string | null;
}

/** Converts an id of up to 19 digits to a position. */
export function parsePosition(id: EventId | undefined): bigint {
  const position = BigInt(id ?? 0);
  return position < LAST_POSITION ? position : LAST_POSITION;
}

/**
 * Returns the last position assigned to an event of any application. All events up to it are visible. All later events
 * get higher positions, including those stored but not yet numbered.
 */
async function readLastPosition(db: Database): Promise<EventId> {
  const [row] = await prepared<{ last_position: EventId }>(db, 'read_last_position')`
    select last_position from event_counter`;
  return row!.last_position;
}

/** Throws a Refusal (event_unknown) if no event has reached this position yet (rules 6.8). */
export async function assertPositionAssigned(db: Database, position: bigint): Promise<void> {
  if (position > BigInt(await readLastPosition(db))) throw new Refusal('event_unknown');
}

/** Reads the events after several positions, each of one application, with one statement (rules 6.8). */
export async function readEventsAfter(db: Database, places: readonly Place[]): Promise<EventsAfter[]> {
  // LIMIT makes PostgreSQL look up each event's batch by index. A join might read the whole table.
  const rows = await prepared<EventRow>(db, 'read_events')`
    select place::int, found.*, sent.*
    from unnest(
      ${places.map(({ applicationId }) => applicationId)}::bigint[],
      ${places.map(({ after }) => String(after))}::bigint[],
      ${places.map(({ limit }) => limit)}::int[]
    ) with ordinality as wanted (application_id, after, event_limit, place)
    cross join lateral (
      select position, batch_id, type, ${inMs('happened_time')} as time, succeeded, failed, cancelled,
        channel_code as "customerChannel", data
      from event
      where event.application_id = wanted.application_id and position > after
      order by position limit event_limit + 1
    ) as found
    left join lateral (
      select channel_code as "channelCode", channel_order_id as "channelOrderId", sync_mode as "syncMode",
        ${inMs('accepted_time')} as "acceptedTime"
      from batch where id = found.batch_id limit 1
    ) as sent on true
    order by place, position`;
  const byPlace = Map.groupBy(rows, ({ place }) => place - 1);
  return places.map(({ limit }, place) => {
    const found = byPlace.get(place) ?? [];
    return { events: found.slice(0, limit).map(buildEvent), hasMore: found.length > limit };
  });
}

function buildEvent(row: EventRow): FeedEvent {
  const { position, type, time } = row;
  return { id: position, type, time, data: row.data === null ? buildBatchEnd(row) : completeData(row) } as FeedEvent;
}

function buildBatchEnd({ cancelled, ...row }: EventRow): object {
  const total = row.succeeded + row.failed;
  return { ...buildSummary({ ...row, total, held: 0, completedTime: row.time }), cancelled };
}

const completeData = ({ data, customerChannel }: EventRow): object => ({
  ...data,
  ...(customerChannel && { channelCode: customerChannel }),
  ...(data && 'day' in data && { list: listOf(data as EndingLicenses) }),
});

/** Returns the path and query of the list of all assets of a customer that end on a day, or a product of which does. */
function listOf({ customerId, day }: EndingLicenses): string {
  const from = Date.parse(day);
  const query = { customerId, expiresFrom: String(from), expiresTo: String(from + SECONDS_OF_DAY * 1_000 - 1) };
  return `${ORDER_ROOT}/assets?${new URLSearchParams(query)}`;
}

/** Lets calls wait for events of their application. Its first look finds all applications that have any. */
export function watchEvents(db: Database): Watch<ApplicationId> {
  let seen: EventId = '0' as EventId;
  return new Watch(EVENTS_CHANNEL, async (applicationIds) => {
    const [row] = await prepared<{ last: EventId; ids: ApplicationId[] }>(db, 'find_applications_with_events')`
      select last_position as last, array(
        select id::text from unnest(${applicationIds}::bigint[]) as wanted (id)
        where exists (select from event where event.application_id = wanted.id and position > ${seen}::bigint)
      ) as ids from event_counter`;
    seen = row!.last;
    return row!.ids;
  });
}

/**
 * Returns the events of an application after the id `after`. If there are none, waits until there is one, `waitSeconds`
 * have passed or the client has disconnected (rules 6.8).
 *
 * Throws a Refusal: event_unknown.
 */
export async function awaitEvents(
  db: Database,
  watch: Watch<ApplicationId>,
  applicationId: ApplicationId,
  { after, limit, waitSeconds }: EventsQuery,
  gone: AbortSignal,
): Promise<EventPage> {
  const from = after === LATEST ? await readLastPosition(db) : after;
  const place = { applicationId, after: parsePosition(from), limit };
  // Many may wait at the end of the feed. Those that are woken together read from there once.
  const read = (shared: Shared) => {
    const name = `${place.after} ${limit}`;
    const reading = (shared.get(name) as Promise<EventsAfter> | undefined) ?? readNow(db, place);
    shared.set(name, reading);
    return reading;
  };
  const waiting = { key: applicationId, waitSeconds, signal: gone };
  const { events, hasMore } = await watch.read(waiting, read, (found) => found.events.length > 0);
  return { events, lastId: events.at(-1)?.id ?? from ?? null, hasMore };
}

async function readNow(db: Database, place: Place): Promise<EventsAfter> {
  const [behind] = await readEventsAfter(db, [place]);
  // If there are later events, the position has been assigned.
  if (behind!.events.length === 0) await assertPositionAssigned(db, place.after);
  return behind!;
}
