import type {
  AssetContents,
  AssetId,
  CustomerId,
  LicenseOrderId,
  LicenseType,
  MerchandiseNode,
  ProductNode,
  ProductToBuy,
} from '@lockstep/contract';
import { parseBigint, type Tables, type Trx } from '@lockstep/platform';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import { ORDERS_PER_BATCH } from './order-ids.ts';

/** What rows of merchandises and products have in common: columns of their asset, and of the order that stands for them. */
interface InstanceRow {
  id: string;
  asset_id: AssetId;
  asset_num: string;
  license_type: LicenseType;
  customer_id: CustomerId;
  /** The order that bought it. */
  bought_by_order_id: LicenseOrderId;
  license_order_id: LicenseOrderId;
  channel_code: string;
  channel_order_id: string;
  /** The source order of the order that bought them; null if it named none. */
  order_source_id: LicenseOrderId | null;
  created_time: Date;
  updated_time: Date;
}

export interface MerchandiseRow extends InstanceRow {
  parent_id: string | null;
  crm_product_id: string;
  merchandise_num: string;
  merchandise_name: string;
  parent_merchandise_num: string;
  time_duration_expression: string;
}

type StoredProduct = Selectable<Tables['product_instance']>;

export interface ProductRow
  extends InstanceRow,
    Pick<StoredProduct, 'merchandise_id' | 'crm_product_id' | 'product_uri' | 'product_name' | 'limit_concurrent'>,
    Pick<StoredProduct, 'limit_start_date' | 'limit_end_date' | 'src_license_order_id'> {
  details: Partial<ProductToBuy>;
}

/**
 * Returns what is active on some assets: products, and merchandises with theirs, nested as they were bought and in that
 * order (interface M7). licenseOrderId, channelCode and channelOrderId name the order by which they can be revoked: the
 * one that bought them, or the one that transferred the asset (rules 6.5).
 */
export async function readContents(trx: Trx, assetIds: AssetId[]): Promise<AssetContents> {
  const merchandises = await selectMerchandises(trx, { assetIds });
  const products = await selectProducts<ProductRow>(trx, { assetIds }, sql`details - 'passwords' as details`);
  const merchandisesByParent = Map.groupBy(merchandises, (row) => row.parent_id);
  const productsByMerchandise = Map.groupBy(products, (row) => row.merchandise_id);
  const productsIn = (id: string | null) => (productsByMerchandise.get(id) ?? []).map(productNode);
  const merchandisesIn = (id: string | null): MerchandiseNode[] =>
    (merchandisesByParent.get(id) ?? []).map((row) =>
      merchandiseNode(row, { children: merchandisesIn(row.id), products: productsIn(row.id) }),
    );
  return { productInstanceList: productsIn(null), children: merchandisesIn(null) };
}

/** Which of the active instances on some assets: a page by id, or all in the order in which they were bought. */
interface Wanted {
  assetIds: AssetId[];
  page?: { afterId: string; limit: number };
}

export function selectMerchandises(trx: Trx, wanted: Wanted): Promise<MerchandiseRow[]> {
  return selectInstances(
    trx,
    'merchandise_instance',
    wanted,
    sql`parent_id, crm_product_id, merchandise_num, merchandise_name, parent_merchandise_num, time_duration_expression`,
  );
}

/** `details`: what to select of the details. Nobody is shown the passwords of licences in them. */
export function selectProducts<Row extends ProductRow>(
  trx: Trx,
  wanted: Wanted,
  details: RawBuilder<unknown>,
): Promise<Row[]> {
  return selectInstances(
    trx,
    'product_instance',
    wanted,
    sql`merchandise_id, crm_product_id, product_uri, product_name, instance.limit_start_date, instance.limit_end_date,
      limit_concurrent, instance.src_license_order_id, ${details}`,
  );
}

async function selectInstances<Row extends InstanceRow>(
  trx: Trx,
  table: 'merchandise_instance' | 'product_instance',
  { assetIds, page }: Wanted,
  columns: RawBuilder<unknown>,
): Promise<Row[]> {
  const paged = page && sql`and id > ${page.afterId} order by id limit ${page.limit}`;
  const { rows } = await sql<Row>`
    select instance.id, instance.asset_id, instance.license_order_id as bought_by_order_id,
      held.order_id as license_order_id, instance.created_time, instance.updated_time, asset_num, license_type, asset.customer_id, channel_code, channel_order_id,
      bought.src_license_order_id as order_source_id, ${columns}
    from (
      select * from ${sql.table(table)}
      where asset_id = any (${assetIds}::bigint[]) and revoked_time is null ${paged ?? sql``}
    ) as instance
    cross join lateral (select coalesce(held_by_order_id, license_order_id) as order_id) as held
    join asset on asset.id = asset_id
    join batch on batch.id = held.order_id / ${ORDERS_PER_BATCH}::bigint
    join license_order as bought on bought.id = instance.license_order_id
    order by ${page ? sql`` : sql`instance.license_order_id,`} instance.id`.execute(trx);
  return rows;
}

function instanceFields(row: InstanceRow) {
  return {
    id: row.id,
    licenseType: row.license_type,
    customerId: row.customer_id,
    licenseOrderId: row.license_order_id,
    channelCode: row.channel_code,
    channelOrderId: row.channel_order_id,
    createTime: row.created_time.getTime(),
    updateTime: row.updated_time.getTime(),
  };
}

function merchandiseNode(
  row: MerchandiseRow,
  { children, products }: { children: MerchandiseNode[]; products: ProductNode[] },
): MerchandiseNode {
  return {
    ...instanceFields(row),
    merchandiseNum: row.merchandise_num,
    merchandiseName: row.merchandise_name,
    parentId: row.parent_id,
    parentMerchandiseNum: row.parent_merchandise_num,
    timeDurationExpression: row.time_duration_expression,
    srcLicenseOrderId: row.order_source_id,
    children: children.length === 0 ? null : children,
    productInstanceList: products.length === 0 ? null : products,
  };
}

function productNode(row: ProductRow): ProductNode {
  const { details } = row;
  const features = details.productFeatures ?? [];
  const hasFeatures = features.length > 0;
  return {
    ...instanceFields(row),
    assetId: row.asset_id,
    assetInsId: row.asset_id,
    merchandiseInsId: row.merchandise_id,
    assetNum: row.asset_num,
    productUri: row.product_uri,
    gmsPid: details.gmsPid ?? '',
    appKey: details.appKey ?? '',
    productName: row.product_name,
    limitStartTime: parseBigint(row.limit_start_date),
    limitEndTime: parseBigint(row.limit_end_date),
    limitAmount: 0,
    limitConcurrent: row.limit_concurrent,
    limitTimeDuration: details.limitTimeDuration ?? 0,
    trial: details.trial ?? 0,
    trialEndDate: details.trialEndDate ?? null,
    limitType: hasFeatures ? 'feature' : 'basic',
    prodDefExtend: hasFeatures,
    timeDurationExpression: details.timeDurationExpression ?? null,
    srcLicenseOrderId: row.src_license_order_id ?? row.order_source_id,
    activateFlag: true,
    crmProductId: row.crm_product_id,
    productExtendInstanceList: features,
  };
}
