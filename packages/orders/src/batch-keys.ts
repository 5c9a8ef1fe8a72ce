import { type RawBuilder, sql } from 'kysely';

/**
 * A query of the id, `batch_id`, of the batch that has the key in a row called `wanted`. So written that a kept plan can only
 * look the whole key up in its index, and not read all keys of a channel.
 */
export function batchIdOf(wanted: string): RawBuilder<unknown> {
  const row = sql.ref(wanted);
  return sql`
    select batch_id from batch_key
    where batch_key.application_id = ${row}.application_id and batch_key.channel_code = ${row}.channel_code
      and batch_key.channel_order_id between ${row}.channel_order_id and ${row}.channel_order_id
    order by application_id, channel_code, channel_order_id limit 1`;
}
