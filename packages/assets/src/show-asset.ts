import { type AssetDetail, type Channels, Refusal } from '@lockstep/contract';
import { selectCustomers } from '@lockstep/customers';
import { type Database, inSnapshot } from '@lockstep/platform';
import { readActiveAsset, selectGrantOrders } from './active-asset.ts';
import { readContents } from './contents.ts';

/**
 * Shows the active asset of a number as it is now (rules 6.7). Products and merchandises are what was bought on it, also
 * while it is lent, when the member center shows them under the borrowed lock. A lock of another channel than the
 * caller's is not named.
 *
 * Throws a Refusal: asset_not_found.
 */
export function showAsset(db: Database, channels: Channels, assetNum: string): Promise<AssetDetail> {
  return inSnapshot(db, async (trx) => {
    const asset = await readActiveAsset(trx, channels, assetNum);
    if (asset === undefined) throw new Refusal('asset_not_found', assetNum);
    const { row, shown, lockNum } = asset;
    const customer = await selectCustomers(trx, channels)
      .select('enterprise_id')
      .where('id', '=', row.customer_id)
      .executeTakeFirstOrThrow();
    const grants = await selectGrantOrders(trx, row.id).orderBy('license_order_id').execute();
    const { productInstanceList: products, children: merchandises } = await readContents(trx, [row.id]);
    const { assetId, licenseType, customerId, ...terms } = shown;
    return {
      ...{ assetId, assetNum, licenseType, customerId, enterpriseGlobalId: customer.enterprise_id },
      ...terms,
      licenseOrderIds: grants.map(({ id }) => id),
      products,
      merchandises,
      assigned: row.member_id !== null,
      lentInto: lockNum,
    };
  });
}
