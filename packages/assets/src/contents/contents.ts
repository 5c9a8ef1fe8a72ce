import type { AssetId, MerchandiseNode, ProductNode } from '@lockstep/contract';
import { parseBigint } from '@lockstep/platform';
import type { InstancesByParent, Planned, PlannedAsset } from './plan.ts';
import type { MerchandiseRow, ProductRow } from './rows.ts';

/** Merchandise whose lists are read on demand. */
interface MerchandiseParts extends Omit<MerchandiseNode, 'children' | 'productInstanceList'> {
  children: AsyncIterable<MerchandiseParts> | null;
  productInstanceList: AsyncIterable<ProductNode> | null;
}

/**
 * The active contents of assets, nested and ordered as they were bought. They are read on demand, so read everything
 * exactly once, from first to last: products, then merchandise, and of each merchandise its children before its
 * products.
 */
export interface Contents {
  products: AsyncIterable<ProductNode>;
  merchandises: AsyncIterable<MerchandiseParts>;
}

/**
 * How much is read at once, unless a single instance is longer. Reading this much, and writing it as JSON, takes some
 * milliseconds.
 */
export const PIECE_BYTES = 256 * 1024;

interface Sources {
  assets: AssetsById;
  merchandises: InstancesByParent;
  products: InstancesByParent;
  /** Reads planned instances, in order. */
  readMerchandises: (piece: Planned[]) => Promise<MerchandiseRow[]>;
  readProducts: (piece: Planned[]) => Promise<ProductRow[]>;
}

/** Returns the contents of a plan. Nothing is read until it is asked for. */
export function openContents({ assets, merchandises, products, ...read }: Sources): Contents {
  const nextMerchandise = readInOrder(listMerchandises(null), read.readMerchandises);
  const nextProduct = readInOrder(listProducts(), read.readProducts);

  function* listMerchandises(parent: string | null): Generator<Planned> {
    for (const each of merchandises.in(parent)) {
      yield each;
      yield* listMerchandises(each.id);
    }
  }
  function* listProducts(): Generator<Planned> {
    yield* products.in(null);
    yield* listProductsUnder(null);
  }
  function* listProductsUnder(parent: string | null): Generator<Planned> {
    for (const { id } of merchandises.in(parent)) {
      yield* listProductsUnder(id);
      yield* products.in(id);
    }
  }

  async function* openProducts(parent: string | null): AsyncGenerator<ProductNode> {
    for (const _ of products.in(parent)) yield productNode(...(await nextProduct()), assets);
  }
  async function* openMerchandises(parent: string | null): AsyncGenerator<MerchandiseParts> {
    for (const { id } of merchandises.in(parent)) {
      const [row, planned] = await nextMerchandise();
      yield {
        ...merchandiseFields(row, planned, assets),
        children: merchandises.hasSomeIn(id) ? openMerchandises(id) : null,
        productInstanceList: products.hasSomeIn(id) ? openProducts(id) : null,
      };
    }
  }
  return { products: openProducts(null), merchandises: openMerchandises(null) };
}

/** Returns a function that returns the row of the next planned instance, reading a piece at a time. */
function readInOrder<Row>(
  planned: Iterator<Planned>,
  read: (piece: Planned[]) => Promise<Row[]>,
): () => Promise<[Row, Planned]> {
  let piece: Planned[] = [];
  let rows: Row[] = [];
  let place = 0;
  return async () => {
    if (place === piece.length) {
      piece = takePiece(planned);
      rows = await read(piece);
      if (rows.length !== piece.length) throw new Error('The contents of an asset were deleted during the read');
      place = 0;
    }
    const at = place++;
    return [rows[at]!, piece[at]!];
  };
}

function takePiece(planned: Iterator<Planned>): Planned[] {
  const piece: Planned[] = [];
  for (let bytes = 0; bytes < PIECE_BYTES; ) {
    const { value, done } = planned.next();
    if (done === true) break;
    piece.push(value);
    bytes += value.bytes;
  }
  return piece;
}

type AssetsById = ReadonlyMap<AssetId, PlannedAsset>;

/**
 * The fields of products and merchandise. licenseOrderId, channelCode and channelOrderId name the order by which an
 * instance can be revoked: the one that bought it, or the one that transferred the asset (rules 6.5).
 */
function instanceFields(row: MerchandiseRow | ProductRow, { updatedMs }: Planned, assets: AssetsById) {
  const createTime = row.created_time.getTime();
  const { licenseType, customerId } = assets.get(row.asset_id)!;
  return {
    id: row.id,
    licenseType,
    customerId,
    licenseOrderId: row.license_order_id,
    channelCode: row.channel_code,
    channelOrderId: row.channel_order_id,
    createTime,
    updateTime: updatedMs ?? createTime,
  };
}

function merchandiseFields(row: MerchandiseRow, planned: Planned, assets: AssetsById) {
  return {
    ...instanceFields(row, planned, assets),
    merchandiseNum: row.merchandise_num,
    merchandiseName: row.merchandise_name,
    parentId: row.parent_id,
    parentMerchandiseNum: row.parent_merchandise_num,
    timeDurationExpression: row.time_duration_expression,
    srcLicenseOrderId: row.order_source_id,
  };
}

function productNode(row: ProductRow, planned: Planned, assets: AssetsById): ProductNode {
  const { fields } = row;
  const features = fields.productFeatures ?? [];
  const hasFeatures = features.length > 0;
  return {
    ...instanceFields(row, planned, assets),
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
