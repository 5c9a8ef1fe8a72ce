import type { Channels, CustomerId } from '@lockstep/contract';
import { type Database, isId, run, type Trx } from '@lockstep/platform';
import { LRUCache } from 'lru-cache';
import { laneOf } from '../lanes.ts';

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
