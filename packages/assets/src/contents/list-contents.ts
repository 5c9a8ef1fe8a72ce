import type { Viewer } from '@lockstep/contract';
import type { AssetInstance, ConsoleData, ConsoleRequest } from '@lockstep/contract/console';
import { type Database, inSnapshot, isId, ListCursor, parseBigint, run } from '@lockstep/platform';
import { sql } from 'kysely';
import { type Period, validityOf, withinAsset } from '../ledger/verdict.ts';
import { selectAssets } from '../tenant.ts';
import { ofTerms } from '../terms.ts';
import {
  COLUMNS,
  datesOf,
  type Kind,
  type MerchandiseRow,
  type ProductRow,
  productFields,
  readingInstances,
} from './contents.ts';
import { NOW_MS, PERIOD } from './verdict-facts.ts';

/** The most features of a product that operators see. An order may send ten thousand. */
const MAX_FEATURES = 20;
const CUT_COLUMNS = COLUMNS.product.replace(
  ofTerms('fields'),
  `(
    select fields || jsonb_build_object(
      'productFeatures', jsonb_path_query_array(fields, '$.productFeatures[0 to ${MAX_FEATURES - 1}]'),
      'featureCount', coalesce(jsonb_array_length(fields -> 'productFeatures'), 0)
    ) from (select ${ofTerms('fields')}::jsonb as fields) as terms
  )`,
);
type CutRow = ProductRow & { fields: { featureCount: number } };

const isKind = (text: string) => text === 'merchandise' || text === 'product';

/**
 * Lists the active contents of the asset with a number: merchandise first, each after its parent, then products. A page
 * costs a scan of all contents of the asset. Returns null if the viewer can see no such asset. If the number was bought
 * again since the page before, the list continues at the same position. Throws a WrongCursor.
 */
export function listContents(
  db: Database,
  viewer: Viewer,
  assetNum: string,
  { limit, cursor }: ConsoleRequest<'getAssetContents'>['query'],
): Promise<ConsoleData<'getAssetContents'> | null> {
  const cursors = new ListCursor(['assetContents', viewer.applicationId, { assetNum }], cursor, [isKind, isId]);
  const [kind, afterId] = cursors.after ?? [];
  return inSnapshot(db, async (trx) => {
    const asset = await selectAssets(trx, viewer)
      .select(['asset.id', PERIOD.as('period'), sql<number>`${NOW_MS}::float8`.as('now')])
      .where('asset_num', '=', assetNum)
      .executeTakeFirst();
    if (asset === undefined) return null;
    const page = { from: 'asset_id = $1 and id > $2 order by id limit $3', orderBy: 'instance.id' };
    const values = (of: Kind, missing: number) => [asset.id, kind === of ? afterId : '0', missing];
    const merchandises =
      kind === 'product'
        ? []
        : await run<MerchandiseRow>(
            trx,
            readingInstances('merchandise', { name: 'list_merchandises', ...page }, values('merchandise', limit + 1)),
          );
    const missing = limit + 1 - merchandises.length;
    const products = await run<CutRow>(
      trx,
      readingInstances('product', { name: 'list_products', columns: CUT_COLUMNS, ...page }, values('product', missing)),
    );
    const rows = [...merchandises.map(showMerchandise), ...products.map((row) => showProduct(row, asset))];
    const { page: instances, nextCursor } = cursors.cut(rows, limit, (last) => [last.kind, last.id]);
    return { instances, nextCursor };
  });
}

const instanceFields = (row: MerchandiseRow | ProductRow) => ({
  id: row.id,
  crmProductId: row.crm_product_id,
  boughtByOrderId: row.license_order_id,
  heldByOrderId: row.holder_id,
  createdTime: row.created_time.getTime(),
});

const showMerchandise = (row: MerchandiseRow): AssetInstance => ({
  ...instanceFields(row),
  kind: 'merchandise',
  parentId: row.parent_id,
  srcLicenseOrderId: row.order_source_id,
  timeDurationExpression: row.time_duration_expression,
  merchandiseNum: row.merchandise_num,
  merchandiseName: row.merchandise_name,
});

const showProduct = (row: CutRow, { period, now }: { period: Period; now: number }): AssetInstance => ({
  ...instanceFields(row),
  ...productFields(row),
  kind: 'product',
  parentId: row.merchandise_id,
  limitStartDate: parseBigint(row.limit_start_date),
  limitEndDate: parseBigint(row.limit_end_date),
  validity: validityOf(withinAsset(datesOf(row), period), now),
  trial: row.fields.trial === 1,
  features: (row.fields.productFeatures ?? []).map(({ featureCode, featureName, featureValue }) => ({
    featureCode,
    featureName,
    featureValue,
  })),
  featureCount: row.fields.featureCount,
});
