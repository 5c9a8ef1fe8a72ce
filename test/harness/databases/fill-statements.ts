import { ORDERS_PER_BATCH } from '@lockstep/assets';
import { productToBuy } from '../orders/orders.ts';

export const ORDERS_PER_FILLED_BATCH = 100;
const FIRST_LEDGER_ID = 1_000_000;

const { crmProductId: _, parentCrmProductId: __, limitConcurrent: ___, ...fields } = productToBuy();
/** The terms of all products, as the service stores them. */
const TERMS = JSON.stringify(fields);

const batches = 'generate_series($1::bigint, $2::bigint) as batch_id';
/** Sorted by batch, so that rows of one batch are adjacent, as in the service's tables. */
const orders = `(
  select batch_id, place from ${batches} cross join generate_series(1, ${ORDERS_PER_FILLED_BATCH}) as place order by 1, 2
) as sent`;
const orderId = `batch_id * ${ORDERS_PER_BATCH} + place - 1`;
const orderNumber = `((batch_id - 1) * ${ORDERS_PER_FILLED_BATCH} + place)`;
const customer = `($3::text[])[1 + ${orderNumber} % cardinality($3::text[])]`;
const acceptedTime = `timestamptz '2020-01-01' + batch_id * interval '1 second'`;
const finishedTime = `${acceptedTime} + interval '1 second'`;
/** Asset numbers of one batch are adjacent, and batches are spread at random, as with the load generator. */
const assetNum = `left(md5(batch_id::text), 16) || '-' || place`;
const assetId = `${FIRST_LEDGER_ID} + ${orderNumber} * 2`;

/**
 * Statements, by table, that write what completed batches of 100 purchases leave behind. $1 and $2 are the first and
 * the last batch, $3 the customers' ids.
 */
export const FILL_STATEMENTS: Readonly<Record<string, string>> = {
  batch: `insert into batch (id, application_id, channel_code, channel_order_id, sync_mode, digest, sequences, customer_ids,
    order_types, accepted_time, completed_time, succeeded, failed, digest_version, request_id)
  select batch_id, (select id from application limit 1), 'bench', 'filled-' || batch_id, 'async',
    sha256(batch_id::text::bytea), array_agg(place), array_agg(${customer}), array_agg('new_buy'::text),
    ${acceptedTime}, ${finishedTime}, ${ORDERS_PER_FILLED_BATCH}, 0, 1, 'filled'
  from ${orders} group by batch_id`,

  license_order: `insert into license_order (id, order_type, customer_id, assets, products, finished_time)
  select ${orderId}, 'new_buy', ${customer}, 1, 1, ${finishedTime} from ${orders}`,

  asset: `insert into asset (id, asset_num, customer_id, license_type, borrowed_usb_key, created_by_order_id,
    created_time, updated_time)
  select ${assetId}, ${assetNum}, ${customer}::bigint, 'normal_recover_usbkey', false, ${orderId},
    ${finishedTime}, ${finishedTime}
  from ${orders}`,

  asset_grant: `insert into asset_grant (asset_id, license_order_id)
  select ${assetId}, ${orderId} from ${orders} where $3::text[] is not null`,

  product_terms: `insert into product_terms (fields) select '${TERMS}' where $3::text[] is not null and $1::bigint <= $2::bigint
    and not exists (select from product_terms where digest = sha256('${TERMS}'))`,

  product_instance: `insert into product_instance (id, asset_id, license_order_id, terms_id, uri_hash, limit_concurrent,
    crm_product_id, parent_crm_product_id)
  select ${assetId} + 1, ${assetId}, ${orderId}, terms.id, uri_hash, 1, 'crm-1', '' from ${orders}
  cross join (select id, uri_hash from product_terms where digest = sha256('${TERMS}')) as terms
  where $3::text[] is not null`,

  event: `insert into event (application_id, position, batch_id, type, happened_time, succeeded, failed, cancelled)
  select (select id from application limit 1), batch_id, batch_id, 'batch.completed', ${finishedTime},
    ${ORDERS_PER_FILLED_BATCH}, 0, 0
  from ${batches} where $3::text[] is not null`,
};

/** Returns statements that move sequences and the event counter past the filled batches. */
export function fillCounters(lastBatch: number): string {
  return `
    select setval('batch_id', ${lastBatch});
    select setval('ledger_id', ${FIRST_LEDGER_ID + (lastBatch * ORDERS_PER_FILLED_BATCH + 1) * 2});
    update event_counter set last_position = ${lastBatch}`;
}
