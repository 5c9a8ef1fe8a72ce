import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';

const CHECKED = ['asset', 'asset_grant', 'product_instance', 'member', 'asset_assignment'];
const CUSTOMERS = 10_000;
/** The first customer has a tenth of the assets. */
const LARGE_SHARE = 10;

/** What fills a database with assets as years of orders leave them. */
export interface ManyAssets {
  assets: number;
  productsPerAsset: number;
}

/**
 * Fills a database with assets, one in a hundred of them revoked, one in ten changed since its purchase. Their
 * customers are in the channels `large` (99 of 100) and `small`. Products end on the last days of months from 2026 to
 * 2035; every fifth never does. Ids of customers and assets begin with 1,000,000, `asset_num` is `A` and the id. Each
 * enterprise has two employees, with its id and twice that; all assets were with the first, who has every third now.
 */
export async function fillWithAssets(db: Database, { assets, productsPerAsset }: ManyAssets): Promise<void> {
  await sql`insert into channel (code) values ('large'), ('small')`.execute(db);
  await sql`
    insert into enterprise (id, name, code) select 1000000 + n, 'Works ' || n, 'w' || lpad(n::text, 6, '0')
    from generate_series(0, ${CUSTOMERS / 2}::int) as n`.execute(db);
  await sql`
    insert into customer (id, enterprise_id, channel_code, channel_customer_id, name, branch_name, is_default)
    select 1000000 + n, 1000000 + n / 2, case when n % 100 = 7 then 'small' else 'large' end, 'C' || n,
      'Customer ' || n, 'Branch', n % 2 = 0
    from generate_series(0, ${CUSTOMERS - 1}::int) as n`.execute(db);
  const { id: termsId } = await db
    .insertInto('product_terms')
    .values({ fields: JSON.stringify({ productUri: 'gms-1', productName: 'Product' }) })
    .returning('id')
    .executeTakeFirstOrThrow();
  await db.transaction().execute(async (trx) => {
    for (const table of CHECKED) await sql`alter table ${sql.table(table)} disable trigger user`.execute(trx);
    await sql`
      insert into asset (id, asset_num, customer_id, license_type, borrowed_usb_key, created_by_order_id, created_time,
        updated_time, revoked_time, revoked_by_order_id, limit_end_date)
      select 1000000 + n, 'A' || (1000000 + n),
        1000000 + case when n % ${LARGE_SHARE}::int = 0 then 0 else n % ${CUSTOMERS}::int end, 'softkey', false, 1,
        bought, bought + case when n % 10 = 3 or n % 100 = 1 then interval '1 day' else interval '0' end,
        case when n % 100 = 1 then bought + interval '1 day' end, case when n % 100 = 1 then 1 end,
        case when n % 50 = 2 then extract(epoch from timestamptz '2030-01-01' + n % 1000 * interval '1 day') * 1000 end
      from generate_series(0, ${assets - 1}::int) as n
      cross join lateral (select timestamptz '2024-01-01' + n / 20 * interval '1 second' as bought) as b`.execute(trx);
    await sql`
      insert into product_instance (id, asset_id, license_order_id, terms_id, uri_hash, limit_concurrent,
        crm_product_id, parent_crm_product_id, limit_end_date)
      select 100000000 + n, 1000000 + n / ${productsPerAsset}::int, 1, ${termsId}, hash_uri('gms-1'), 1, 'c', '',
        case when n % 5 > 0 then extract(epoch from
          timestamptz '2026-02-01' + n % 120 * interval '1 month' - interval '1 millisecond') * 1000 end
      from generate_series(0, ${assets * productsPerAsset - 1}::bigint) as n
      where n / ${productsPerAsset}::int % 100 <> 1`.execute(trx);
    await sql`
      insert into member (id, enterprise_id, user_name, is_administrator, name, is_provisioned)
      select id * share, id, 'U' || share, false, 'Employee', false
      from enterprise cross join (values (1), (2)) as employee (share)`.execute(trx);
    const holdings = sql`from asset join customer on customer.id = customer_id`;
    await sql`
      insert into asset_assignment (asset_id, member_id, enterprise_id, created_by)
      select asset.id, enterprise_id, enterprise_id, 0 ${holdings}
      where asset.id % 3 = 0 and revoked_time is null`.execute(trx);
    await sql`
      insert into ended_holding (id, asset_id, member_id, lock_asset_id, enterprise_id, began_time, began_by, ended_time,
        ended_by, end_cause)
      select nextval('holding_id'), asset.id, enterprise_id, case when asset.id % 10 = 4 then 1000050 end, enterprise_id,
        now(), 0, now(), 0, 'withdrawn' ${holdings}`.execute(trx);
    for (const table of CHECKED) await sql`alter table ${sql.table(table)} enable trigger user`.execute(trx);
  });
  await sql`vacuum analyze`.execute(db);
}
