import type { ChannelDetail, ChannelHealth, ConsoleChannel } from '@lockstep/contract/console';
import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';
import { type ChannelState, estimateCompletion } from './state.ts';

/** A channel is behind when its oldest pending order has waited this long; a drain takes less than a second. */
const BEHIND_MS = 30_000;
const MAX_APPLICATIONS = 50;
const MAX_NAMED = 10;

/**
 * Returns a page of channels in the order read, starting after an id, and the id that ends the page; null at the end.
 */
export function pickChannels(
  all: readonly ChannelState[],
  { search = '', state }: { search: string | undefined; state: ChannelHealth | undefined },
  { after, limit }: { after: string | null; limit: number },
): { channels: ConsoleChannel[]; stop: string | null } {
  const start = after === null ? 0 : all.findIndex(({ id }) => String(id) === after) + 1;
  const wanted = search.toLowerCase();
  const found = all.slice(start).filter((channel) => {
    return channel.channelCode.toLowerCase().includes(wanted) && (state === undefined || healthOf(channel) === state);
  });
  const page = found.slice(0, limit);
  return { channels: page.map(showChannel), stop: found.length > limit ? String(page.at(-1)!.id) : null };
}

/** Returns how many channels are behind or paused, and names those whose orders have waited longest. */
export function pickDelayed(all: readonly ChannelState[]) {
  const delayed = all.filter((channel) => healthOf(channel) !== 'current');
  const waitsSince = ({ oldestPendingTime }: ChannelState) => oldestPendingTime ?? Number.POSITIVE_INFINITY;
  const first = delayed.toSorted((a, b) => (waitsSince(a) < waitsSince(b) ? -1 : 1)).slice(0, MAX_NAMED);
  const paused = delayed.filter(({ pausedTime }) => pausedTime !== null).length;
  return { behind: delayed.length - paused, paused, first: first.map(showChannel) };
}

/** Returns a channel with its applications, from channels read a moment ago; undefined if there is no such channel. */
export async function findChannel(
  db: Database,
  all: readonly ChannelState[],
  code: string,
): Promise<ChannelDetail | undefined> {
  // Reads the pause anew, so that the operator who just paused the channel sees it.
  const row = await db.selectFrom('channel').select('paused_time').where('code', '=', code).executeTakeFirst();
  const read = all.find(({ channelCode }) => channelCode === code);
  if (row === undefined || read === undefined) return undefined;
  const { rows } = await sql<ChannelDetail['applications'][number]>`
    select app_key as "appKey", name, coalesce(pending::float8, 0) as "pendingOrders",
      ${code} = any (channels) is true as "isBound"
    from application left join json_each_text(${JSON.stringify(read.pendingOf)}::json) as waiting (id, pending)
      on waiting.id = application.id::text
    where pending is not null or ${code} = any (channels)
    order by "pendingOrders" desc, app_key limit ${MAX_APPLICATIONS + 1}`.execute(db);
  return {
    ...showChannel({ ...read, pausedTime: row.paused_time?.getTime() ?? null }),
    applications: rows.slice(0, MAX_APPLICATIONS),
    hasMoreApplications: rows.length > MAX_APPLICATIONS,
  };
}

function healthOf({ pausedTime, oldestPendingTime, time }: ChannelState): ChannelHealth {
  if (pausedTime !== null) return 'paused';
  return oldestPendingTime !== null && time - oldestPendingTime >= BEHIND_MS ? 'behind' : 'current';
}

function showChannel(channel: ChannelState): ConsoleChannel {
  const { id, time, pending, held, pendingOf, ...shown } = channel;
  const waiting = pending > held ? [{ channelId: id, own: 0, behind: 0 }] : [];
  const estimatedCompletionTime = estimateCompletion(waiting, [channel]);
  return { ...shown, state: healthOf(channel), pendingOrders: pending, heldOrders: held, estimatedCompletionTime };
}
