import {
  type AssetId,
  type CustomerId,
  type LicenseType,
  MAX_ANSWER_BYTES,
  type MerchandiseNode,
  type ProductNode,
  Refusal,
} from '@lockstep/contract';
import { bigintArray, parseBigint, run, type Trx, together } from '@lockstep/platform';
import { type MerchandiseRow, measuring, type ProductRow, readingMerchandises, readingProducts } from './rows.ts';

/** An asset whose contents are read. */
export interface NamedAsset {
  assetId: AssetId;
  assetNum: string;
  licenseType: LicenseType;
  customerId: CustomerId;
}

/** The active contents of assets, nested and ordered as they were bought. */
export interface Contents {
  products: ProductNode[];
  merchandises: MerchandiseNode[];
}

/** Reads the active contents of assets. Throws a Refusal: answer_too_large. */
export async function readContents(trx: Trx, assets: readonly NamedAsset[]): Promise<Contents> {
  const assetIds = bigintArray(assets.map(({ assetId }) => assetId));
  const [size] = await run(trx, measuring(assetIds));
  checkAnswer(size!.bytes);
  const [merchandises, products] = await together<[MerchandiseRow, ProductRow]>(trx, [
    readingMerchandises(assetIds),
    readingProducts(assetIds),
  ]);
  const byId = new Map(assets.map((asset) => [asset.assetId, asset]));
  const merchandisesIn = Map.groupBy(merchandises, ({ parent_id }) => parent_id);
  const productsIn = Map.groupBy(products, ({ merchandise_id }) => merchandise_id);
  const listProducts = (parent: string | null) => productsIn.get(parent)?.map((row) => productNode(row, byId)) ?? null;
  const listMerchandises = (parent: string | null): MerchandiseNode[] | null =>
    merchandisesIn.get(parent)?.map((row) => ({
      ...merchandiseFields(row, byId),
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
function instanceFields(row: MerchandiseRow | ProductRow, assets: AssetsById) {
  const { licenseType, customerId } = assets.get(row.asset_id)!;
  return {
    id: row.id,
    licenseType,
    customerId,
    licenseOrderId: row.license_order_id,
    channelCode: row.channel_code,
    channelOrderId: row.channel_order_id,
    createTime: row.created_time.getTime(),
    updateTime: row.updated_time.getTime(),
  };
}

function merchandiseFields(row: MerchandiseRow, assets: AssetsById) {
  return {
    ...instanceFields(row, assets),
    merchandiseNum: row.merchandise_num,
    merchandiseName: row.merchandise_name,
    parentId: row.parent_id,
    parentMerchandiseNum: row.parent_merchandise_num,
    timeDurationExpression: row.time_duration_expression,
    srcLicenseOrderId: row.order_source_id,
  };
}

function productNode(row: ProductRow, assets: AssetsById): ProductNode {
  const { fields } = row;
  const features = fields.productFeatures ?? [];
  const hasFeatures = features.length > 0;
  return {
    ...instanceFields(row, assets),
    assetId: row.asset_id,
    assetInsId: row.asset_id,
    merchandiseInsId: row.merchandise_id,
    assetNum: assets.get(row.asset_id)!.assetNum,
    productUri: fields.productUri,
    gmsPid: fields.gmsPid ?? '',
    appKey: fields.appKey ?? '',
    productName: fields.productName,
    limitStartTime: parseBigint(row.limit_start_date),
    limitEndTime: parseBigint(row.limit_end_date),
    limitAmount: 0,
    limitConcurrent: row.limit_concurrent,
    limitTimeDuration: fields.limitTimeDuration ?? 0,
    trial: fields.trial ?? 0,
    trialEndDate: fields.trialEndDate ?? null,
    limitType: hasFeatures ? 'feature' : 'basic',
    prodDefExtend: hasFeatures,
    timeDurationExpression: fields.timeDurationExpression ?? null,
    srcLicenseOrderId: row.src_license_order_id ?? row.order_source_id,
    activateFlag: true,
    crmProductId: row.crm_product_id,
    productExtendInstanceList: features,
  };
}
