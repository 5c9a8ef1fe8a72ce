import type { AssetId, LicenseOrderId } from '@lockstep/contract';
import type { AssetInstance } from '@lockstep/contract/console';
import { type Database, inSnapshot, parseBigint, type Trx } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import type { MerchandiseRow, ProductRow } from '../contents/rows.ts';
import { selectAssets } from '../tenant.ts';
import { ofTerms } from '../terms.ts';

/** The most features of a product that are shown. An order may send ten thousand. */
const MAX_FEATURES = 20;

/** The instance after which a page begins. */
export interface ContentsPlace {
  kind: AssetInstance['kind'];
  id: string;
}

/**
 * Lists the active contents of the asset with a number, of any channel: merchandise first, each after its parent, then
 * products. A page costs a scan of all contents of the asset. Returns null if the asset does not exist. If the number
 * was bought again since the page before, the list continues at the same position.
 */
export function listContents(
  db: Database,
  assetNum: string,
  { after, limit }: { after: ContentsPlace | null; limit: number },
): Promise<{ instances: AssetInstance[]; stop: ContentsPlace | null } | null> {
  return inSnapshot(db, async (trx) => {
    const asset = await selectAssets(trx, null).select('asset.id').where('asset_num', '=', assetNum).executeTakeFirst();
    if (asset === undefined) return null;
    const behind = (kind: ContentsPlace['kind']) => (after?.kind === kind ? after.id : '0');
    const wanted = limit + 1;
    const merchandises =
      after?.kind === 'product' ? [] : await readMerchandises(trx, asset.id, behind('merchandise'), wanted);
    const left = wanted - merchandises.length;
    const products = left <= 0 ? [] : await readProducts(trx, asset.id, behind('product'), left);
    const all: AssetInstance[] = [...merchandises, ...products];
    const page = all.slice(0, limit);
    const last = page.at(-1);
    const hasMore = all.length > limit && last !== undefined;
    return { instances: page, stop: hasMore ? { kind: last.kind, id: last.id } : null };
  });
}

type Merchandise = Extract<AssetInstance, { kind: 'merchandise' }>;
type Product = Extract<AssetInstance, { kind: 'product' }>;

/** The columns that merchandise and products share. */
interface InstanceRow {
  id: string;
  crm_product_id: string;
  bought_by_order_id: LicenseOrderId;
  /** The order whose grant it belongs to. */
  license_order_id: LicenseOrderId;
  order_source_id: LicenseOrderId | null;
  created_time: Date;
}

async function readPage<Row extends InstanceRow>(
  trx: Trx,
  table: 'merchandise_instance' | 'product_instance',
  { assetId, afterId, limit }: { assetId: AssetId; afterId: string; limit: number },
  columns: RawBuilder<unknown>,
): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select instance.id, crm_product_id, instance.created_time, instance.license_order_id as bought_by_order_id,
      coalesce(held_by_order_id, instance.license_order_id) as license_order_id,
      bought.src_license_order_id as order_source_id, ${columns}
    from (
      select * from ${sql.table(table)}
      where asset_id = ${assetId} and revoked_time is null and id > ${afterId} order by id limit ${limit}
    ) as instance
    join license_order as bought on bought.id = instance.license_order_id
    order by instance.id`.execute(trx);
  return rows;
}

async function readMerchandises(trx: Trx, assetId: AssetId, afterId: string, limit: number): Promise<Merchandise[]> {
  const rows = await readPage<InstanceRow & MerchandiseRow>(
    trx,
    'merchandise_instance',
    { assetId, afterId, limit },
    sql`parent_id, merchandise_num, merchandise_name, time_duration_expression`,
  );
  return rows.map((row) => ({
    ...instanceFields(row),
    kind: 'merchandise' as const,
    parentId: row.parent_id,
    srcLicenseOrderId: row.order_source_id,
    timeDurationExpression: row.time_duration_expression,
    merchandiseNum: row.merchandise_num,
    merchandiseName: row.merchandise_name,
  }));
}

async function readProducts(trx: Trx, assetId: AssetId, afterId: string, limit: number): Promise<Product[]> {
  const rows = await readPage<InstanceRow & ProductRow & { fields: { featureCount: number } }>(
    trx,
    'product_instance',
    { assetId, afterId, limit },
    sql`merchandise_id, instance.limit_start_date, instance.limit_end_date, limit_concurrent,
      instance.src_license_order_id, (
        select all_fields || jsonb_build_object(
          'productFeatures', jsonb_path_query_array(all_fields, ${`$.productFeatures[0 to ${MAX_FEATURES - 1}]`}::jsonpath),
          'featureCount', coalesce(jsonb_array_length(all_fields -> 'productFeatures'), 0)
        )
        from (select ${sql.raw(ofTerms('fields'))}::jsonb as all_fields) as terms
      ) as fields`,
  );
  return rows.map((row) => ({
    ...instanceFields(row),
    kind: 'product' as const,
    parentId: row.merchandise_id,
    srcLicenseOrderId: row.src_license_order_id ?? row.order_source_id,
    timeDurationExpression: row.fields.timeDurationExpression ?? null,
    productUri: row.fields.productUri,
    productName: row.fields.productName,
    gmsPid: row.fields.gmsPid ?? '',
    appKey: row.fields.appKey ?? '',
    limitStartDate: parseBigint(row.limit_start_date),
    limitEndDate: parseBigint(row.limit_end_date),
    limitConcurrent: row.limit_concurrent,
    limitTimeDuration: row.fields.limitTimeDuration ?? 0,
    trial: row.fields.trial === 1,
    trialEndDate: row.fields.trialEndDate ?? null,
    features: (row.fields.productFeatures ?? []).map(({ featureCode, featureName, featureValue }) => ({
      featureCode,
      featureName,
      featureValue,
    })),
    featureCount: row.fields.featureCount,
  }));
}

function instanceFields(row: InstanceRow) {
  return {
    id: row.id,
    crmProductId: row.crm_product_id,
    boughtByOrderId: row.bought_by_order_id,
    heldByOrderId: row.license_order_id,
    createdTime: row.created_time.getTime(),
  };
}
