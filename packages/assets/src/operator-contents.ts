import type { LicenseOrderId, ProductToBuy } from '@lockstep/contract';
import type { AssetInstance } from '@lockstep/contract/console';
import { type Database, inSnapshot, parseBigint, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';

/** Features of a product that are shown, at most. An order may send ten thousand. */
const MAX_FEATURES = 20;

/** The instance behind which a page begins. */
export interface ContentsPlace {
  kind: AssetInstance['kind'];
  id: string;
}

/**
 * Lists what is active on the asset of a number, of any channel, as it was bought: merchandises first, each after the one
 * that it is in, then products. A page costs a look at all that is on the asset. Returns null for an asset that is not
 * there; an asset of the same number that was bought since the page before goes on at the same place.
 */
export function listContents(
  db: Database,
  assetNum: string,
  { after, limit }: { after: ContentsPlace | null; limit: number },
): Promise<{ instances: AssetInstance[]; stop: ContentsPlace | null } | null> {
  return inSnapshot(db, async (trx) => {
    const found = await sql<{ id: string }>`
      select id from asset where asset_num = ${assetNum} and revoked_time is null`.execute(trx);
    const [asset] = found.rows;
    if (asset === undefined) return null;
    const behind = (kind: ContentsPlace['kind']) => (after?.kind === kind ? after.id : '0');
    const wanted = limit + 1;
    const merchandises =
      after?.kind === 'product' ? [] : await readMerchandises(trx, asset.id, behind('merchandise'), wanted);
    const room = wanted - merchandises.length;
    const products = room <= 0 ? [] : await readProducts(trx, asset.id, behind('product'), room);
    const all: AssetInstance[] = [...merchandises, ...products];
    const page = all.slice(0, limit);
    const last = page.at(-1);
    const hasMore = all.length > limit && last !== undefined;
    return { instances: page, stop: hasMore ? { kind: last.kind, id: last.id } : null };
  });
}

interface InstanceRow {
  id: string;
  parent_id: string | null;
  crm_product_id: string;
  license_order_id: LicenseOrderId;
  held_by_order_id: LicenseOrderId | null;
  src_license_order_id: LicenseOrderId | null;
  order_source_id: LicenseOrderId | null;
  created_time: Date;
}

interface MerchandiseRow extends InstanceRow {
  merchandise_num: string;
  merchandise_name: string;
  time_duration_expression: string;
}

interface ProductRow extends InstanceRow {
  product_uri: string;
  product_name: string;
  limit_start_date: string | null;
  limit_end_date: string | null;
  limit_concurrent: number;
  details: Partial<ProductToBuy>;
  feature_count: number;
}

async function readMerchandises(
  trx: Trx,
  assetId: string,
  afterId: string,
  limit: number,
): Promise<Extract<AssetInstance, { kind: 'merchandise' }>[]> {
  const { rows } = await sql<MerchandiseRow>`
    select instance.id, parent_id, crm_product_id, license_order_id, held_by_order_id,
      null::bigint as src_license_order_id, bought.src_license_order_id as order_source_id, created_time,
      merchandise_num, merchandise_name, time_duration_expression
    from (
      select * from merchandise_instance
      where asset_id = ${assetId} and revoked_time is null and id > ${afterId}
      order by id limit ${limit}
    ) as instance
    left join lateral (
      select src_license_order_id from license_order where license_order.id = instance.license_order_id offset 0
    ) as bought on true
    order by instance.id`.execute(trx);
  return rows.map((row) => ({
    ...instanceFields(row),
    kind: 'merchandise' as const,
    timeDurationExpression: row.time_duration_expression,
    merchandiseNum: row.merchandise_num,
    merchandiseName: row.merchandise_name,
  }));
}

async function readProducts(
  trx: Trx,
  assetId: string,
  afterId: string,
  limit: number,
): Promise<Extract<AssetInstance, { kind: 'product' }>[]> {
  // Nobody is shown the passwords of licences in `details`.
  const { rows } = await sql<ProductRow>`
    select instance.id, merchandise_id as parent_id, crm_product_id, license_order_id, held_by_order_id,
      instance.src_license_order_id, bought.src_license_order_id as order_source_id, created_time,
      product_uri, product_name, limit_start_date, limit_end_date, limit_concurrent,
      details - 'passwords' - 'productFeatures' || jsonb_build_object(
        'productFeatures', jsonb_path_query_array(details, ${`$.productFeatures[0 to ${MAX_FEATURES - 1}]`}::jsonpath)
      ) as details,
      coalesce(jsonb_array_length(nullif(details -> 'productFeatures', 'null')), 0) as feature_count
    from (
      select * from product_instance
      where asset_id = ${assetId} and revoked_time is null and id > ${afterId}
      order by id limit ${limit}
    ) as instance
    left join lateral (
      select src_license_order_id from license_order where license_order.id = instance.license_order_id offset 0
    ) as bought on true
    order by instance.id`.execute(trx);
  return rows.map((row) => ({
    ...instanceFields(row),
    kind: 'product' as const,
    timeDurationExpression: row.details.timeDurationExpression ?? null,
    productUri: row.product_uri,
    productName: row.product_name,
    gmsPid: row.details.gmsPid ?? '',
    appKey: row.details.appKey ?? '',
    limitStartDate: parseBigint(row.limit_start_date),
    limitEndDate: parseBigint(row.limit_end_date),
    limitConcurrent: row.limit_concurrent,
    limitTimeDuration: row.details.limitTimeDuration ?? 0,
    trial: row.details.trial === 1,
    trialEndDate: row.details.trialEndDate ?? null,
    features: (row.details.productFeatures ?? []).map(({ featureCode, featureName, featureValue }) => ({
      featureCode,
      featureName,
      featureValue,
    })),
    featureCount: row.feature_count,
  }));
}

function instanceFields(row: InstanceRow) {
  return {
    id: row.id,
    parentId: row.parent_id,
    crmProductId: row.crm_product_id,
    boughtByOrderId: row.license_order_id,
    heldByOrderId: row.held_by_order_id ?? row.license_order_id,
    srcLicenseOrderId: row.src_license_order_id ?? row.order_source_id,
    createdTime: row.created_time.getTime(),
  };
}
