import type { CustomerId } from '@lockstep/contract';
import type { Owner } from '@lockstep/contract/console';
import { type Database, isId } from '@lockstep/platform';
import { sql } from 'kysely';

/** Reads who some customers are, with their enterprises, by id. An id that is no customer's is left out. */
export async function readOwners(db: Database, customerIds: Iterable<CustomerId>): Promise<Map<CustomerId, Owner>> {
  const ids = [...new Set(customerIds)].filter(isId);
  if (ids.length === 0) return new Map();
  const { rows } = await sql<Owner>`
    select customer.id as "customerId", customer.name as "customerName", channel_code as "channelCode",
      channel_customer_id as "channelCustomerId", enterprise.id as "enterpriseGlobalId",
      enterprise.name as "enterpriseName"
    from customer join enterprise on enterprise.id = enterprise_id
    where customer.id = any (${ids}::bigint[])`.execute(db);
  return new Map(rows.map((owner) => [owner.customerId, owner]));
}
