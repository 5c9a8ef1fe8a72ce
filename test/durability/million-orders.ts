import { createApplication } from '@lockstep/access';
import { ORDERS_PER_BATCH } from '@lockstep/assets';
import type { ApplicationId, CustomerId } from '@lockstep/contract';
import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';
import { ALL_LANES, firstLaneOf } from '../harness/orders/lanes.ts';

/** A database with a million orders in batches, as the service leaves them, and what tests need to know about it. */
export interface Filled {
  applicationId: ApplicationId;
  /** Returns when a batch was accepted, as PostgreSQL formats it. */
  findAcceptedTime(id: number): Promise<string>;
}

/** Batches of 100 orders, then some of 5,000. The newest are open. Ids and times of acceptance rise together. */
const SMALL_BATCHES = 10_000;
const LARGE_BATCHES = 10;
const LAST_BATCH = SMALL_BATCHES + LARGE_BATCHES;
/** The newest batches, which are open. */
const OPEN_BATCHES = 30;
/** Customer 1 has a fifth of the orders, customer 7 one in each of the oldest 10 batches, the others the rest. */
const CUSTOMERS = 1_000;

const CHECKED = ['batch', 'lane_chunk', 'license_order', 'asset', 'asset_grant', 'product_instance'];

const perBatch = sql.lit(ORDERS_PER_BATCH);
const isBadNight = sql`batch.id between 6000 and 6199`;
const failedOf = sql`case when ${isBadNight} then 100 else (batch.id % 100 = 0)::int end`;
const isOpen = sql`batch.id > ${sql.lit(LAST_BATCH - OPEN_BATCHES)}`;

/** Fills a database. The application has nine of ten batches, another application the tenth. */
export async function fillWithBatches(db: Database): Promise<Filled> {
  const applicationIds: ApplicationId[] = [];
  for (const name of ['Ours', 'Theirs']) {
    const { appKey } = await createApplication(db, { name, scopes: ['auth_order'], approved: true, channels: null });
    const query = db.selectFrom('application').select('id').where('app_key', '=', appKey);
    const { id } = await query.executeTakeFirstOrThrow();
    applicationIds.push(id);
  }
  await db.transaction().execute(async (trx) => {
    // The rows look as they would after years, so the triggers that check transitions are off.
    for (const table of CHECKED) await sql`alter table ${sql.table(table)} disable trigger user`.execute(trx);
    await sql`
      insert into batch (id, application_id, channel_code, channel_order_id, sync_mode, digest, sequences, customer_ids,
        order_types, accepted_time, digest_version, request_id)
      select id, case when id % 10 = 3 then ${applicationIds[1]} else ${applicationIds[0]} end::bigint,
        case when id % 1000 = 5 then 'rare' else 'common' end, 'B' || id, 'async', ''::bytea,
        sent.sequences, sent.customer_ids, sent.order_types, timestamptz '2020-01-01' + id * interval '1 second', 1, 'R'
      from generate_series(1, ${LAST_BATCH}::int) as id cross join lateral (
        select array_agg(place) as sequences,
          array_agg(case
            when id <= 10 and place = 50 then '7'
            when place % 5 = 0 then '1'
            else (100 + (id * 31 + place * 7) % ${CUSTOMERS}::int)::text end order by place) as customer_ids,
          array_agg(case when id % 500 = 7 and place = 3 then 'delete_asset' else 'new_buy' end order by place) as order_types
        from generate_series(1, case when id > ${SMALL_BATCHES} then 5000 else 100 end) as place
      ) as sent`.execute(trx);
    // Every hundredth batch has a failed order. In some batches, all orders failed.
    await sql`
      insert into license_order (id, order_type, customer_id, cause, args, assets, products, finished_time)
      select batch.id * ${perBatch} + place - 1, order_type, customer_id,
        case when is_failed then case when batch.id = 4100 then 'cancelled' else 'asset_not_found' end end,
        case when is_failed then '[]'::jsonb end,
        case when is_failed then 0 else 1 end, case when is_failed then 0 else 1 end, accepted_time + interval '1 second'
      from batch cross join unnest(customer_ids, order_types) with ordinality as sent (customer_id, order_type, place)
      cross join lateral (select ${isBadNight} or (batch.id % 100 = 0 and place = 20) as is_failed) as outcome
      where not ${isOpen} or (batch.id % 2 = 0 and place <= 10)`.execute(trx);
    await sql`
      insert into lane_chunk (batch_id, lane, customer_ids, order_count, weight, payload, payload_version, accepted_time, finished_time, succeeded, failed)
      select batch.id, 0, '{}', cardinality(sequences), cardinality(sequences), null, 1, accepted_time,
        accepted_time + interval '1 second', cardinality(sequences) - ${failedOf}, ${failedOf}
      from batch where not ${isOpen}`.execute(trx);
    await sql`
      update batch set completed_time = accepted_time + interval '1 second',
        succeeded = cardinality(sequences) - ${failedOf}, failed = ${failedOf}
      where not ${isOpen}`.execute(trx);
    await insertOpenChunks(trx as unknown as Database);
    await insertAssets(trx as unknown as Database);
    for (const table of CHECKED) await sql`alter table ${sql.table(table)} enable trigger user`.execute(trx);
  });
  await sql`vacuum analyze`.execute(db);
  return {
    applicationId: applicationIds[0]!,
    async findAcceptedTime(id) {
      const { rows } = await sql<{ acceptedTime: string }>`
        select (extract(epoch from accepted_time) * 1000000)::bigint as "acceptedTime" from batch
        where id = ${id}`.execute(db);
      return rows[0]!.acceptedTime;
    },
  };
}

/** The chunks of open batches. In every second one, the first ten orders are finished. */
async function insertOpenChunks(db: Database): Promise<void> {
  const { rows } = await sql<{ id: string; customer_ids: CustomerId[] }>`
    select id, customer_ids from batch where ${isOpen}`.execute(db);
  for (const { id, customer_ids } of rows) {
    const done = Number(id) % 2 === 0 ? 10 : 0;
    for (const lane of ALL_LANES) {
      const places = customer_ids.flatMap((customerId, index) => (firstLaneOf(customerId) === lane ? [index] : []));
      if (places.length === 0) continue;
      const pending = places.filter((index) => index >= done);
      const order = (index: number) => [
        index,
        {
          customerId: customer_ids[index],
          orderType: 'new_buy',
          assets: [{ assetNos: [`P${id}-${index}`] }],
          filling: 'x'.repeat(500),
        },
      ];
      await sql`
        insert into lane_chunk (batch_id, lane, customer_ids, order_count, weight, payload, payload_version, finished_time, succeeded, failed)
        values (${id}, ${lane}, ${pending.map((index) => customer_ids[index])}, ${places.length}, ${places.length},
          ${pending.length === 0 ? null : JSON.stringify(pending.map(order))}, 1,
          ${pending.length === 0 ? sql`statement_timestamp()` : null}, ${places.length - pending.length}, 0)`.execute(
        db,
      );
    }
  }
}

/** The number BUSY: bought and revoked 500 times, then bought, extended by 3,000 orders and partly revoked by 1,000. */
async function insertAssets(db: Database): Promise<void> {
  await sql`
    insert into asset (id, asset_num, customer_id, license_type, borrowed_usb_key, created_by_order_id, created_time,
      updated_time, revoked_time, revoked_by_order_id)
    select life, case when life <= 501 then 'BUSY' else 'A' || life end, 1, 'softkey', false, 1,
      timestamptz '2020-01-01' + life / 100 * interval '1 millisecond',
      timestamptz '2020-02-01', case when life <= 500 then timestamptz '2020-01-01' + life * interval '1 minute' end,
      case when life <= 500 then (life * 2 + 1) * ${perBatch} end
    from generate_series(1, 100000) as life`.execute(db);
  await sql`
    insert into asset_grant (asset_id, license_order_id, created_time, revoked_time, revoked_by_order_id)
    select id, id * 2 * ${perBatch}, created_time, revoked_time, revoked_by_order_id from asset where id <= 500
    union all
    select 501, (1500 + place) * ${perBatch}, timestamptz '2020-02-01', null, null from generate_series(1, 3000) as place
    union all
    select id, (id % 9000) * ${perBatch} + 50, created_time, null, null from asset where id > 501`.execute(db);
  const { id: termsId } = await db
    .insertInto('product_terms')
    .values({ fields: JSON.stringify({ productUri: 'u', productName: 'n' }) })
    .returning('id')
    .executeTakeFirstOrThrow();
  await sql`
    insert into product_instance (id, asset_id, license_order_id, terms_id, uri_hash, limit_concurrent, crm_product_id,
      parent_crm_product_id, revoked_time, revoked_by_order_id)
    select each.id, asset_id, order_id, ${termsId}, hash_uri('u'), 1, 'c', '', revoked_time, revoked_by from (
      select place as id, 501 as asset_id, 1501 * ${perBatch} as order_id, statement_timestamp() as revoked_time,
        (5000 + place / 50) * ${perBatch} as revoked_by
      from generate_series(1, 50000) as place
      union all
      select 50000 + id, id, (id % 9000) * ${perBatch} + 50, null, null from asset where id > 501
    ) as each`.execute(db);
  await sql`
    insert into failed_order (license_order_id, payload_version, content, asset_nums)
    select license_order.id, 1, '[]',
      array[case when license_order.id / ${perBatch} % 200 = 0 then 'BUSY' else 'A' || license_order.id end]
    from license_order where cause is not null`.execute(db);
}
