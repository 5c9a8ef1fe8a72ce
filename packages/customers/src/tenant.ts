import { type Channels, requireChannel } from '@lockstep/contract';
import type { Database, Tables, Trx } from '@lockstep/platform';
import { type Insertable, type RawBuilder, sql } from 'kysely';

/**
 * Customers are found, made and changed through this file, where the channels that the caller is bound to are a part of
 * every query: customers of other channels do not exist for it (decisions 2). A lint rule (scope.grit) keeps other files
 * from selecting them by themselves.
 */

/** The customers that a caller sees. */
export function customersOf(db: Database | Trx, channels: Channels) {
  return db.selectFrom('customer').where(isOf(channels));
}

/** Changes customers that a caller sees. */
export function updateCustomersOf(db: Database | Trx, channels: Channels) {
  return db.updateTable('customer').where(isOf(channels));
}

function isOf(channels: Channels): RawBuilder<boolean> {
  return channels === null ? sql`true` : sql`customer.channel_code = any (${[...channels]}::text[])`;
}

/** Inserts customers; answers them. Throws a Refusal, channel_not_allowed, where one is of another channel. */
export function insertCustomers(trx: Trx, channels: Channels, rows: readonly Insertable<Tables['customer']>[]) {
  for (const row of rows) requireChannel(channels, row.channel_code);
  return trx
    .insertInto('customer')
    .values([...rows])
    .returning(['id', 'is_default'])
    .execute();
}
