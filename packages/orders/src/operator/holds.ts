import type { CustomerId } from '@lockstep/contract';
import type { HoldPage, HoldsQuery } from '@lockstep/contract/console';
import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';

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
