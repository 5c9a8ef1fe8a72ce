import type { AcceptedOrder, Customer } from '@lockstep/contract';
import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';
import type { Api } from '../api.ts';
import { newAssetNum, newBuy } from './orders.ts';

/** Fillings of an asset that has one product already, up to 2,000 products and merchandises, or as many grants. */
export const FULL = {
  products: { products: 1_999 },
  packages: { packages: 999, products: 1 },
  grants: { grants: 1_999 },
};

/** The productUri of the product under one grant of a filling. Each grant has its own. */
export const uriUnderGrant = (place: number | ''): string => `under-grant-${place}`;

/** Buys assets with one product each in one order, and fills all of them but the last. */
export async function buyLargeAssets(
  { db, api }: { db: Database; api: Api },
  customer: Customer,
  count: number,
  filling: Filling,
): Promise<{ large: string[]; small: string; order: AcceptedOrder }> {
  const large = Array.from({ length: count }, newAssetNum);
  const small = newAssetNum();
  const [order] = await api.carryOut(newBuy(customer, [...large, small]));
  await fillAssets(db, large, filling);
  return { large, small, order: order! };
}

/**
 * What to put on each of some assets: products, merchandises with one product in each, and grants with one product
 * under each.
 */
export interface Filling {
  products?: number;
  packages?: number;
  grants?: number;
}

const TABLES = ['asset_grant', 'merchandise_instance', 'product_instance'];

/**
 * Adds contents to active assets, as if the order of their oldest active grant had bought them.
 * Real orders for so much would take a minute. The products are copies of the oldest active one on each asset, with its
 * productUri; those under further grants have a productUri each (uriUnderGrant).
 */
async function fillAssets(
  db: Database,
  assetNums: readonly string[],
  { products = 0, packages = 0, grants = 0 }: Filling,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    for (const table of TABLES) await sql`alter table ${sql.table(table)} disable trigger user`.execute(trx);
    await sql`
      create temporary table filled on commit drop as
      select (1000000000000000 + row_number() over () * 100000 + nextval('ledger_id') * 1000000)::bigint as first_id,
        asset.id as asset_id, granted.license_order_id, template.*
      from asset
      cross join lateral (
        select license_order_id from asset_grant g where g.asset_id = asset.id and g.revoked_time is null
        order by created_time, license_order_id limit 1
      ) as granted
      cross join lateral (
        select crm_product_id, parent_crm_product_id, terms_id, uri_hash, limit_concurrent from product_instance p
        where p.asset_id = asset.id and p.revoked_time is null order by id limit 1
      ) as template
      where asset_num = any (${assetNums}::text[]) and revoked_time is null`.execute(trx);
    await sql`
      insert into merchandise_instance (id, asset_id, license_order_id, crm_product_id, parent_crm_product_id,
        merchandise_num, merchandise_name, parent_merchandise_num, time_duration_expression)
      select first_id + place, asset_id, license_order_id, 'crm-m1', '', 'M-1', 'Office package', '', '1-0-0'
      from filled, generate_series(1, ${packages}::int) as place`.execute(trx);
    await sql`
      insert into product_instance (id, asset_id, license_order_id, merchandise_id, crm_product_id,
        parent_crm_product_id, terms_id, uri_hash, limit_concurrent)
      select first_id + 20000 + place, asset_id, license_order_id,
        case when place <= ${packages}::int then first_id + place end, crm_product_id, parent_crm_product_id, terms_id,
        uri_hash, limit_concurrent
      from filled, generate_series(1, ${products + packages}::int) as place`.execute(trx);
    await sql`
      insert into asset_grant (asset_id, license_order_id)
      select asset_id, first_id + place from filled, generate_series(1, ${grants}::int) as place`.execute(trx);
    await sql`
      create temporary table under_grant on commit drop as
      select filled.*, place, jsonb_set(fields::jsonb, '{productUri}', to_jsonb(${uriUnderGrant('')} || place))::text as fields
      from filled
      join product_terms on product_terms.id = terms_id, generate_series(1, ${grants}::int) as place`.execute(trx);
    await sql`
      insert into product_terms (fields) select fields::json from (select distinct fields from under_grant) as named
      where not exists (
        select from product_terms where digest = sha256(convert_to(named.fields, 'UTF8')))`.execute(trx);
    await sql`
      insert into product_instance (id, asset_id, license_order_id, crm_product_id, parent_crm_product_id, terms_id,
        uri_hash, limit_concurrent)
      select first_id + 40000 + place, asset_id, first_id + place, crm_product_id, parent_crm_product_id, terms.id,
        terms.uri_hash, limit_concurrent
      from under_grant
      join product_terms as terms on digest = sha256(convert_to(under_grant.fields, 'UTF8'))`.execute(trx);
    for (const table of TABLES) await sql`alter table ${sql.table(table)} enable trigger user`.execute(trx);
  });
  // Not product_terms, which may have one row: what is planned from its statistics would read all of it later.
  await sql`analyze ${sql.join(TABLES.map((table) => sql.table(table)))}`.execute(db);
}
