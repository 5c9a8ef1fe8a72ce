import type { ResponseEvent } from '@lockstep/client';
import type { FeedEvent } from '@lockstep/contract';
import { MAX_EVENTS } from '@lockstep/contract/routes';
import { LATEST } from '@lockstep/contract/words';
import { DEFAULT_LIMIT } from '../options.ts';
import { endOnSignals, say, sayAside } from '../output/terminal.ts';
import { countOrders, formatTime } from '../output/values.ts';
import type { OrderClient } from './client.ts';

/** Which part of the feed to read. */
export interface FeedOptions {
  /** Read only events after this one. */
  after?: string | undefined;
  /** The most events to read. */
  limit?: number;
  /** Whether to wait for new events. */
  follow?: true;
}

/** Prints events, and says on standard error how to continue after the last one. */
export async function printEvents(
  client: OrderClient,
  options: FeedOptions & { all?: true; json?: true },
): Promise<void> {
  const { follow, all, json } = options;
  const limit = options.limit ?? (follow || all ? Number.POSITIVE_INFINITY : DEFAULT_LIMIT);
  const after = await findPosition(client, options.after);
  await handleEvents(client, { ...options, after, limit }, (event) => {
    say(json ? JSON.stringify(event) : formatEvent(event));
  });
}

/** Returns the position to read after: for `latest` an id, so that neither a retry nor the next run skips an event. */
export async function findPosition(client: OrderClient, after: string | undefined): Promise<string | undefined> {
  if (after !== LATEST) return after;
  const { lastId } = await client.call('getEvents', { query: { after, limit: '1' } });
  return lastId ?? undefined;
}

/** Handles events one after the other, and says on standard error how to continue after the last one. */
export async function handleEvents(
  client: OrderClient,
  options: FeedOptions,
  handle: (event: FeedEvent) => Promise<void> | void,
): Promise<void> {
  let lastId = options.after;
  const sayHowToContinue = () => (lastId === undefined ? 'No events yet.' : `Continue with --after ${lastId}.`);
  endOnSignals(() => `Stopped. ${sayHowToContinue()}`);
  try {
    for await (const event of readEvents(client, options)) {
      await handle(event);
      lastId = event.id;
    }
    sayAside(sayHowToContinue());
  } catch (error) {
    throw lastId === undefined
      ? error
      : new Error(`${(error as Error).message} ${sayHowToContinue()}`, { cause: error });
  }
}

/** Formats an event as one line rather than a table row: the next one may come an hour later. */
export function formatEvent({ id, type, time, data }: FeedEvent): string {
  return `${formatTime(time)}  ${id}  ${type}  ${formatData(data)}`;
}

function formatData(data: FeedEvent['data']): string {
  if ('webhookId' in data) return [`webhook ${data.webhookId}`, data.cause].filter((word) => word !== null).join(', ');
  if ('channelOrderId' in data) {
    const { channelCode, channelOrderId, total, succeeded, failed, cancelled } = data;
    const ended = cancelled === 0 ? '' : ` (${cancelled} cancelled)`;
    return `${channelCode} ${channelOrderId}: ${countOrders(total)}, ${succeeded} succeeded, ${failed} failed${ended}`;
  }
  const subject = `${data.channelCode} customer ${data.customerId}`;
  if ('day' in data) return `${subject}: ${data.counts.assets} assets, ${data.counts.products} products, ${data.day}`;
  const more = data.counts.assets > data.assets.length ? ' …' : '';
  return `${subject}: ${data.assets.map(({ assetNum }) => assetNum).join(' ')}${more}`;
}

/**
 * Reads the event feed in order, each event once. If `follow` is set, it never ends, and when the service is
 * unavailable, says so on standard error and goes on.
 * @throws CommandFault
 */
export async function* readEvents(client: OrderClient, options: FeedOptions): AsyncGenerator<FeedEvent> {
  const { follow, limit = Number.POSITIVE_INFINITY } = options;
  let { after } = options;
  let left = limit;
  // At the start, an unavailable service is more often a wrong address than a restart.
  for await (const event of client.list('getEvents', { query: { after, limit: Math.min(limit, MAX_EVENTS) } })) {
    yield event;
    after = event.id;
    left -= 1;
    if (left === 0) return;
  }
  if (!follow) return;
  let isUnavailable = false;
  const onResponse = ({ error }: ResponseEvent) => {
    if (isUnavailable !== (error?.isRetryable === true)) {
      const { message } = error === undefined ? { message: '' } : (client.explain(error) as Error);
      sayAside(`lockstep: ${isUnavailable ? 'The service is available again.' : `${message} Retrying.`}`);
      isUnavailable = !isUnavailable;
    }
  };
  try {
    for await (const event of client.lockstep.events({ after }, { onResponse })) {
      yield event;
      left -= 1;
      if (left === 0) return;
    }
  } catch (error) {
    throw client.explain(error);
  }
}
