import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';
import { Gauge, type Registry } from 'prom-client';
import { IS_FAILING } from '../lanes.ts';
import { type ChannelReader, type ChannelState, shareFor } from './state.ts';

/** How many channels have gauges of their own; all others share one. */
const MAX_CHANNELS = 50;
/** The label of the other channels. */
const OTHERS = '(others)';

/** What the gauges show: values by channel, one value, or null if the database doesn't answer. */
type Reading = ReadonlyMap<string, number> | number | null;

/** Adds the gauges of the backlog to a process that serves its metrics. `channels`: the readings of that process. */
export function registerBacklogGauges(registry: Registry, db: Database, channels: ChannelReader): void {
  const readHolds = shareFor(1_000, () => readHoldsAndStalls(db));
  const ofChannels = (show: (all: readonly ChannelState[]) => Reading) => async () => show(await channels.read());
  const byChannel = (show: (of: readonly ChannelState[]) => number) =>
    ofChannels((all) => new Map(groupChannels(all).map(({ label, channels }) => [label, show(channels)])));
  const add = (name: string, help: string, read: () => Promise<Reading>, unknown: Reading = null) => {
    new Gauge({
      name,
      help,
      labelNames: ['channel'],
      registers: [registry],
      async collect() {
        const reading = await read().catch(() => unknown);
        this.reset();
        if (typeof reading === 'number') this.set(reading);
        else if (reading === null) this.remove();
        else for (const [channel, value] of reading) this.set({ channel }, value);
      },
    });
  };
  add(
    'lockstep_channel_pending_orders',
    'Pending orders by channel: the 50 channels with the most, and all others together',
    byChannel((of) => of.reduce((sum, { pending }) => sum + pending, 0)),
  );
  add(
    'lockstep_channel_oldest_pending_seconds',
    'Age of the oldest pending order by channel, as in lockstep_channel_pending_orders; 0 for paused channels',
    byChannel(oldestSeconds),
  );
  add(
    'lockstep_paused_channels',
    'Channels that an operator has paused',
    ofChannels((all) => all.filter(({ pausedTime }) => pausedTime !== null).length),
  );
  add(
    'lockstep_oldest_pending_order_seconds',
    'Age of the oldest pending order, excluding held customers and paused channels',
    ofChannels(oldestSeconds),
  );
  add('lockstep_held_customers', 'Customers with a held order; their later orders wait', async () => {
    return (await readHolds()).heldCustomers;
  });
  add('lockstep_stalled_lanes', 'Lanes whose drains have failed for five seconds; their orders wait', async () => {
    return (await readHolds()).stalledLanes;
  });
  const isUp = ofChannels(() => 1);
  add('lockstep_database_up', '1 if the database answered when the metrics were read, 0 if not', isUp, 0);
}

function groupChannels(all: readonly ChannelState[]): { label: string; channels: readonly ChannelState[] }[] {
  const sorted = all.filter(({ pending }) => pending > 0).sort((a, b) => b.pending - a.pending);
  const alone = sorted.slice(0, MAX_CHANNELS).map((channel) => ({ label: channel.code, channels: [channel] }));
  const others = sorted.slice(MAX_CHANNELS);
  return others.length === 0 ? alone : [...alone, { label: OTHERS, channels: others }];
}

function oldestSeconds(channels: readonly ChannelState[]): number {
  const ages = channels.map(({ pausedTime, oldestAcceptedTime, time }) =>
    pausedTime === null && oldestAcceptedTime !== null ? (time - oldestAcceptedTime) / 1_000 : 0,
  );
  return Math.max(0, ...ages);
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
  const { rows } = await sql<{ held: number; held_since: Date | null; lanes: number; since: Date | null; by: string }>`
    select held.*, stalled.* from (select count(*)::int as held, min(since) as held_since from order_hold) as held
    cross join (
      select count(*)::int as lanes, min(failing_since) as since,
        (array_agg(last_error order by failing_since, lane))[1] as by
      from lane where ${sql.raw(IS_FAILING)} and failing_since < statement_timestamp() - interval '5 s'
    ) as stalled`.execute(db);
  const { held, held_since, lanes, since, by } = rows[0]!;
  return {
    heldCustomers: held,
    heldSinceTime: held_since?.getTime() ?? null,
    stalledLanes: lanes,
    stalledSinceTime: since?.getTime() ?? null,
    stalledBy: by,
  };
}
