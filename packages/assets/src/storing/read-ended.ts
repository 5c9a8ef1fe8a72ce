import { setImmediate as giveWay } from 'node:timers/promises';
import type { AssetId, LicenseOrderId } from '@lockstep/contract';
import { arrayText, run, type Statement, type Trx } from '@lockstep/platform';
import { endingOf, revokerOf } from '../ledger/grants.ts';
import type { Asset, Ledger } from '../ledger/ledger.ts';
import { ofTerms } from '../terms.ts';

/** A product that an order revoked together with its grant. `id` is null if the plan created it. */
export interface EndedProduct {
  assetNum: string;
  id: string | null;
  productUri: string;
}

/** About how many products one statement reads: some milliseconds of the event loop. */
const ROWS_AT_ONCE = 10_000;

/** Reads the products that an order revoked with grants, by asset, oldest first, for a preview. */
export async function readEndedProducts(
  trx: Trx,
  ledger: Ledger,
  licenseOrderId: LicenseOrderId,
  assets: Iterable<Asset>,
): Promise<EndedProduct[]> {
  const ended: EndedProduct[] = [];
  for (const part of cutAt([...assets], licenseOrderId)) {
    const rows = await run(trx, readingEnded(part));
    const byAsset = Map.groupBy(rows, (row) => row.asset_id);
    for (const { asset } of part) {
      const { assetNum } = asset;
      for (const { id, product_uri: productUri } of byAsset.get(asset.id!) ?? []) {
        if (!ledger.changes.revokedProducts.has(id)) ended.push({ assetNum, id, productUri });
      }
      for (const product of asset.products) {
        if (product.id !== null || product.revokedBy !== null || revokerOf(product) !== licenseOrderId) continue;
        ended.push({ assetNum, id: null, productUri: product.productUri });
      }
    }
    await giveWay();
  }
  return ended;
}

interface EndedAsset {
  asset: Asset;
  /** The stored holders of the contents that the order revoked. */
  holderIds: LicenseOrderId[];
}

/**
 * Finds the holders on each asset whose contents the order revoked, and splits them into parts for one statement each.
 */
function cutAt(assets: readonly Asset[], licenseOrderId: LicenseOrderId): EndedAsset[][] {
  const parts: EndedAsset[][] = [];
  let rows = Number.POSITIVE_INFINITY;
  for (const asset of assets) {
    const grants = asset.grants.filter(
      (grant) => grant.stored !== null && endingOf(grant).revokedBy === licenseOrderId,
    );
    const products = grants.reduce((sum, { stored }) => sum + stored!.products, 0);
    rows += products;
    if (rows > ROWS_AT_ONCE) {
      parts.push([]);
      rows = products;
    }
    parts.at(-1)!.push({ asset, holderIds: grants.map((grant) => grant.licenseOrderId) });
  }
  return parts;
}

interface EndedRow {
  asset_id: AssetId;
  id: string;
  product_uri: string;
}

const readingEnded = (ended: readonly EndedAsset[]): Statement<EndedRow> => {
  const pairs = ended.flatMap(({ asset, holderIds }) => holderIds.map((holderId) => [asset.id, holderId] as const));
  return {
    name: 'read_ended_products',
    text: `
      select product.asset_id, id, ${ofTerms('product_uri')} as product_uri
      from unnest($1::bigint[], $2::bigint[]) as ended (asset_id, holder_id)
      join product_instance as product on product.asset_id = ended.asset_id
        and coalesce(held_by_order_id, license_order_id) = ended.holder_id
      where product.asset_id = any ((select $3::bigint[])::bigint[]) and revoked_time is null
      order by license_order_id, id`,
    values: [
      arrayText(
        'bigint',
        pairs.map(([assetId]) => assetId),
      ),
      arrayText(
        'bigint',
        pairs.map(([, holderId]) => holderId),
      ),
      arrayText(
        'bigint',
        ended.map(({ asset }) => asset.id),
      ),
    ],
  };
};
