import type { ApplicationId, BatchResult, BatchResultQuery, EventPage, EventsQuery } from '@lockstep/contract';
import type { Database } from '@lockstep/platform';
import type { BatchWatch } from './batch-watch.ts';
import type { EventWatch } from './event-watch.ts';
import { type Behind, type Place, parsePosition, readBehind } from './events.ts';
import { isOpen, readBatchResult } from './results.ts';

/**
 * Waits until a batch is completed, `waitSeconds` are over or the client has gone, and returns what became of it (rules
 * 6.4).
 *
 * Throws a Refusal: batch_not_found.
 */
export async function awaitBatchResult(
  db: Database,
  watch: BatchWatch,
  applicationId: ApplicationId,
  query: BatchResultQuery,
  gone: AbortSignal,
): Promise<BatchResult> {
  const deadlineMs = performance.now() + query.waitSeconds * 1_000;
  const isOver = () => performance.now() >= deadlineMs || gone.aborted || watch.isClosed;
  const { batchId, result } = await readBatchResult(db, applicationId, query);
  if (result.state === 'completed' || isOver()) return result;
  for (;;) {
    // Listens before it looks: an end in between wakes it.
    const end = watch.waitForEnd(batchId, deadlineMs, gone);
    if (!(await isOpen(db, batchId)) || isOver()) return (await readBatchResult(db, applicationId, query)).result;
    await end;
  }
}

/**
 * Reads the events of an application behind the id `after`; where there are none, waits until there is one, `waitSeconds`
 * are over or the client has gone (rules 6.8).
 */
export async function awaitEvents(
  db: Database,
  watch: EventWatch,
  applicationId: ApplicationId,
  { after, limit, waitSeconds }: EventsQuery,
  gone: AbortSignal,
): Promise<EventPage> {
  const place = { applicationId, after: parsePosition(after), limit };
  const { events, hasMore } =
    waitSeconds === 0
      ? await readNow(db, place)
      : await readOrWait(db, watch, place, performance.now() + waitSeconds * 1_000, gone);
  return { events, lastId: events.at(-1)?.id ?? after ?? null, hasMore };
}

async function readNow(db: Database, place: Place): Promise<Behind> {
  const [behind] = await readBehind(db, [place]);
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
