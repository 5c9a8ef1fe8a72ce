import { requireChannel, type Viewer } from '@lockstep/contract';
import type { Database, Tables, Trx } from '@lockstep/platform';
import { type Insertable, type RawBuilder, sql } from 'kysely';

/**
 * The tenant boundary of the order module. Only this file reads, creates and changes customers, and every query here
 * includes the channels that the caller is bound to. Customers of other channels do not exist for the caller (rules 2).
 * A lint rule (tenant.grit) keeps other files from querying them.
 */

type Scope = Pick<Viewer, 'channels'>;

/** Starts a query on the customers that a viewer can see. */
export function selectCustomers(db: Database | Trx, viewer: Scope) {
  return db.selectFrom('customer').where(isVisible(viewer));
}

/** For a FROM clause: the customers that a viewer can see. */
export function customersOf(viewer: Scope): RawBuilder<unknown> {
  return viewer.channels === null ? sql`customer` : sql`(select * from customer where ${isVisible(viewer)})`;
}

/**
 * For a list: the customers that a viewer can see, newest first, from an id downward; with a code, those of one
 * channel. Each channel is read by its own index, at most `limit` rows.
 */
export function newestCustomers(
  { channels }: Scope,
  { channelCode, behind, limit }: { channelCode: string | undefined; behind: RawBuilder<unknown>; limit: number },
): RawBuilder<unknown> {
  const codes =
    channelCode === undefined ? channels : (channels?.filter((code) => code === channelCode) ?? [channelCode]);
  if (codes === null) return sql`select * from customer where ${behind} order by id desc`;
  return sql`
    select newest.* from unnest(${[...codes]}::text[]) as channel (code) cross join lateral (
      select * from customer where channel_code = channel.code and ${behind} order by id desc limit ${limit}
    ) as newest order by id desc`;
}

/** Starts an update of the customers that a caller can see. */
export function updateCustomers(db: Database | Trx, caller: Scope) {
  return db.updateTable('customer').where(isVisible(caller));
}

/** For a FROM clause: the enterprises that an operator can see, because one of their customers is visible (rules 9). */
export function enterprisesOf(viewer: Scope): RawBuilder<unknown> {
  if (viewer.channels === null) return sql`enterprise`;
  return sql`(select * from enterprise where ${hasCustomer(isVisible(viewer))})`;
}

/** The condition that an operator can see all customers of `enterprise`. */
export const isWhollyVisible = (viewer: Scope): RawBuilder<boolean> =>
  viewer.channels === null ? sql`true` : sql`not ${hasCustomer(sql`not ${isVisible(viewer)}`)}`;

const hasCustomer = (condition: RawBuilder<unknown>) =>
  sql`exists (select from customer where customer.enterprise_id = enterprise.id and ${condition})`;

/** The condition that a viewer can see a customer. */
export function isVisible({ channels }: Scope): RawBuilder<boolean> {
  return channels === null ? sql`true` : sql`customer.channel_code = any (${[...channels]}::text[])`;
}

/**
 * Inserts customers, and their channels if new. Returns the customers. Throws a Refusal: channel_not_allowed, if the
 * caller is not bound to one of the channels.
 */
export async function insertCustomers(trx: Trx, { channels }: Scope, rows: readonly Insertable<Tables['customer']>[]) {
  for (const row of rows) requireChannel(channels, row.channel_code);
  await addChannels(
    trx,
    rows.map((row) => row.channel_code),
  );
  return await trx
    .insertInto('customer')
    .values([...rows])
    .returning(['id', 'is_default'])
    .execute();
}

/** Inserts the channels that do not exist yet, without drawing ids for the others. */
async function addChannels(trx: Trx, codes: readonly string[]): Promise<void> {
  await sql`
    insert into channel (code)
    select distinct new.code from unnest(${codes}::text[]) as new (code)
    where not exists (select from channel where channel.code = new.code) order by new.code
    on conflict (code) do nothing`.execute(trx);
}
