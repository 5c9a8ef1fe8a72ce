import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';

/** Words with which a channelOrderId provokes what docs/integrating.md says. */
export const MAGIC = ['REFUSED-', 'FAILED-', 'UNKNOWN-', 'SLOW-', 'HELD-'] as const;

export type Magic = (typeof MAGIC)[number];

/** Returns the word with which the channelOrderId of a batch begins. */
export const findMagic = (channelOrderId: unknown) => MAGIC.find((word) => String(channelOrderId).startsWith(word));

/** An id of no customer. */
const NO_CUSTOMER = '999999999999';

/** Returns the body that the service gets of a batch; undefined if it stays as it is. */
export function rewriteBatch(magic: Magic | undefined, batch: { orderList?: unknown }): string | undefined {
  if ((magic !== 'REFUSED-' && magic !== 'FAILED-') || !Array.isArray(batch.orderList)) return undefined;
  const [first, ...others] = batch.orderList;
  // JSON leaves out what is undefined.
  const customerId = magic === 'FAILED-' ? NO_CUSTOMER : undefined;
  return JSON.stringify({ ...batch, orderList: [{ ...first, customerId }, ...others] });
}

/** Lets the sandbox's database delay or fail the first orders of such batches, as a fault does (rules 6.2). */
export async function prepareMagic(db: Database): Promise<void> {
  await sql`
    create function certify_order() returns trigger language plpgsql as $$
    declare sent record;
    begin
      select channel_order_id, sync_mode, accepted_time into sent from batch where id = new.id / 8192;
      if sent.channel_order_id like 'SLOW-%' then perform pg_sleep(3); end if;
      if sent.channel_order_id like 'HELD-%' and sent.sync_mode = 'async'
        and clock_timestamp() < sent.accepted_time + interval '5 s' then
        raise exception 'held by lockstep certify';
      end if;
      return new;
    end $$`.execute(db);
  await sql`
    create trigger certify_order before insert on license_order
    for each row when (new.id % 8192 = 0) execute function certify_order()`.execute(db);
}
