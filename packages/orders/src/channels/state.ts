import { type ApplicationId, type BatchId, Refusal, type Viewer } from '@lockstep/contract';
import type { ConsoleChannel } from '@lockstep/contract/console';
import { type Database, inMs, run, share } from '@lockstep/platform';
import { sql } from 'kysely';
import { channelOfColumn, LANES_OF_CHANNEL } from '../lanes.ts';
import { CHANNEL_PERIOD_SECONDS, startOfPeriod } from './count-activity.ts';

/**
 * Reads all channels, sorted by code, with their pending orders and rates. Reads counted totals and uncounted activity
 * in one statement, so that no order is missed or counted twice.
 */
export async function readChannels(db: Database): Promise<ChannelState[]> {
  const { rows } = await sql<ChannelState>`
    with noted as materialized (
      select channel_id, application_id, noted_time, pending, accepted, succeeded, failed from uncounted_activity
    ), waiting as materialized (
      select channel_id, application_id, sum(pending) as pending from (
        select channel_id, application_id, pending from pending_orders
        union all select channel_id, application_id, pending from noted
      ) as changes group by channel_id, application_id having sum(pending) > 0
    ), sums as (
      select channel_id, sum(pending) as pending, json_object_agg(application_id, pending) as pending_of
      from waiting group by channel_id
    ), held as (
      select ${sql.raw(channelOfColumn())} as channel_id, count(*) as held from held_order group by channel_id
    ), named as materialized (
      -- PostgreSQL cannot know how many channels have pending orders, so each is looked up separately.
      select id, code, paused_time, pending, pending_of, oldest_time, oldest_batch_id
      from channel left join sums on sums.channel_id = id left join lateral (
        select accepted_time as oldest_time, batch_id as oldest_batch_id
        from generate_series(0, ${sql.lit(LANES_OF_CHANNEL - 1)}) as place cross join lateral (
          select accepted_time, batch_id from lane_chunk
          where lane = channel.id * ${sql.lit(LANES_OF_CHANNEL)} + place and finished_time is null and not is_held
          order by batch_id limit 1
        ) as first
        where sums.channel_id is not null order by accepted_time limit 1
      ) as oldest on true
    ), span as (
      select *, extract(epoch from at - since) as seconds
      from named cross join (select statement_timestamp() as at) as clock cross join lateral (
        select least(at - interval '1 s', greatest(at - interval '1 min', oldest_time)) as since
      ) as counted
    ), done as (
      select id as channel_id, sum(accepted) as accepted, sum(succeeded) as succeeded, sum(failed) as failed
      from span join (
        select channel_id, period_start as time, accepted, succeeded, failed from channel_activity
        where period_start > statement_timestamp() - interval '1 min' - interval '${sql.lit(CHANNEL_PERIOD_SECONDS)} s'
        union all select channel_id, noted_time, accepted, succeeded, failed from noted
      ) as activity on channel_id = id and time >= ${startOfPeriod(CHANNEL_PERIOD_SECONDS, 'since')}
      group by id
    )
    select id, code as "channelCode", ${inMs('paused_time')} as "pausedTime", coalesce(pending, 0)::float8 as pending,
      coalesce(held, 0)::float8 as held, ${inMs('oldest_time')} as "oldestPendingTime",
      oldest_batch_id as "oldestBatchId",
      coalesce(pending_of, '{}') as "pendingOf", json_build_object(
        'accepted', coalesce(accepted / seconds, 0), 'succeeded', coalesce(succeeded / seconds, 0),
        'failed', coalesce(failed / seconds, 0)
      ) as "perSecond", ${inMs('at')} as time
    from span left join held on held.channel_id = id
    left join done on done.channel_id = id
    order by code`.execute(db);
  return rows;
}

const RECENT_MS = 5_000;

/** Reads channels for all callers of a process at most once a second. */
export class ChannelReader {
  /** Reads all channels, sorted by code. */
  readonly readAll: () => Promise<readonly ChannelState[]>;
  /** The last reading, and when it was made (performance.now). */
  #last: { channels: readonly ChannelState[]; ms: number } = { channels: [], ms: Number.NEGATIVE_INFINITY };

  constructor(db: Database) {
    this.readAll = share(async () => {
      const channels = await readChannels(db);
      this.#last = { channels, ms: performance.now() };
      return channels;
    });
  }

  /** Returns the channels that a viewer is bound to, sorted by code. Throws what the database throws. */
  async read(viewer: Pick<Viewer, 'channels'>): Promise<readonly ChannelState[]> {
    return pickVisible(await this.readAll(), viewer);
  }

  /**
   * Estimates when a batch will be completed, in milliseconds, from the channels of its pending orders; null if that is
   * unknown (see estimateCompletion) or the channels can't be read. Uses a recent reading without waiting, because
   * other polls would wait, too.
   */
  async estimate(waiting: readonly PendingInChannel[] | null): Promise<number | null> {
    if (waiting === null) return null;
    const reading = this.readAll().catch(() => []);
    const channels = performance.now() - this.#last.ms < RECENT_MS ? this.#last.channels : await reading;
    return estimateCompletion(waiting, channels);
  }
}

/** Returns those of the channels that a viewer is bound to. */
export function pickVisible<Seen extends { channelCode: string }>(
  all: readonly Seen[],
  { channels }: Pick<Viewer, 'channels'>,
): readonly Seen[] {
  return channels === null ? all : all.filter(({ channelCode }) => channels.includes(channelCode));
}

/** What was read of a channel. Times are milliseconds by the database's clock. */
export interface ChannelState
  extends Pick<ConsoleChannel, 'channelCode' | 'pausedTime' | 'oldestPendingTime' | 'perSecond'> {
  id: number;
  /** Its pending orders, and how many of them are held. */
  pending: number;
  held: number;
  /** The batch of the order that has been pending longest, as `oldestPendingTime`. */
  oldestBatchId: BatchId | null;
  pendingOf: Readonly<Record<ApplicationId, number>>;
  time: number;
}

/** A channel with pending orders of a batch. */
export interface PendingInChannel {
  channelId: number;
  own: number;
  /** How many orders were accepted after the batch, as far as they have been counted. */
  behind: number;
}

/**
 * Estimates when a batch will be completed, in milliseconds; null if none of its orders is pending or one of its
 * channels is paused, makes no progress or is unknown (rules 6.4). A channel finishes orders roughly in the order of
 * acceptance. Later orders that are done already, in another lane, count at most until only the batch's own are left.
 */
export function estimateCompletion(
  waiting: readonly PendingInChannel[],
  channels: readonly ChannelState[],
): number | null {
  const byId = new Map(waiting.map((pending) => [pending.channelId, pending]));
  const known = channels.filter(({ id }) => byId.has(id));
  const seconds = known.map((channel) => {
    const { own, behind } = byId.get(channel.id)!;
    return Math.max(own, channel.pending - channel.held - behind) / finishedPerSecond(channel);
  });
  const last = known.length < waiting.length ? Number.POSITIVE_INFINITY : Math.max(...seconds);
  return Number.isFinite(last) ? Math.round(channels[0]!.time + last * 1_000) : null;
}

function finishedPerSecond({ pausedTime, perSecond }: ChannelState): number {
  return pausedTime === null ? perSecond.succeeded + perSecond.failed : 0;
}

const MAX_RETRY_SECONDS = 300;

/**
 * Returns in how many seconds this many of an application's orders will be done, by its share of the pending orders of
 * each channel.
 */
export function secondsUntilBelow(
  orders: number,
  applicationId: ApplicationId,
  channels: readonly ChannelState[],
): number {
  const perSecond = channels.reduce((sum, channel) => {
    const own = channel.pendingOf[applicationId] ?? 0;
    return own === 0 ? sum : sum + (own / channel.pending) * finishedPerSecond(channel);
  }, 0);
  return Math.min(MAX_RETRY_SECONDS, Math.max(1, Math.ceil(orders / perSecond)));
}

/**
 * Limits the pending orders of each application (rules 6.2). A process counts them at most once a second for all calls
 * (see share), so the orders of meanwhile may exceed the limit.
 */
export class PendingBound {
  readonly #channels: ChannelReader;
  readonly #most: number;
  /** Reads all channels, sorted by code. */
  readonly readAll: () => Promise<ReadonlyMap<ApplicationId, number>>;

  constructor(db: Database, channels: ChannelReader, most: number) {
    this.#channels = channels;
    this.#most = most;
    this.readAll = share(async () => {
      const statement = { name: 'find_full', text: FIND_FULL, values: [most] };
      const rows = await run<{ id: ApplicationId; pending: number }>(db, statement);
      return new Map(rows.map(({ id, pending }) => [id, pending]));
    });
  }

  /** Returns a Refusal (overloaded) if an application may send no async orders now; otherwise null. */
  async findRefusal(applicationId: ApplicationId): Promise<Refusal | null> {
    const pending = (await this.readAll().catch(() => null))?.get(applicationId);
    if (pending === undefined) return null;
    const refusal = new Refusal('overloaded', pending, this.#most);
    const channels = await this.#channels.readAll().catch(() => []);
    refusal.retryAfterSeconds = secondsUntilBelow(pending - this.#most, applicationId, channels);
    return refusal;
  }
}

const FIND_FULL = `
  select application_id as id, sum(pending)::float8 as pending from (
    select application_id, pending from pending_orders union all select application_id, pending from uncounted_activity
  ) as changes group by application_id having sum(pending) > $1::bigint`;
