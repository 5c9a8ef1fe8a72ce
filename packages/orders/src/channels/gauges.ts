import { addGauge, type Database, inMs, share } from '@lockstep/platform';
import { sql } from 'kysely';
import type { Registry } from 'prom-client';
import { IS_FAILING } from '../lanes.ts';
import type { ChannelReader, ChannelState } from './state.ts';

/** How many channels have gauges of their own; all others share one. */
const MAX_CHANNELS = 50;
/** The label of the other channels. */
const OTHERS = '(others)';

/** Adds the gauges of the backlog to a process that serves its metrics. `channels`: the readings of that process. */
export function registerBacklogGauges(registry: Registry, db: Database, channels: ChannelReader): void {
  const readHolds = share(() => readHoldsAndStalls(db));
  const add = (name: string, help: string, read: () => Promise<number | [string, number][]>, unknown?: number) =>
    addGauge(registry, { name, help, label: 'channel', ...(unknown !== undefined && { unknown }) }, read);
  const addByChannel = (name: string, help: string, show: (some: readonly ChannelState[]) => number) =>
    add(name, help, async () => groupChannels(await channels.readAll()).map(([label, some]) => [label, show(some)]));
  addByChannel(
    'lockstep_channel_pending_orders',
    'Pending orders by channel: the 50 channels with the most, and all others together',
    (some) => some.reduce((sum, { pending }) => sum + pending, 0),
  );
  addByChannel(
    'lockstep_channel_oldest_pending_seconds',
    'Age of the oldest pending order by channel, as in lockstep_channel_pending_orders; 0 for paused channels',
    oldestSeconds,
  );
  add('lockstep_paused_channels', 'Channels that an operator has paused', async () => {
    return (await channels.readAll()).filter(({ pausedTime }) => pausedTime !== null).length;
  });
  add(
    'lockstep_oldest_pending_order_seconds',
    'Age of the oldest pending order, excluding held customers and paused channels',
    async () => oldestSeconds(await channels.readAll()),
  );
  add('lockstep_held_customers', 'Customers with a held order; their later orders wait', async () => {
    return (await readHolds()).heldCustomers;
  });
  add('lockstep_stalled_lanes', 'Lanes whose drains have failed for five seconds; their orders wait', async () => {
    return (await readHolds()).stalledLanes;
  });
  const readUp = () => channels.readAll().then(() => 1);
  add('lockstep_database_up', '1 if the database answered when the metrics were read, 0 if not', readUp, 0);
}

function groupChannels(all: readonly ChannelState[]): [label: string, channels: ChannelState[]][] {
  const sorted = all.filter(({ pending }) => pending > 0).sort((a, b) => b.pending - a.pending);
  const labels = new Map(sorted.slice(0, MAX_CHANNELS).map((channel) => [channel, channel.channelCode]));
  return [...Map.groupBy(sorted, (channel) => labels.get(channel) ?? OTHERS)];
}

function oldestSeconds(channels: readonly ChannelState[]): number {
  const running = channels.filter(({ pausedTime }) => pausedTime === null);
  return Math.max(0, ...running.map(({ oldestPendingTime, time }) => (time - (oldestPendingTime ?? time)) / 1_000));
}

/** How many customers are held and how many lanes are stalled, and since when, in milliseconds or null. */
export interface HoldsAndStalls {
  heldCustomers: number;
  heldSinceTime: number | null;
  stalledLanes: number;
  stalledSinceTime: number | null;
  /** The last error of the lane that has been stalled longest. */
  stalledBy: string | null;
}

/** Counts held customers, and stalled lanes: those whose drains have failed for five seconds. */
export async function readHoldsAndStalls(db: Database): Promise<HoldsAndStalls> {
  const { rows } = await sql<HoldsAndStalls>`
    select * from (
      select count(*)::int as "heldCustomers", ${inMs('min(since)')} as "heldSinceTime" from order_hold
    ) as held cross join (
      select count(*)::int as "stalledLanes", ${inMs('min(failing_since)')} as "stalledSinceTime",
        (array_agg(last_error order by failing_since, lane))[1] as "stalledBy"
      from lane where ${sql.raw(IS_FAILING)} and failing_since < statement_timestamp() - interval '5 s'
    ) as stalled`.execute(db);
  return rows[0]!;
}
