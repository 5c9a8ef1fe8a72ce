import type { AssetId, CustomerId, LicenseOrderId, OrderType } from '@lockstep/contract';
import type { AssetEffect, ItemEffect, OrderEffects } from '@lockstep/contract/console';
import { type Database, inSnapshot, parseBigint, type Trx } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import { ofTerms } from '../terms.ts';

/** The order, and the most of its effects to show, of assets and of contents. */
export interface EffectsQuery {
  licenseOrderId: LicenseOrderId;
  orderType: OrderType;
  limit: number;
}

/**
 * Reads the effects of an order that succeeded, as the ledger has them now. Indexes on the order find what it touched:
 * a block-range index for active grants, of which there are very many, and exact ones for revoked rows.
 */
export async function readOrderEffects(db: Database, query: EffectsQuery): Promise<OrderEffects> {
  return await inSnapshot(db, async (trx) => {
    const touched = await selectTouched(trx, query);
    const shown = touched.slice(0, query.limit);
    const assetIds = shown.map(({ asset_id }) => asset_id);
    const items = await selectItems(trx, query, assetIds);
    return {
      assets: shown.map((row) => buildAsset(row, query)),
      items: items.slice(0, query.limit).map((row) => buildItem(row, query)),
      isCut: touched.length > query.limit || items.length > query.limit,
    };
  });
}

interface TouchedRow {
  asset_id: AssetId;
  asset_num: string;
  created_by_order_id: LicenseOrderId;
  revoked_by_order_id: LicenseOrderId | null;
  is_active: boolean;
  from_customer_id: CustomerId | null;
}

/** Selects the assets that an order touched, in the order of their creation. */
async function selectTouched(trx: Trx, { licenseOrderId: id, orderType, limit }: EffectsQuery): Promise<TouchedRow[]> {
  const { rows } = await sql<TouchedRow>`
    select asset.id as asset_id, asset_num, created_by_order_id, revoked_by_order_id, revoked_time is null as is_active,
      transfer.from_customer_id
    from (
      select distinct asset_id from (${TOUCHED[orderType](id)}) as named order by asset_id limit ${limit + 1}
    ) as touched
    join asset on asset.id = asset_id
    left join asset_transfer as transfer on transfer.asset_id = asset.id and license_order_id = ${id}
    order by asset.id`.execute(trx);
  return rows;
}

/** The assets that an order of each type touched, as asset_id. */
const TOUCHED: Record<OrderType, (id: LicenseOrderId) => RawBuilder<unknown>> = {
  new_buy: (id) => sql`
    select asset_id from asset_grant where license_order_id = ${id} and revoked_time is null
    union all
    select asset_id from asset_grant where license_order_id = ${id} and revoked_time is not null`,
  delete_asset: (id) => sql`
    select asset_id from asset_grant where revoked_by_order_id = ${id} and revoked_time is not null`,
  delete_product: (id) => sql`
    select asset_id from product_instance where revoked_by_order_id = ${id} and revoked_time is not null`,
};

function buildAsset(row: TouchedRow, { licenseOrderId, orderType }: EffectsQuery): AssetEffect {
  return {
    assetId: row.asset_id,
    assetNum: row.asset_num,
    action: actionOn(row, licenseOrderId, orderType),
    fromCustomerId: row.from_customer_id,
    isActive: row.is_active,
  };
}

function actionOn(row: TouchedRow, id: LicenseOrderId, orderType: OrderType): AssetEffect['action'] {
  if (orderType === 'delete_product') return 'reduced';
  if (orderType === 'delete_asset') return row.revoked_by_order_id === id ? 'revoked' : 'grant_revoked';
  if (row.from_customer_id !== null) return 'transferred';
  return row.created_by_order_id === id ? 'created' : 'extended';
}

interface ItemRow {
  id: string;
  asset_num: string;
  kind: ItemEffect['kind'];
  code: string;
  name: string;
  limit_start_date: string | null;
  limit_end_date: string | null;
  limit_concurrent: number | null;
  license_order_id: LicenseOrderId;
  revoked_by_order_id: LicenseOrderId | null;
  is_active: boolean;
}

/** Selects the contents that an order bought or revoked, asset by asset: each lookup has an index. */
async function selectItems(
  trx: Trx,
  { licenseOrderId: id, orderType, limit }: EffectsQuery,
  assetIds: readonly AssetId[],
): Promise<ItemRow[]> {
  const products = sql`
    'product' as kind, ${sql.raw(ofTerms('product_uri'))} as code, ${sql.raw(ofTerms('product_name'))} as name, limit_start_date, limit_end_date, limit_concurrent`;
  const merchandises = sql`
    'merchandise' as kind, merchandise_num as code, merchandise_name as name, null::bigint as limit_start_date,
    null::bigint as limit_end_date, null::integer as limit_concurrent`;
  const from = (table: 'product_instance' | 'merchandise_instance', columns: RawBuilder<unknown>) =>
    DID[orderType === 'new_buy' ? 'bought' : 'revoked'](id).map(
      (condition) => sql`(
        select id, ${columns}, license_order_id, revoked_by_order_id, revoked_time is null as is_active
        from ${sql.table(table)} where asset_id = touched.id and ${condition} order by id limit ${limit + 1}
      )`,
    );
  const parts = [...from('merchandise_instance', merchandises), ...from('product_instance', products)];
  const { rows } = await sql<ItemRow>`
    select item.*, asset_num from unnest(${assetIds}::bigint[]) with ordinality as touched (id, place)
    join asset on asset.id = touched.id
    cross join lateral (${sql.join(parts, sql` union all `)}) as item
    order by place, kind, item.id limit ${limit + 1}`.execute(trx);
  return rows;
}

/** Conditions on contents: an order bought or revoked them. Each has an index. */
const DID = {
  bought: (id: LicenseOrderId) => [
    sql`license_order_id = ${id} and revoked_time is null`,
    sql`license_order_id = ${id} and revoked_time is not null`,
  ],
  revoked: (id: LicenseOrderId) => [sql`revoked_by_order_id = ${id} and revoked_time is not null`],
};

function buildItem(row: ItemRow, { orderType }: EffectsQuery): ItemEffect {
  return {
    id: row.id,
    assetNum: row.asset_num,
    kind: row.kind,
    action: orderType === 'new_buy' ? 'bought' : 'revoked',
    code: row.code,
    name: row.name,
    limitStartDate: parseBigint(row.limit_start_date),
    limitEndDate: parseBigint(row.limit_end_date),
    limitConcurrent: row.limit_concurrent,
    boughtByOrderId: row.license_order_id,
    revokedByOrderId: row.revoked_by_order_id,
    isActive: row.is_active,
  };
}
