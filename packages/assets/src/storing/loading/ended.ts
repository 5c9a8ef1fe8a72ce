import type { AssetId, LicenseOrderId } from '@lockstep/contract';
import { bigintArray, run, type Statement, type Trx } from '@lockstep/platform';
import { endingOf, revokerOf } from '../../ledger/grants.ts';
import type { Asset, Ledger } from '../../ledger/ledger.ts';
import { ofTerms } from '../../terms.ts';

/** A product that an order revoked together with its grant. `id` is null if the plan created it. */
export interface EndedProduct {
  assetNum: string;
  id: string | null;
  productUri: string;
}

/** Reads the products that an order revoked with grants, by asset, oldest first, for a preview. */
export async function readEndedProducts(
  trx: Trx,
  ledger: Ledger,
  licenseOrderId: LicenseOrderId,
  assets: Iterable<Asset>,
): Promise<EndedProduct[]> {
  const named = [...assets];
  const holders = named.flatMap((asset): EndedHolder[] =>
    asset.grants
      .filter((grant) => grant.stored !== null && endingOf(grant).revokedBy === licenseOrderId)
      .map((grant) => ({ asset, holderId: grant.licenseOrderId })),
  );
  const byAsset = Map.groupBy(await run(trx, endedRows(holders)), (row) => row.asset_id);
  return named.flatMap((asset) => {
    const stored = (byAsset.get(asset.id!) ?? []).filter(({ id }) => !ledger.changes.revokedProducts.has(id));
    const created = asset.products.filter(
      (product) => product.id === null && product.revokedBy === null && revokerOf(product) === licenseOrderId,
    );
    return [
      ...stored.map(({ id, product_uri: productUri }) => ({ assetNum: asset.assetNum, id, productUri })),
      ...created.map(({ productUri }) => ({ assetNum: asset.assetNum, id: null, productUri })),
    ];
  });
}

/** The stored holder of contents that the order revoked. */
interface EndedHolder {
  asset: Asset;
  holderId: LicenseOrderId;
}

interface EndedRow {
  asset_id: AssetId;
  id: string;
  product_uri: string;
}

const endedRows = (holders: readonly EndedHolder[]): Statement<EndedRow> => ({
  name: 'read_ended_products',
  text: `
    select product.asset_id, id, ${ofTerms('product_uri')} as product_uri
    from unnest($1::bigint[], $2::bigint[]) as ended (asset_id, holder_id)
    join product_instance as product on product.asset_id = ended.asset_id
      and coalesce(held_by_order_id, license_order_id) = ended.holder_id
    where product.asset_id = any ((select $3::bigint[])::bigint[]) and revoked_time is null
    order by license_order_id, id`,
  values: [
    bigintArray(holders.map(({ asset }) => asset.id)),
    bigintArray(holders.map(({ holderId }) => holderId)),
    bigintArray([...new Set(holders.map(({ asset }) => asset.id))]),
  ],
});
