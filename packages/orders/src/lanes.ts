import { crc32 } from 'node:zlib';
import type { Channels, CustomerId } from '@lockstep/contract';
import { type Database, describeError, isId, isTransient, run, type Statement, type Trx } from '@lockstep/platform';
import { LRUCache } from 'lru-cache';

/**
 * How many lanes a channel has. A customer's orders are all in one lane, so this may change only while nothing is
 * pending. More lanes let more drains of a channel run at once; fewer lanes make each drain's group larger.
 */
export const LANES_OF_CHANNEL = 4;

/** Returns the lane of a customer in a channel. */
export function laneOf(channelId: number, customerId: CustomerId): number {
  return channelId * LANES_OF_CHANNEL + (crc32(customerId) % LANES_OF_CHANNEL);
}

export function channelOf(lane: number): number {
  return Math.floor(lane / LANES_OF_CHANNEL);
}

/** SQL: the channel of a lane. `lane` names the column. */
export const channelOfColumn = (lane = 'lane') => `${lane} / ${LANES_OF_CHANNEL}`;

export function lanesOfChannel(channelId: number): number[] {
  return Array.from({ length: LANES_OF_CHANNEL }, (_, slot) => channelId * LANES_OF_CHANNEL + slot);
}

// A lane is a row of `lane`. A transaction that decides on orders of a lane holds a lock on its row until it commits
// (rules 6.2): a drain, a sync call, a cancel. The row also says when it is the lane's turn.

/** SQL: the lanes that this transaction has locked with one of the statements below, as int[]. */
export const LOCKED_LANES = `string_to_array(current_setting('lockstep.lanes', true), ',')::int[]`;

/**
 * Stores the locked lanes in a setting, so that a statement that reads LOCKED_LANES can be sent together with the one
 * that locks.
 */
export const RECORDED = `
  select set_config('lockstep.lanes', coalesce(string_agg(lane::text, ','), ''), true) as lanes,
    coalesce(max(failures), 0) as failures`;

/** SQL: whether the drains of a lane fail. Without pending orders it has none, however the last one ended. */
export const IS_FAILING = `failures > 0 and exists (
  select from lane_chunk where lane_chunk.lane = lane.lane and finished_time is null and not is_held
)`;

export interface LockedRow {
  /** Separated by commas. */
  lanes: string;
  /** How often in a row the drains of one of the lanes have failed. */
  failures: number;
}

export function readLocked([row]: readonly LockedRow[]): number[] {
  return row!.lanes === '' ? [] : row!.lanes.split(',').map(Number);
}

/** A lane's turn is this many times later than the time that it has used; less if it has no more orders. */
const TURN_FACTOR = { more: 100, none: 20 };
/** A lane whose turn comes this soon has little to do, or has waited long. */
export const SOON_MS = 2_500;
/** How much later the turn of a lane is at least that has more orders. */
const BUSY_MS = 10_000;
/** The pause before a lane is drained again after a failure. It doubles up to the longest. */
const FIRST_PAUSE_MS = 100;
/** It is shorter after a transient error, because it may be over at any time. */
export const LONGEST_PAUSE_MS = { transient: 1_000, other: 10_000 };

/** A statement that locks those of the lanes that are free, without waiting. */
export const freeLanes = (lanes: readonly number[]): Statement<LockedRow> => ({
  name: 'lock_free_lanes',
  text: `${RECORDED} from (select lane, failures from lane where lane = any ($1::int[]) for update skip locked) as locked`,
  values: [lanes],
});

/**
 * A statement that locks lanes until the commit, lowest first, so that transactions with common lanes wait for each
 * other and don't deadlock.
 */
export const lockedLanes = (lanes: readonly number[]): Statement<LockedRow> => ({
  name: 'lock_lanes',
  text: `${RECORDED} from (select lane, failures from lane where lane = any ($1::int[]) order by lane for update) as locked`,
  values: [lanes],
});

/** Locks lanes (see lockedLanes). It waits for each as long as this connection waits for any lock. */
export async function lockLanes(trx: Trx, lanes: readonly number[]): Promise<void> {
  await run(trx, lockedLanes(lanes));
}

/** How long a transaction waits for each lock while others wait for its turn. */
export const LOCK_WAIT_MS = 200;

/** A statement that sets the timeout of each later statement of its transaction, or of each wait for a lock. */
export const timeout = (name: 'statement_timeout' | 'lock_timeout', timeoutMs: number): Statement<unknown> => ({
  name: 'set_timeout',
  text: 'select set_config($1, $2, true)',
  values: [name, `${timeoutMs}ms`],
});

/** A statement that sets when it is the turn of lanes that a drain has worked on, from the time that each has used. */
export const usedTurns = (used: readonly { lane: number; usedMs: number; hasMore: boolean }[]): Statement<unknown> => ({
  name: 'use_turns',
  text: `
    update lane set turn = clock_timestamp() + later_ms * interval '1 ms', failures = 0,
      next_try = '-infinity', failing_since = null, last_error = null
    from unnest((select $1::int[]), (select $2::float8[])) as used (lane, later_ms)
    where lane.lane = any ((select $1::int[])::int[]) and lane.lane = used.lane`,
  values: [
    used.map(({ lane }) => lane),
    used.map(({ usedMs, hasMore }) =>
      hasMore ? Math.max(BUSY_MS, usedMs * TURN_FACTOR.more) : usedMs * TURN_FACTOR.none,
    ),
  ],
});

/** A statement that records a failure of lanes: their next try and turn come later. It waits for no lock. */
export const failedLanes = (lanes: readonly number[], error: unknown, usedMs: number): Statement<unknown> => ({
  name: 'fail_lanes',
  text: `
    update lane set failures = failures + 1, failing_since = coalesce(failing_since, statement_timestamp()),
      last_error = $2, turn = clock_timestamp() + $4::float8 * ${TURN_FACTOR.more} * interval '1 ms',
      next_try = statement_timestamp() + least($3::int, ${FIRST_PAUSE_MS} * 2 ^ least(failures, 10)) * interval '1 ms'
    where lane in (select lane from lane where lane = any ($1::int[]) for update skip locked)`,
  values: [lanes, describeError(error), LONGEST_PAUSE_MS[isTransient(error) ? 'transient' : 'other'], usedMs],
});

/** How many customers' channels a process caches: some 10 MB. */
const MAX_KNOWN = 50_000;

export type ChannelIds = ReadonlyMap<CustomerId, number>;

interface Channel {
  id: number;
  code: string;
}

/**
 * Caches the channels of customers. A customer never changes its channel, so entries stay valid; customers that were
 * not found are looked up again.
 */
export class CustomerChannels {
  readonly #known = new LRUCache<CustomerId, Channel>({ max: MAX_KNOWN });

  /** Returns the channel ids of the customers that exist for an application bound to `channels`. */
  async find(db: Database, customerIds: readonly CustomerId[], channels: Channels): Promise<ChannelIds> {
    const unknown: CustomerId[] = [];
    const ids = new Map<CustomerId, number>();
    const isVisible = ({ code }: Channel) => channels === null || channels.includes(code);
    for (const customerId of new Set(customerIds)) {
      const channel = this.#known.get(customerId);
      if (channel === undefined) unknown.push(customerId);
      else if (isVisible(channel)) ids.set(customerId, channel.id);
    }
    if (unknown.length === 0) return ids;
    const found = await findChannels(db, unknown);
    for (const customerId of unknown) {
      const channel = found.get(customerId);
      // Entries of other applications' customers would evict the application's own.
      if (channel === undefined || !isVisible(channel)) continue;
      ids.set(customerId, channel.id);
      this.#known.set(customerId, channel);
    }
    return ids;
  }
}

/** Returns the channels of customers, except of customers that don't exist. */
async function findChannels(
  db: Database | Trx,
  customerIds: readonly CustomerId[],
): Promise<ReadonlyMap<CustomerId, Channel>> {
  const rows = await run<Channel & { customer_id: CustomerId }>(db, {
    name: 'find_channels',
    text: `
      select customer.id as customer_id, channel.id, channel.code
      from customer join channel on channel.code = customer.channel_code
      where customer.id = any ((select $1::bigint[])::bigint[])`,
    values: [[...new Set(customerIds)].filter(isId)],
  });
  return new Map(rows.map(({ customer_id, ...channel }) => [customer_id, channel]));
}

/** Returns the lanes of customers in the order given, except of customers that don't exist. */
export async function findLanes(
  db: Database | Trx,
  customerIds: readonly CustomerId[],
): Promise<ReadonlyMap<CustomerId, number>> {
  const channels = await findChannels(db, customerIds);
  const known = customerIds.filter((customerId) => channels.has(customerId));
  return new Map(known.map((customerId) => [customerId, laneOf(channels.get(customerId)!.id, customerId)]));
}
