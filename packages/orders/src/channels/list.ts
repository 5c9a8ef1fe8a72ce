import type { ChannelDetail, ChannelHealth, ConsoleChannel } from '@lockstep/contract/console';
import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';
import type { ChannelState } from './state.ts';

/** A channel is behind when its oldest pending order has waited this long; a drain takes less than a second. */
const BEHIND_MS = 30_000;
const MAX_APPLICATIONS = 50;
const MAX_NAMED = 10;

interface ChannelFilters {
  search: string | undefined;
  state: ChannelHealth | undefined;
}

/**
 * Returns a page of channels in the order read, starting after an id, and the id that ends the page; null at the end.
 */
export function pickChannels(
  all: readonly ChannelState[],
  { search, state }: ChannelFilters,
  { after, limit }: { after: string | null; limit: number },
): { channels: ConsoleChannel[]; stop: string | null } {
  const start = after === null ? 0 : all.findIndex(({ id }) => String(id) === after) + 1;
  const wanted = search?.toLowerCase() ?? '';
  const found = all.slice(start).filter((channel) => {
    return channel.code.toLowerCase().includes(wanted) && (state === undefined || healthOf(channel) === state);
  });
  const page = found.slice(0, limit);
  return { channels: page.map(showChannel), stop: found.length > limit ? String(page.at(-1)!.id) : null };
}

/** Returns how many channels are behind or paused, and names those whose orders have waited longest. */
export function pickDelayed(all: readonly ChannelState[]) {
  const delayed = all.map(showChannel).filter(({ state }) => state !== 'current');
  const waitsSince = ({ oldestPendingTime }: ConsoleChannel) => oldestPendingTime ?? Number.POSITIVE_INFINITY;
  return {
    behind: delayed.filter(({ state }) => state === 'behind').length,
    paused: delayed.filter(({ state }) => state === 'paused').length,
    first: delayed.sort((a, b) => (waitsSince(a) < waitsSince(b) ? -1 : 1)).slice(0, MAX_NAMED),
  };
}

/** Returns a channel with its applications, from channels read a moment ago; undefined if there is no such channel. */
export async function findChannel(
  db: Database,
  all: readonly ChannelState[],
  code: string,
): Promise<ChannelDetail | undefined> {
  // Reads the pause anew, so that the operator who just paused the channel sees it.
  const row = await db.selectFrom('channel').select('paused_time').where('code', '=', code).executeTakeFirst();
  const read = all.find((channel) => channel.code === code);
  if (row === undefined || read === undefined) return undefined;
  const channel = { ...read, code, pausedTime: row.paused_time?.getTime() ?? null };
  const pending = new Map(channel.applications.map((application) => [application.appKey, application.pending]));
  const { rows } = await sql<{ appKey: string; name: string; isBound: boolean }>`
    select app_key as "appKey", name, coalesce(${code} = any (channels), false) as "isBound" from application
    where app_key = any (${[...pending.keys()]}::text[]) or ${code} = any (channels)
    order by app_key = any (${[...pending.keys()]}::text[]) desc, app_key limit ${MAX_APPLICATIONS + 1}`.execute(db);
  const applications = rows
    .slice(0, MAX_APPLICATIONS)
    .map((application) => ({ ...application, pendingOrders: pending.get(application.appKey) ?? 0 }))
    .sort((a, b) => b.pendingOrders - a.pendingOrders);
  return { ...showChannel(channel), applications, hasMoreApplications: rows.length > MAX_APPLICATIONS };
}

function healthOf({ pausedTime, oldestAcceptedTime, time }: ChannelState): ChannelHealth {
  if (pausedTime !== null) return 'paused';
  return oldestAcceptedTime !== null && time - oldestAcceptedTime >= BEHIND_MS ? 'behind' : 'current';
}

function showChannel(channel: ChannelState): ConsoleChannel {
  const { code, pausedTime, pending, held, oldestAcceptedTime, estimatedTime } = channel;
  return {
    channelCode: code,
    state: healthOf(channel),
    pausedTime,
    pendingOrders: pending,
    heldOrders: held,
    oldestPendingTime: oldestAcceptedTime,
    perSecond: {
      accepted: channel.acceptedPerSecond,
      succeeded: channel.succeededPerSecond,
      failed: channel.failedPerSecond,
    },
    estimatedCompletionTime: pausedTime === null ? estimatedTime : null,
  };
}
