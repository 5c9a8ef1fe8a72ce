import type { Database } from '@lockstep/platform';
import { sql } from 'kysely';
import type { AnyRow } from '../harness/databases/tables.ts';
import type { AssetValue, MerchandiseValue, ProductValue } from './ledger-value.ts';

/** Reads all assets whose numbers have the prefix, active and revoked, with everything they ever held. */
export async function readLedger(db: Database, numberPrefix: string): Promise<AssetValue[]> {
  const ofPrefix = sql<boolean>`asset_num like ${`${numberPrefix}%`}`;
  const ofAssets = sql<boolean>`asset_id in (select id from asset where ${ofPrefix})`;
  const [assets, transfers, grants, merchandises, products] = await Promise.all([
    db.selectFrom('asset').selectAll().where(ofPrefix).execute(),
    db.selectFrom('asset_transfer').selectAll().where(ofAssets).execute().then(byAsset),
    db.selectFrom('asset_grant').selectAll().where(ofAssets).execute().then(byAsset),
    db.selectFrom('merchandise_instance').selectAll().where(ofAssets).execute().then(byAsset),
    db
      .selectFrom('product_instance')
      .innerJoin('product_terms', 'product_terms.id', 'terms_id')
      .selectAll('product_instance')
      .select('product_uri')
      .where(ofAssets)
      .execute()
      .then(byAsset),
  ]);
  return assets.map((asset): AssetValue => {
    const productsIn = (merchandiseId: string | null) =>
      (products.get(asset.id) ?? []).filter((each) => each.merchandise_id === merchandiseId).map(productValue);
    const merchandisesIn = (parentId: string | null): MerchandiseValue[] =>
      (merchandises.get(asset.id) ?? [])
        .filter(({ parent_id }) => parent_id === parentId)
        .map((each) => ({
          order: each.license_order_id,
          heldBy: each.held_by_order_id ?? each.license_order_id,
          merchandiseNum: each.merchandise_num,
          revokedBy: each.revoked_by_order_id,
          products: productsIn(each.id),
          children: merchandisesIn(each.id),
        }));
    return {
      assetNum: asset.asset_num,
      customer: asset.customer_id,
      licenseType: asset.license_type,
      start: numberOf(asset.limit_start_date),
      end: numberOf(asset.limit_end_date),
      borrowed: asset.borrowed_usb_key,
      stopped: asset.locked ? 'locked' : asset.freezing ? 'frozen' : null,
      extendCodes: asset.extends ?? {},
      revokedBy: asset.revoked_by_order_id,
      transfers: (transfers.get(asset.id) ?? []).map((each) => {
        return { order: each.license_order_id, from: each.from_customer_id, to: each.to_customer_id };
      }),
      grants: (grants.get(asset.id) ?? []).map((each) => {
        return { order: each.license_order_id, revokedBy: each.revoked_by_order_id };
      }),
      products: productsIn(null),
      merchandises: merchandisesIn(null),
    };
  });
}

function productValue(product: AnyRow): ProductValue {
  return {
    order: product.license_order_id,
    heldBy: product.held_by_order_id ?? product.license_order_id,
    productUri: product.product_uri,
    start: numberOf(product.limit_start_date),
    end: numberOf(product.limit_end_date),
    concurrent: product.limit_concurrent,
    source: product.src_license_order_id,
    revokedBy: product.revoked_by_order_id,
  };
}

function byAsset(rows: readonly AnyRow[]): Map<string, AnyRow[]> {
  return Map.groupBy(rows, ({ asset_id }) => asset_id as string);
}

const numberOf = (value: string | null) => (value === null ? null : Number(value));
