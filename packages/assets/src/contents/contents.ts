import {
  type AssetId,
  type CustomerId,
  type LicenseOrderId,
  type LicenseType,
  MAX_ANSWER_BYTES,
  type MerchandiseNode,
  type ProductNode,
  Refusal,
} from '@lockstep/contract';
import type { AssetInstance } from '@lockstep/contract/console';
import { bigintArray, parseBigint, run, type Statement, type Trx, together } from '@lockstep/platform';
import { ORDERS_PER_BATCH } from '../ids.ts';
import { type Period, validityOf, withinAsset } from '../ledger/verdict.ts';
import { ofTerms, type ProductTerms } from '../terms.ts';

export type Kind = AssetInstance['kind'];

/** A product or merchandise, its order and the order that holds it. */
interface InstanceRow {
  id: string;
  asset_id: AssetId;
  crm_product_id: string;
  license_order_id: LicenseOrderId;
  /** The order whose grant it belongs to, and its batch: the one that bought it or that transferred the asset. */
  holder_id: LicenseOrderId;
  channel_code: string;
  channel_order_id: string;
  created_time: Date;
  updated_time: Date;
  /** The source order of the order that bought it; null if it named none. */
  order_source_id: LicenseOrderId | null;
}
export interface MerchandiseRow extends InstanceRow {
  parent_id: string | null;
  merchandise_num: string;
  merchandise_name: string;
  parent_merchandise_num: string;
  time_duration_expression: string;
}
export interface ProductRow extends InstanceRow {
  merchandise_id: string | null;
  limit_start_date: string | null;
  limit_end_date: string | null;
  limit_concurrent: number;
  src_license_order_id: LicenseOrderId | null;
  fields: ProductTerms;
}

/** The columns of each kind, without the passwords of licenses, which no answer shows. */
export const COLUMNS: Record<Kind, string> = {
  merchandise: 'parent_id, merchandise_num, merchandise_name, parent_merchandise_num, time_duration_expression',
  product: `merchandise_id, limit_start_date, limit_end_date, limit_concurrent, instance.src_license_order_id,
    ${ofTerms('fields')} as fields`,
};

/** Reads some active instances of a kind, given by a query of them, with their orders. */
export const readingInstances = <Row>(
  kind: Kind,
  { name, from, orderBy, columns = COLUMNS[kind] }: { name: string; from: string; orderBy: string; columns?: string },
  values: readonly unknown[],
): Statement<Row> => ({
  name,
  text: `
    select instance.id, asset_id, crm_product_id, instance.license_order_id, holder_id, created_time, updated_time,
      channel_code, channel_order_id, bought.src_license_order_id as order_source_id, ${columns}
    from (select * from ${kind}_instance where revoked_time is null and ${from}) as instance
    cross join lateral (select coalesce(held_by_order_id, license_order_id) as holder_id) as held
    cross join lateral (
      select channel_code, channel_order_id from batch where id = holder_id / ${ORDERS_PER_BATCH} limit 1
    ) as batch
    cross join lateral (
      select src_license_order_id from license_order where id = instance.license_order_id limit 1
    ) as bought
    order by ${orderBy}`,
  values,
});

/** An asset whose contents are read. */
export interface NamedAsset {
  assetId: AssetId;
  assetNum: string;
  licenseType: LicenseType;
  customerId: CustomerId;
  period: Period;
}

/** The active contents of assets, nested and ordered as they were bought. */
export interface Contents {
  products: ProductNode[];
  merchandises: MerchandiseNode[];
}

const ON_ASSETS = 'asset_id = any ((select $1::bigint[])::bigint[])';
/** Approximate length of an instance as JSON, without the terms of a product. */
const INSTANCE_BYTES = 700;

/** Measures about how long the active contents of assets are as JSON. */
const measuring = (assetIds: unknown): Statement<{ bytes: number }> => ({
  name: 'measure_contents',
  text: `
    select coalesce(sum(instances * (${INSTANCE_BYTES} + octet_length(${ofTerms('fields')}::text))), 0)::float8
      + ${INSTANCE_BYTES} * (select count(*) from merchandise_instance where ${ON_ASSETS} and revoked_time is null)
      as bytes
    from (
      select terms_id, count(*) as instances from product_instance
      where ${ON_ASSETS} and revoked_time is null group by terms_id
    ) as product`,
  values: [assetIds],
});

/**
 * Reads the active contents of assets. `now`, in milliseconds, decides which products are in force.
 *
 * Throws a Refusal: answer_too_large.
 */
export async function readContents(trx: Trx, assets: readonly NamedAsset[], now: number): Promise<Contents> {
  const values = [bigintArray(assets.map(({ assetId }) => assetId))];
  const [size] = await run(trx, measuring(values[0]));
  checkAnswer(size!.bytes);
  const ofAssets = { from: ON_ASSETS, orderBy: 'instance.license_order_id, instance.id' };
  const [merchandises, products] = await together<[MerchandiseRow, ProductRow]>(trx, [
    readingInstances('merchandise', { name: 'read_merchandise_instances', ...ofAssets }, values),
    readingInstances('product', { name: 'read_product_instances', ...ofAssets }, values),
  ]);
  const byId = new Map(assets.map((asset) => [asset.assetId, asset]));
  const merchandisesIn = Map.groupBy(merchandises, ({ parent_id }) => parent_id);
  const productsIn = Map.groupBy(products, ({ merchandise_id }) => merchandise_id);
  const listProducts = (parent: string | null) =>
    productsIn.get(parent)?.map((row) => productNode(row, byId, now)) ?? null;
  const listMerchandises = (parent: string | null): MerchandiseNode[] | null =>
    merchandisesIn.get(parent)?.map((row) => ({
      ...nodeFields(row, byId),
      merchandiseNum: row.merchandise_num,
      merchandiseName: row.merchandise_name,
      parentId: row.parent_id,
      parentMerchandiseNum: row.parent_merchandise_num,
      timeDurationExpression: row.time_duration_expression,
      srcLicenseOrderId: row.order_source_id,
      children: listMerchandises(row.id),
      productInstanceList: listProducts(row.id),
    })) ?? null;
  return { products: listProducts(null) ?? [], merchandises: listMerchandises(null) ?? [] };
}

/** Refuses an answer that would be too long: answer_too_large. */
export function checkAnswer(bytes: number): void {
  if (bytes > MAX_ANSWER_BYTES) throw new Refusal('answer_too_large', MAX_ANSWER_BYTES / 1024 ** 2);
}

type AssetsById = ReadonlyMap<AssetId, NamedAsset>;

/**
 * The fields of products and merchandise. licenseOrderId, channelCode and channelOrderId name the order by which an
 * instance can be revoked: the one that bought it, or the one that transferred the asset (rules 6.5).
 */
function nodeFields(row: MerchandiseRow | ProductRow, assets: AssetsById) {
  const { licenseType, customerId } = assets.get(row.asset_id)!;
  return {
    id: row.id,
    licenseType,
    customerId,
    licenseOrderId: row.holder_id,
    channelCode: row.channel_code,
    channelOrderId: row.channel_order_id,
    createTime: row.created_time.getTime(),
    updateTime: row.updated_time.getTime(),
  };
}

/** The fields of products that applications and operators see under the same names. */
export function productFields({ fields, limit_concurrent, src_license_order_id, order_source_id }: ProductRow) {
  return {
    productUri: fields.productUri,
    productName: fields.productName,
    gmsPid: fields.gmsPid ?? '',
    appKey: fields.appKey ?? '',
    limitConcurrent: limit_concurrent,
    limitTimeDuration: fields.limitTimeDuration ?? 0,
    trialEndDate: fields.trialEndDate ?? null,
    timeDurationExpression: fields.timeDurationExpression ?? null,
    srcLicenseOrderId: src_license_order_id ?? order_source_id,
  };
}

/** Returns a product's own dates. */
export const datesOf = (row: Pick<ProductRow, 'limit_start_date' | 'limit_end_date'>): Period => ({
  start: parseBigint(row.limit_start_date),
  end: parseBigint(row.limit_end_date),
});

function productNode(row: ProductRow, assets: AssetsById, now: number): ProductNode {
  const { assetNum, period } = assets.get(row.asset_id)!;
  const dates = datesOf(row);
  const features = row.fields.productFeatures ?? [];
  const hasFeatures = features.length > 0;
  return {
    ...nodeFields(row, assets),
    ...productFields(row),
    assetId: row.asset_id,
    assetInsId: row.asset_id,
    merchandiseInsId: row.merchandise_id,
    assetNum,
    limitStartTime: dates.start,
    limitEndTime: dates.end,
    validity: validityOf(withinAsset(dates, period), now),
    limitAmount: 0,
    trial: row.fields.trial ?? 0,
    limitType: hasFeatures ? 'feature' : 'basic',
    prodDefExtend: hasFeatures,
    activateFlag: true,
    crmProductId: row.crm_product_id,
    productExtendInstanceList: features,
  };
}
