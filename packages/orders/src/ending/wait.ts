import {
  type ApplicationId,
  type BatchResultQuery,
  type EventPage,
  type EventsQuery,
  LATEST,
} from '@lockstep/contract';
import type { Database, Deadline } from '@lockstep/platform';
import type { ResultReader } from '../results/reader.ts';
import type { BatchWatch } from './batch-watch.ts';
import type { EventWatch } from './event-watch.ts';
import { assertGivenOut, type Behind, type Place, parsePosition, readBehind, readLastPosition } from './events.ts';

/**
 * Waits until a batch is completed, `waitSeconds` are over or the client has gone, and returns what became of it (rules
 * 6.4), as the JSON text of the answer. While it waits it holds no connection and sends no statement.
 *
 * Throws a Refusal: batch_not_found. Throws an Overload.
 */
export async function awaitBatchResult(
  results: ResultReader,
  watch: BatchWatch,
  applicationId: ApplicationId,
  query: BatchResultQuery,
  deadline: Deadline,
): Promise<string> {
  const endMs = performance.now() + query.waitSeconds * 1_000;
  for (;;) {
    const { batchId, hasEnded, answer } = await deadline.race(results.read(applicationId, query, deadline));
    if (hasEnded || watch.isClosed || performance.now() >= endMs) return answer;
    await watch.waitForEnd(batchId, endMs, deadline.signal);
    // Nobody reads the answer any more.
    if (deadline.signal.aborted) return answer;
  }
}

/**
 * Reads the events of an application behind the id `after`; where there are none, waits until there is one,
 * `waitSeconds` are over or the client has gone (rules 6.8).
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

async function readNow(db: Database, place: Place): Promise<Behind> {
  const [behind] = await readBehind(db, [place]);
  // Where there are events behind it, it has been given out.
  if (behind!.events.length === 0) await assertGivenOut(db, place.after);
  return behind!;
}

async function readOrWait(
  db: Database,
  watch: EventWatch,
  place: Place,
  deadlineMs: number,
  gone: AbortSignal,
): Promise<Behind> {
  // Waits before it looks: an event in between is not missed.
  const waiting = watch.wait(place, deadlineMs, gone);
  try {
    const behind = await readNow(db, place);
    return behind.events.length > 0 ? behind : ((await waiting.found) ?? behind);
  } finally {
    waiting.stop();
  }
}
