import { setTimeout as sleep } from 'node:timers/promises';
import type { EventPage, FeedEvent } from '@lockstep/contract';
import { DEFAULT_LIMIT } from '../options.ts';
import { formatTime } from '../output/table.ts';
import { endOnSignals, say, sayAside } from '../output/terminal.ts';
import { type OrderClient, ServiceAway } from './client.ts';

/** The most events of one call, and how long one that follows the feed waits for the next. */
const PAGE_EVENTS = 1_000;
const WAIT_SECONDS = '30';

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 15_000;

/** What of the feed to read. */
export interface FeedOptions {
  /** Only events behind this one. */
  after: string | undefined;
  /** How many in all. */
  limit: number;
  /** Whether to wait for events that are yet to come. */
  follow: boolean;
}

interface EventOptions {
  after?: string;
  limit?: number;
  all?: true;
  follow?: true;
  json?: true;
}

/** Prints the events, and says on standard error how to go on behind the last. */
export async function printEvents(client: OrderClient, options: EventOptions): Promise<void> {
  const { after, follow = false, all, json } = options;
  const limit = options.limit ?? (follow || all ? Number.POSITIVE_INFINITY : DEFAULT_LIMIT);
  let lastId = after;
  const sayHowToGoOn = () => (lastId === undefined ? 'No event yet.' : `Go on with --after ${lastId}.`);
  endOnSignals(() => `Stopped. ${sayHowToGoOn()}`);
  try {
    for await (const event of readEvents(client, { after, limit, follow })) {
      say(json ? JSON.stringify(event) : formatEvent(event));
      lastId = event.id;
    }
    sayAside(sayHowToGoOn());
  } catch (error) {
    throw lastId === undefined ? error : new Error(`${(error as Error).message} ${sayHowToGoOn()}`, { cause: error });
  }
}

/** An event in one line: it may be followed by the next an hour later. */
function formatEvent({ id, type, time, data }: FeedEvent): string {
  const { channelCode, channelOrderId, total, succeeded, failed, cancelled } = data;
  const ended = cancelled === 0 ? '' : ` (${cancelled} cancelled)`;
  const outcome = `${total} ${total === 1 ? 'order' : 'orders'}, ${succeeded} succeeded, ${failed} failed${ended}`;
  return `${formatTime(time)}  ${id}  ${type}  ${channelCode} ${channelOrderId}: ${outcome}`;
}

/**
 * Reads the event feed in its order, each event once, to its end or, if it is followed, for ever. A feed that is
 * followed survives a service that is away for a while, and says that on standard error.
 * @throws Error of one line
 */
export async function* readEvents(client: OrderClient, options: FeedOptions): AsyncGenerator<FeedEvent> {
  let after = options.after;
  // Away at the start is a wrong address more often than a restart.
  await client.logIn();
  for (let left = options.limit; left > 0; ) {
    const query = {
      after,
      limit: String(Math.min(left, PAGE_EVENTS)),
      waitSeconds: options.follow ? WAIT_SECONDS : undefined,
    };
    const read = () => client.call('getEvents', { query });
    const { events, lastId, hasMore }: EventPage = await (options.follow ? outlast(read) : read());
    yield* events;
    after = lastId ?? after;
    left -= events.length;
    if (!options.follow && !hasMore) return;
  }
}

/** Repeats a call until the service is back, and says once that it is away and once that it is back. */
async function outlast<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  let isAway = false;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    try {
      const answer = await call();
      if (isAway) sayAside('lockstep: The service is back.');
      return answer;
    } catch (error) {
      if (!(error instanceof ServiceAway)) throw error;
      if (!isAway) sayAside(`lockstep: ${error.message} Trying again until it is back.`);
      isAway = true;
      await sleep(pauseMs);
    }
  }
}
