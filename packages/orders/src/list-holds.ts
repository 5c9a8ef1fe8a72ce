import type { CustomerId } from '@lockstep/contract';
import type { HoldPage, HoldsQuery } from '@lockstep/contract/console';
import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';

/** Lists holds by the customer's id, with how many orders wait for each. */
export async function listHolds(db: Database, { limit, cursor }: HoldsQuery): Promise<HoldPage> {
  const { rows } = await sql<HoldRow>`
    select *, (
      select count(*)::int from (
        select from held_order where held_order.customer_id = hold.customer_id limit 1000
      ) as waiting
    ) as orders
    from order_hold as hold where customer_id > ${cursor ?? ''} order by customer_id limit ${limit + 1}`.execute(db);
  const shown = rows.slice(0, limit);
  return {
    holds: shown.map((row) => ({
      customerId: row.customer_id,
      licenseOrderId: row.license_order_id,
      orders: row.orders,
      since: row.since.getTime(),
      tries: row.tries,
      nextTryTime: row.next_try.getTime(),
      lastError: row.last_error,
    })),
    nextCursor: rows.length > limit ? shown.at(-1)!.customer_id : null,
  };
}

interface HoldRow {
  customer_id: CustomerId;
  license_order_id: string;
  since: Date;
  tries: number;
  next_try: Date;
  last_error: string;
  orders: number;
}

/**
 * How many customers are held, how many lanes no worker can drain at present, and since when: milliseconds, or null.
 */
export interface Stuck {
  heldCustomers: number;
  heldSinceTime: number | null;
  stalledLanes: number;
  stalledSinceTime: number | null;
}

/** Reads who is held, and which lanes stall. What nobody has renewed for a minute says nothing any more. */
export async function readStuck(db: Database): Promise<Stuck> {
  const { rows } = await sql<{ held: number; held_since: Date | null; lanes: number; lanes_since: Date | null }>`
    select held.*, stalled.* from (select count(*)::int as held, min(since) as held_since from order_hold) as held
    cross join (
      select count(*)::int as lanes, min(since) as lanes_since from lane_stall
      where seen_time > statement_timestamp() - interval '1 minute'
    ) as stalled`.execute(db);
  const { held, held_since, lanes, lanes_since } = rows[0]!;
  return {
    heldCustomers: held,
    heldSinceTime: held_since?.getTime() ?? null,
    stalledLanes: lanes,
    stalledSinceTime: lanes_since?.getTime() ?? null,
  };
}
