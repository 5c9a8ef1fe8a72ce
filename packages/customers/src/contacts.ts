import type { Contact, ContactFields, CustomerId, LicenseOrderId } from '@lockstep/contract';
import { arrayText, bigintArray, type Database, inMs, inTransaction, isId, send, type Trx } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';

/**
 * SQL for the contact of the customer whose id is in a column, as JSON: who buys for it, as its newest order that took
 * effect says (rules 5). Null if there is none.
 */
export const contactOf = (column: string): RawBuilder<Contact | null> => sql`(
  select fields || jsonb_build_object('licenseOrderId', license_order_id::text, 'updatedTime', ${inMs('updated_time')})
  from customer_contact where customer_id = ${sql.ref(column)}
)`;

/**
 * Stores new contacts of customers, without waiting for the answer. The transaction has locked the lanes of the
 * customers, so no other one stores them.
 */
export async function storeContacts(
  trx: Trx,
  contacts: ReadonlyMap<CustomerId, { licenseOrderId: LicenseOrderId; contact: ContactFields }>,
): Promise<void> {
  if (contacts.size === 0) return;
  const said = [...contacts.values()];
  await send(trx, {
    name: 'store_contacts',
    text: `
      insert into customer_contact (customer_id, license_order_id, fields)
      select * from unnest($1::bigint[], $2::bigint[], $3::jsonb[])
      on conflict (customer_id) do update set license_order_id = excluded.license_order_id, fields = excluded.fields,
        updated_time = statement_timestamp()`,
    values: [
      bigintArray([...contacts.keys()]),
      bigintArray(said.map(({ licenseOrderId }) => licenseOrderId)),
      arrayText(
        'jsonb',
        said.map(({ contact }) => JSON.stringify(contact)),
      ),
    ],
  });
}

/**
 * Deletes the contact of a customer (rules 9) and calls `record` in the transaction. Returns whether there was one. The
 * next order of the customer that takes effect stores it again.
 */
export function eraseContact(
  db: Database,
  customerId: CustomerId,
  record: (trx: Trx) => Promise<void>,
): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    if (!isId(customerId)) return false;
    const erased = await sql`delete from customer_contact where customer_id = ${customerId}`.execute(trx);
    if (erased.numAffectedRows === 0n) return false;
    await record(trx);
    return true;
  });
}
