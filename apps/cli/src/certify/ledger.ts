import { type Database, inMs } from '@lockstep/platform';
import { sql } from 'kysely';
import type { Ledger } from './record.ts';

/** How many rows of a kind are read, the newest. */
const MAX_ROWS = 20_000;

/** Reads what the sandbox's database knows of the application's batches and messages. */
export async function readLedger(db: Database, appKey: string): Promise<Ledger> {
  const own = sql`application_id = (select id from application where app_key = ${appKey})`;
  const batches = await sql<Ledger['batches'][number]>`
    select channel_code || '/' || channel_order_id as batch, sync_mode = 'async' as "isAsync",
      ${inMs('completed_time')} as "completedTime", coalesce(succeeded, 0) as succeeded, coalesce(failed, 0) as failed,
      (select position::float from event where batch_id = batch.id and type = 'batch.completed') as position
    from batch where ${own} order by id desc limit ${MAX_ROWS}`.execute(db);
  const messages = await sql<Ledger['messages'][number]>`
    select 'webhook ' || webhook_id || ', message ' || position as message, (
      select batch.channel_code || '/' || channel_order_id from event join batch on batch.id = event.batch_id
      where event.application_id = webhook.application_id and event.position = webhook_delivery.position
    ) as batch, json_agg(json_build_object('time', ${inMs('time')}, 'status', status) order by time) as attempts
    from webhook join webhook_delivery on webhook_id = webhook.id
    join webhook_attempt on delivery_id = webhook_delivery.id
    where ${own} and position is not null
    group by webhook_id, webhook.application_id, position order by position desc limit ${MAX_ROWS}`.execute(db);
  return { batches: batches.rows, messages: messages.rows };
}
