import type { LicenseOrderId, OrderType, Viewer } from '@lockstep/contract';
import type { AssetEffect, ItemEffect, OrderEffects } from '@lockstep/contract/console';
import { customersOf } from '@lockstep/customers';
import { type Database, inSnapshot, type Trx } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import { assetsOf } from '../tenant.ts';
import { ofTerms } from '../terms.ts';

/** The order, and the most of its effects to show, of assets and of contents. */
export interface EffectsQuery {
  licenseOrderId: LicenseOrderId;
  orderType: OrderType;
  limit: number;
}

/**
 * Reads the effects of an order that succeeded, as the ledger has them now, for operators. Indexes on the order find
 * what it touched: a block-range index for active grants, of which there are very many, and exact ones for revoked
 * rows.
 */
export async function readOrderEffects(db: Database, viewer: Viewer, query: EffectsQuery): Promise<OrderEffects> {
  const { limit } = query;
  return await inSnapshot(db, async (trx) => {
    const assets = await selectTouched(trx, viewer, query);
    const shown = assets.slice(0, limit);
    const items = await selectItems(
      trx,
      viewer,
      query,
      shown.map(({ assetId }) => assetId),
    );
    const isCut = assets.length > limit || items.length > limit;
    return { assets: shown, items: items.slice(0, limit), isCut };
  });
}

/** What an order of each type did: the assets that it touched, as asset_id, and how. */
const DID: Record<OrderType, (id: LicenseOrderId) => { touched: RawBuilder<unknown>; action: RawBuilder<unknown> }> = {
  new_buy: (id) => ({
    touched: sql`
      select asset_id from asset_grant where license_order_id = ${id} and revoked_time is null
      union all
      select asset_id from asset_grant where license_order_id = ${id} and revoked_time is not null`,
    action: sql`case when from_customer_id is not null then 'transferred'
      when created_by_order_id = ${id} then 'created' else 'extended' end`,
  }),
  delete_asset: (id) => ({
    touched: sql`select asset_id from asset_grant where revoked_by_order_id = ${id} and revoked_time is not null`,
    action: sql`case when revoked_by_order_id = ${id} then 'revoked' else 'grant_revoked' end`,
  }),
  delete_product: (id) => ({
    touched: sql`select asset_id from product_instance where revoked_by_order_id = ${id} and revoked_time is not null`,
    action: sql`'reduced'`,
  }),
};

/** Selects the assets that an order touched, in the order of their creation. */
async function selectTouched(
  trx: Trx,
  viewer: Viewer,
  { licenseOrderId: id, orderType, limit }: EffectsQuery,
): Promise<AssetEffect[]> {
  const { touched, action } = DID[orderType](id);
  const { rows } = await sql<AssetEffect>`
    select asset.id as "assetId", asset_num as "assetNum", ${action} as action, (
        select id from ${customersOf(viewer)} as customer where id = from_customer_id
      ) as "fromCustomerId",
      revoked_time is null as "isActive"
    from (select distinct asset_id from (${touched}) as named order by asset_id limit ${limit + 1}) as touched
    join ${assetsOf(viewer)} as asset on asset.id = asset_id
    left join asset_transfer as transfer on transfer.asset_id = asset.id and license_order_id = ${id}
    order by asset.id`.execute(trx);
  return rows;
}

/** Selects the contents that an order bought or revoked, asset by asset: each lookup has an index. */
async function selectItems(
  trx: Trx,
  viewer: Viewer,
  { licenseOrderId: id, orderType, limit }: EffectsQuery,
  assetIds: readonly string[],
): Promise<ItemEffect[]> {
  const products = sql`'product' as kind, ${sql.raw(ofTerms('product_uri'))} as code,
    ${sql.raw(ofTerms('product_name'))} as name, limit_start_date, limit_end_date, limit_concurrent`;
  const merchandises = sql`
    'merchandise' as kind, merchandise_num as code, merchandise_name as name, null::bigint as limit_start_date,
    null::bigint as limit_end_date, null::integer as limit_concurrent`;
  const [action, ...conditions] =
    orderType === 'new_buy'
      ? [
          'bought',
          sql`license_order_id = ${id} and revoked_time is null`,
          sql`license_order_id = ${id} and revoked_time is not null`,
        ]
      : ['revoked', sql`revoked_by_order_id = ${id} and revoked_time is not null`];
  const from = (table: 'product_instance' | 'merchandise_instance', columns: RawBuilder<unknown>) =>
    conditions.map(
      (condition) => sql`(
        select id, ${columns}, license_order_id, revoked_by_order_id, revoked_time is null as is_active
        from ${sql.table(table)} where asset_id = touched.id and ${condition} order by id limit ${limit + 1}
      )`,
    );
  const parts = [...from('merchandise_instance', merchandises), ...from('product_instance', products)];
  const { rows } = await sql<ItemEffect>`
    select item.id, asset_num as "assetNum", kind, ${action}::text as action, code, name,
      item.limit_start_date::float8 as "limitStartDate", item.limit_end_date::float8 as "limitEndDate",
      limit_concurrent as "limitConcurrent", license_order_id as "boughtByOrderId",
      item.revoked_by_order_id as "revokedByOrderId", is_active as "isActive"
    from unnest(${assetIds}::bigint[]) with ordinality as touched (id, place)
    join ${assetsOf(viewer)} as asset on asset.id = touched.id
    cross join lateral (${sql.join(parts, sql` union all `)}) as item
    order by place, kind, item.id limit ${limit + 1}`.execute(trx);
  return rows;
}
