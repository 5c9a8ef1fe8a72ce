import {
  type ApplicationId,
  type EventId,
  type EventPage,
  type EventType,
  type FeedEvent,
  Refusal,
} from '@lockstep/contract';
import { type Database, prepared } from '@lockstep/platform';
import { buildSummary } from '../results/results.ts';

/** PostgreSQL's last bigint: no event is behind it. */
const LAST_POSITION = 2n ** 63n - 1n;

/** Where a reader is in the feed of an application. */
export interface Place {
  applicationId: ApplicationId;
  /** It wants the events behind this position; there need be none of that position. */
  after: bigint;
  /** How many it takes at most. */
  limit: number;
}

/** What is behind a place: at most `limit` events, oldest first. */
export type Behind = Pick<EventPage, 'events' | 'hasMore'>;

interface EventRow {
  place: number;
  position: EventId;
  type: EventType;
  completed_time: Date;
  succeeded: number;
  failed: number;
  cancelled: number;
  channel_code: string;
  channel_order_id: string;
  sync_mode: 'sync' | 'async';
  accepted_time: Date;
}

/** The position that a reader means with an id of up to 19 digits. */
export function parsePosition(id: EventId | undefined): bigint {
  const position = BigInt(id ?? 0);
  return position < LAST_POSITION ? position : LAST_POSITION;
}

/**
 * Reads the last position given out to an event of any application. All events up to it are visible, and all that come
 * later are behind it, those too that have ended and have no position yet.
 */
export async function readLastPosition(db: Database): Promise<EventId> {
  const [row] = await prepared<{ last_position: EventId }>(db, 'read_last_position')`
    select last_position from event_counter`;
  return row!.last_position;
}

/** Throws a Refusal, event_unknown, if no event has got a position as high as this one yet (rules 6.8). */
export async function assertGivenOut(db: Database, position: bigint): Promise<void> {
  if (position > BigInt(await readLastPosition(db))) throw new Refusal('event_unknown');
}

/** Reads what is behind some places, each of one application, with one statement (rules 6.8). */
export async function readBehind(db: Database, places: readonly Place[]): Promise<Behind[]> {
  // LIMIT keeps the look-up of a batch one of an index, event by event: a join might read all batches.
  const rows = await prepared<EventRow>(db, 'read_events')`
    select place::int, found.*, sent.*
    from unnest(
      ${places.map(({ applicationId }) => applicationId)}::bigint[],
      ${places.map(({ after }) => String(after))}::bigint[],
      ${places.map(({ limit }) => limit)}::int[]
    ) with ordinality as wanted (application_id, after, event_limit, place)
    cross join lateral (
      select position, batch_id, type, completed_time, succeeded, failed, cancelled from event
      where event.application_id = wanted.application_id and position > after
      order by position limit event_limit + 1
    ) as found
    cross join lateral (
      select channel_code, channel_order_id, sync_mode, accepted_time from batch where id = found.batch_id limit 1
    ) as sent
    order by place, position`;
  const byPlace = Map.groupBy(rows, ({ place }) => place - 1);
  return places.map(({ limit }, place) => {
    const found = byPlace.get(place) ?? [];
    return { events: found.slice(0, limit).map(buildEvent), hasMore: found.length > limit };
  });
}

function buildEvent(row: EventRow): FeedEvent {
  const { position, type, cancelled, completed_time: completedTime } = row;
  const summary = buildSummary({ ...row, total: row.succeeded + row.failed, held: 0 });
  return { id: position, type, time: completedTime.getTime(), data: { ...summary, cancelled } };
}

/** Returns which of some applications have events behind a position, with one statement. */
export async function findBehind(db: Database, places: readonly Omit<Place, 'limit'>[]): Promise<ApplicationId[]> {
  const rows = await prepared<{ application_id: ApplicationId }>(db, 'find_behind')`
    select wanted.application_id
    from unnest(
      ${places.map(({ applicationId }) => applicationId)}::bigint[],
      ${places.map(({ after }) => String(after))}::bigint[]
    ) as wanted (application_id, after)
    cross join lateral (
      select from event where event.application_id = wanted.application_id and position > after limit 1
    ) as found`;
  return rows.map((row) => row.application_id);
}
