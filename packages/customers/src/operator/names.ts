import type { CustomerId } from '@lockstep/contract';
import type { Owner } from '@lockstep/contract/console';
import { type Database, isId } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';

/** The highest Unicode character: every name that begins with a text sorts below the text plus this. */
const LAST_CHARACTER = '\u{10FFFF}';

/** Returns a name as the indexes of enterprises and customers store it: folded, and compared byte by byte. */
export const folded = (name: RawBuilder<unknown>) => sql`(casefold(${name} collate pg_unicode_fast) collate "C")`;

/** Returns the condition that a folded column begins with a text, ignoring case. The index serves it. */
export function beginsWith(column: RawBuilder<unknown>, text: string): RawBuilder<unknown> {
  const prefix = folded(sql`${text}::text`);
  return sql`${column} >= ${prefix} and ${column} < (${prefix} || ${LAST_CHARACTER}::text) collate "C"`;
}

/** Reads the names of customers and their enterprises, by customer id. Omits unknown ids. */
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
