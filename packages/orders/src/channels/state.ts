import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';
import { channelOfColumn, LANES_OF_CHANNEL } from '../lanes.ts';
import { CHANNEL_PERIOD_SECONDS, startOfPeriod } from './count-activity.ts';
import { estimateCompletion, listAhead, type PendingInChannel, perSecondOf } from './estimates.ts';

/** The state of a channel. Times are milliseconds by the database's clock. */
export interface ChannelState {
  id: number;
  code: string;
  pausedTime: number | null;
  /** Its pending orders, and how many of them are held. */
  pending: number;
  held: number;
  /** When the oldest pending order that is not held was accepted; null if there is none. */
  oldestAcceptedTime: number | null;
  /** The applications of its pending orders, most orders first. */
  applications: { appKey: string; name: string; pending: number }[];
  /** Orders per second in the last minute, or since the oldest pending order was accepted if that is later. */
  acceptedPerSecond: number;
  succeededPerSecond: number;
  failedPerSecond: number;
  /**
   * When the orders pending now will be done at the current rate; null if there are none, the channel is paused, or it
   * makes no progress.
   */
  estimatedTime: number | null;
  time: number;
}

type ChannelRow = Omit<ChannelState, 'estimatedTime'>;

/**
 * Reads all channels, sorted by code, with their pending orders and rates. Reads counted totals and uncounted activity
 * in one statement, so that no order is missed or counted twice.
 */
export async function readChannels(db: Database): Promise<ChannelState[]> {
  const { rows } = await sql<ChannelRow>`
    with clock as (select statement_timestamp() as at),
    noted as materialized (
      select channel_id, application_id, noted_time, pending, accepted, succeeded, failed from uncounted_activity
    ), waiting as materialized (
      select channel_id, application_id, sum(pending) as pending from (
        select channel_id, application_id, pending from pending_orders
        union all select channel_id, application_id, pending from noted
      ) as changes group by channel_id, application_id having sum(pending) > 0
    ), sums as (
      select channel_id, sum(pending) as pending, json_agg(
        json_build_object('appKey', app_key, 'name', name, 'pending', pending) order by pending desc, app_key
      ) as applications
      from waiting join application on application.id = application_id group by channel_id
    ), held as (
      select ${sql.raw(channelOfColumn())} as channel_id, count(*) as held from held_order group by channel_id
    ), named as (
      -- PostgreSQL cannot know how many channels have pending orders, so each is looked up separately.
      select id, code, paused_time, case when id in (select channel_id from sums) then (
        select min(first.accepted_time)
        from generate_series(${FIRST_LANE}, ${FIRST_LANE} + ${sql.lit(LANES_OF_CHANNEL - 1)}) as slot (lane)
        cross join lateral (
          select accepted_time from lane_chunk
          where lane_chunk.lane = slot.lane and finished_time is null and not is_held order by batch_id limit 1
        ) as first
      ) end as oldest_time
      from channel
    ), span as (
      select named.*, at, least(at - interval '1 s', greatest(at - interval '1 min', oldest_time)) as since
      from clock cross join named
    ), done as (
      select id as channel_id, sum(accepted) as accepted, sum(succeeded) as succeeded, sum(failed) as failed
      from span join (
        select channel_id, period_start as time, accepted, succeeded, failed from channel_activity
        where period_start > (select at from clock) - interval '1 min' - interval '${sql.lit(CHANNEL_PERIOD_SECONDS)} s'
        union all select channel_id, noted_time, accepted, succeeded, failed from noted
      ) as activity on channel_id = id and time >= ${startOfPeriod(CHANNEL_PERIOD_SECONDS, 'since')}
      group by id
    ), rate as (
      select channel_id, accepted / seconds as accepted, succeeded / seconds as succeeded, failed / seconds as failed
      from done join span on id = channel_id cross join lateral (select extract(epoch from at - since) as seconds) as spanned
    )
    select id, code, ${inMs('paused_time')} as "pausedTime", coalesce(pending, 0)::float8 as pending,
      coalesce(held, 0)::float8 as held, ${inMs('oldest_time')} as "oldestAcceptedTime",
      coalesce(applications, '[]') as applications, coalesce(accepted, 0)::float8 as "acceptedPerSecond",
      coalesce(succeeded, 0)::float8 as "succeededPerSecond", coalesce(failed, 0)::float8 as "failedPerSecond",
      ${inMs('at')} as time
    from span left join sums on sums.channel_id = id left join held on held.channel_id = id
    left join rate on rate.channel_id = id
    order by code`.execute(db);
  return rows.map((row) => {
    const orders = row.pending - row.held;
    const ahead = [{ orders, perSecond: perSecondOf(row) }];
    return { ...row, estimatedTime: orders > 0 ? estimateCompletion(row.time, ahead) : null };
  });
}

const RECENT_MS = 5_000;

export class ChannelReader {
  readonly read: () => Promise<readonly ChannelState[]>;
  /** The last reading, and when it was made (performance.now). */
  #last: { channels: readonly ChannelState[]; ms: number } = { channels: [], ms: Number.NEGATIVE_INFINITY };

  constructor(db: Database) {
    this.read = shareFor(1_000, async () => {
      const channels = await readChannels(db);
      this.#last = { channels, ms: performance.now() };
      return channels;
    });
  }

  /**
   * Estimates when a batch will be completed, in milliseconds, from the channels of its pending orders (rules 6.4).
   * Returns null if no order is pending, a channel is paused or makes no progress, or the channels can't be read. Uses
   * a recent reading without waiting, because other polls would wait, too.
   */
  async estimate(waiting: readonly PendingInChannel[] | null): Promise<number | null> {
    if (waiting === null) return null;
    const reading = this.read().catch(() => []);
    const channels = performance.now() - this.#last.ms < RECENT_MS ? this.#last.channels : await reading;
    return channels.length === 0 ? null : estimateCompletion(channels[0]!.time, listAhead(waiting, channels));
  }
}

const FIRST_LANE = sql`id * ${sql.lit(LANES_OF_CHANNEL)}`;
const inMs = (column: string) => sql`floor(extract(epoch from ${sql.ref(column)}) * 1000)::float8`;

/**
 * Returns a function that shares each result of `read` for some milliseconds. Only one read runs at a time, so a call
 * waits for one at most. Failures are not kept.
 */
export function shareFor<Result>(milliseconds: number, read: () => Promise<Result>): () => Promise<Result> {
  let shared: Promise<Result> | undefined;
  let isRunning = false;
  let startedMs = 0;
  return () => {
    if (shared !== undefined && (isRunning || performance.now() - startedMs < milliseconds)) return shared;
    isRunning = true;
    startedMs = performance.now();
    shared = read()
      .catch((error: unknown) => {
        shared = undefined;
        throw error;
      })
      .finally(() => {
        isRunning = false;
      });
    return shared;
  };
}
