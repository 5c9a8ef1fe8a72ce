import { type ApplicationId, type EventPage, type EventsQuery, LATEST } from '@lockstep/contract';
import { type Database, Group, readNotification } from '@lockstep/platform';
import {
  assertPositionAssigned,
  type EventsAfter,
  findApplicationsWithEvents,
  type Place,
  parsePosition,
  readEventsAfter,
  readLastPosition,
} from './events.ts';

/** The NOTIFY channel that carries the ids of applications with new events. */
export const EVENTS_CHANNEL = 'lockstep_events';
/** How often a process polls for all its waiting calls, in case a notification was lost. */
const LOOK_AGAIN_MS = 1_000;
const READS = { maxRunning: 2, maxInputs: 16 };

interface Reader extends Place {
  /** Receives null if no event arrived in time. */
  serve(found: EventsAfter | null): void;
  fail(error: unknown): void;
}

/**
 * Lets calls wait for events after their position in the feed (rules 6.8). A Listener passes on the notifications.
 *
 * Each waiting call costs a timer and no statement. One read serves all calls that wait for events of an application:
 * all wait at or near the end of the feed, so it reads from the lowest of their positions.
 */
export class EventWatch {
  readonly channel = EVENTS_CHANNEL;
  readonly #db: Database;
  readonly #readers = new Map<ApplicationId, Set<Reader>>();
  readonly #reads: Group<Place, EventsAfter>;
  /** Applications for which a read is running, and those that need another read afterwards. */
  readonly #looking = new Set<ApplicationId>();
  readonly #again = new Set<ApplicationId>();
  #timer: NodeJS.Timeout | undefined;
  #fault: unknown = null;
  #closed = false;

  constructor(db: Database) {
    this.#db = db;
    this.#reads = new Group({ run: (places) => readEventsAfter(db, places), splitsOn: () => false, ...READS });
  }

  /**
   * Waits until there are events after a position. `found` resolves to null at `deadlineMs` (a time of
   * performance.now), when `gone` aborts or when this process shuts down. It rejects at the deadline if the last read
   * failed. Call `stop` when the result is no longer needed.
   */
  wait(place: Place, deadlineMs: number, gone: AbortSignal): { found: Promise<EventsAfter | null>; stop: () => void } {
    const { promise: found, resolve, reject } = Promise.withResolvers<EventsAfter | null>();
    // Prevents an unhandled rejection while the caller does its own read.
    found.catch(() => {});
    const stop = () => {
      clearTimeout(timer);
      gone.removeEventListener('abort', leave);
      this.#forget(reader);
      resolve(null);
    };
    const leave = () => reader.serve(null);
    const reader: Reader = {
      ...place,
      serve(behind) {
        resolve(behind);
        stop();
      },
      fail(error) {
        reject(error);
        stop();
      },
    };
    const timer = setTimeout(
      () => (this.#fault === null ? reader.serve(null) : reader.fail(this.#fault)),
      Math.max(0, deadlineMs - performance.now()),
    );
    gone.addEventListener('abort', leave);
    if (this.#closed || gone.aborted) stop();
    else this.#admit(reader);
    return { found, stop };
  }

  receive(payload: string): void {
    const applicationIds = (readNotification(payload) as ApplicationId[] | null) ?? [...this.#readers.keys()];
    for (const applicationId of applicationIds) if (this.#readers.has(applicationId)) void this.#look(applicationId);
  }

  /** Answers all waiting calls with no events and lets no more calls wait. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const readers of [...this.#readers.values()]) for (const reader of [...readers]) reader.serve(null);
  }

  #admit(reader: Reader): void {
    const others = this.#readers.get(reader.applicationId);
    if (others === undefined) this.#readers.set(reader.applicationId, new Set([reader]));
    else others.add(reader);
    this.#timer ??= setTimeout(() => void this.#lookForLost(), LOOK_AGAIN_MS);
  }

  #forget(reader: Reader): void {
    const readers = this.#readers.get(reader.applicationId);
    readers?.delete(reader);
    if (readers?.size === 0) this.#readers.delete(reader.applicationId);
  }

  async #lookForLost(): Promise<void> {
    try {
      const places = [...this.#readers].map(([applicationId, readers]) => ({ applicationId, after: firstOf(readers) }));
      const found = places.length === 0 ? [] : await findApplicationsWithEvents(this.#db, places);
      this.#fault = null;
      for (const applicationId of found) void this.#look(applicationId);
    } catch (error) {
      this.#fault = error;
    }
    this.#timer = undefined;
    if (!this.#closed && this.#readers.size > 0) {
      this.#timer = setTimeout(() => void this.#lookForLost(), LOOK_AGAIN_MS);
    }
  }

  /** Reads for all calls that wait for events of an application. The next read serves calls that arrive meanwhile. */
  async #look(applicationId: ApplicationId): Promise<void> {
    this.#again.add(applicationId);
    if (this.#looking.has(applicationId)) return;
    this.#looking.add(applicationId);
    try {
      while (this.#again.delete(applicationId)) await this.#serveReaders(applicationId);
      this.#fault = null;
    } catch (error) {
      // The calls keep waiting; the next poll serves them.
      this.#fault = error;
    } finally {
      this.#again.delete(applicationId);
      this.#looking.delete(applicationId);
    }
  }

  async #serveReaders(applicationId: ApplicationId): Promise<void> {
    let readers = [...(this.#readers.get(applicationId) ?? [])];
    while (readers.length > 0) {
      const limit = Math.max(...readers.map((reader) => reader.limit));
      const { events, hasMore } = await this.#reads.run({ applicationId, after: firstOf(readers), limit });
      const positions = events.map(({ id }) => BigInt(id));
      for (const reader of readers) {
        const start = positions.findIndex((position) => position > reader.after);
        if (start === -1) continue;
        const end = start + reader.limit;
        reader.serve({ events: events.slice(start, end), hasMore: hasMore || end < events.length });
      }
      if (!hasMore) return;
      // Calls that wait behind the last of these events are served by the next read.
      readers = readers.filter(({ after }) => after >= positions.at(-1)!);
    }
  }
}

function firstOf(readers: Iterable<Reader>): bigint {
  let first: bigint | null = null;
  for (const { after } of readers) if (first === null || after < first) first = after;
  return first!;
}

/**
 * Returns the events of an application after the id `after`. If there are none, waits until there is one, `waitSeconds`
 * have passed or the client has disconnected (rules 6.8).
 *
 * Throws a Refusal: event_unknown.
 */
export async function awaitEvents(
  db: Database,
  watch: EventWatch,
  applicationId: ApplicationId,
  { after, limit, waitSeconds }: EventsQuery,
  gone: AbortSignal,
): Promise<EventPage> {
  const from = after === LATEST ? await readLastPosition(db) : after;
  const place = { applicationId, after: parsePosition(from), limit };
  const { events, hasMore } =
    waitSeconds === 0
      ? await readNow(db, place)
      : await readOrWait(db, watch, place, performance.now() + waitSeconds * 1_000, gone);
  return { events, lastId: events.at(-1)?.id ?? from ?? null, hasMore };
}

async function readNow(db: Database, place: Place): Promise<EventsAfter> {
  const [behind] = await readEventsAfter(db, [place]);
  // If there are later events, the position has been assigned.
  if (behind!.events.length === 0) await assertPositionAssigned(db, place.after);
  return behind!;
}

async function readOrWait(
  db: Database,
  watch: EventWatch,
  place: Place,
  deadlineMs: number,
  gone: AbortSignal,
): Promise<EventsAfter> {
  // Waits before it reads, so that it can't miss an event in between.
  const waiting = watch.wait(place, deadlineMs, gone);
  try {
    const behind = await readNow(db, place);
    return behind.events.length > 0 ? behind : ((await waiting.found) ?? behind);
  } finally {
    waiting.stop();
  }
}
