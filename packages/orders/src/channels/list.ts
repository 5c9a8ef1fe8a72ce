import type { ChannelDetail, ChannelHealth, ConsoleChannel, Overview } from '@lockstep/contract/console';
import { type Database, inMs } from '@lockstep/platform';
import { sql } from 'kysely';
import { type ChannelState, estimateCompletion } from './state.ts';

/** How long an order of a channel that is behind has been pending (rules 9). A drain takes less than a second. */
export const BEHIND_MS = 30_000;
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

/** Returns how many channels are in each state but `current`, and names those whose orders have waited longest. */
export function pickDelayed(all: readonly ChannelState[]) {
  const delayed = all.filter((channel) => healthOf(channel) !== 'current');
  const first = delayed.toSorted((a, b) => (waitsSince(a) < waitsSince(b) ? -1 : 1)).slice(0, MAX_NAMED);
  const count = (state: ChannelHealth) => delayed.filter((channel) => healthOf(channel) === state).length;
  return { holding: count('holding'), behind: count('behind'), paused: count('paused'), first: first.map(showChannel) };
}

/**
 * Returns how many orders have no outcome, each counted once: as held, in a paused channel, or pending; and the batch
 * of the order that has been pending longest.
 */
export function sumBacklog(all: readonly ChannelState[]): Overview['backlog'] {
  const sum = (some: readonly ChannelState[], count: (channel: ChannelState) => number) =>
    some.reduce((total, channel) => total + count(channel), 0);
  const [running, paused] = [true, false].map((runs) => all.filter(({ pausedTime }) => (pausedTime === null) === runs));
  const [oldest] = running!.toSorted((a, b) => waitsSince(a) - waitsSince(b));
  return {
    pendingOrders: sum(running!, countFree),
    pausedOrders: sum(paused!, countFree),
    heldOrders: sum(all, ({ held }) => held),
    oldest: oldest?.oldestBatchId ? { batchId: oldest.oldestBatchId, acceptedTime: oldest.oldestPendingTime! } : null,
  };
}

/** Since when a channel's oldest order waits: later than any time if none does. */
const waitsSince = ({ oldestPendingTime }: ChannelState) => oldestPendingTime ?? Number.MAX_SAFE_INTEGER;
const countFree = ({ pending, held }: ChannelState) => pending - held;

/** Returns a channel with its applications, from channels read a moment ago; undefined if there is no such channel. */
export async function findChannel(
  db: Database,
  all: readonly ChannelState[],
  code: string,
): Promise<Omit<ChannelDetail, 'pause'> | undefined> {
  // Reads the pause anew, so that the operator who just paused the channel sees it.
  const paused = await sql<{ time: number | null }>`
    select ${inMs('paused_time')} as time from channel where code = ${code}`.execute(db);
  const read = all.find(({ channelCode }) => channelCode === code);
  if (paused.rows[0] === undefined || read === undefined) return undefined;
  const { rows } = await sql<ChannelDetail['applications'][number]>`
    select app_key as "appKey", name, coalesce(pending::float8, 0) as "pendingOrders",
      ${code} = any (channels) is true as "isBound"
    from application left join json_each_text(${JSON.stringify(read.pendingOf)}::json) as waiting (id, pending)
      on waiting.id = application.id::text
    where pending is not null or ${code} = any (channels)
    order by "pendingOrders" desc, app_key limit ${MAX_APPLICATIONS + 1}`.execute(db);
  return {
    ...showChannel({ ...read, pausedTime: paused.rows[0].time }),
    applications: rows.slice(0, MAX_APPLICATIONS),
    hasMoreApplications: rows.length > MAX_APPLICATIONS,
  };
}

function healthOf({ pausedTime, oldestPendingTime, held, time }: ChannelState): ChannelHealth {
  if (pausedTime !== null) return 'paused';
  if (oldestPendingTime !== null && time - oldestPendingTime >= BEHIND_MS) return 'behind';
  return held > 0 ? 'holding' : 'current';
}

function showChannel(channel: ChannelState): ConsoleChannel {
  const { id, time, pending, held, pendingOf, oldestBatchId, ...shown } = channel;
  const pendingOrders = countFree(channel);
  const waiting = pendingOrders > 0 ? [{ channelId: id, own: 0, behind: 0 }] : [];
  const estimatedCompletionTime = estimateCompletion(waiting, [channel]);
  return { ...shown, state: healthOf(channel), pendingOrders, heldOrders: held, estimatedCompletionTime };
}
