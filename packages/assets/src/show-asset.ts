import { type AssetDetail, type Channels, Refusal } from '@lockstep/contract';
import { selectCustomers } from '@lockstep/customers';
import type { Trx } from '@lockstep/platform';
import { readActiveAsset, selectGrantOrders } from './active-asset.ts';
import type { Contents } from './contents.ts';
import type { ContentsCall, ContentsReader } from './contents-reader.ts';

/** An asset, with what is on it to be read once. */
export interface ShownAsset extends Omit<AssetDetail, 'products' | 'merchandises'>, Contents {}

/**
 * Shows the active asset of a number as it is now (rules 6.7). Products and merchandises are what was bought on it,
 * also while it is lent, when the member center shows them under the borrowed lock. A lock of another channel than the
 * caller's is not named.
 *
 * Throws a Refusal: asset_not_found. Throws as ContentsReader does.
 */
export async function showAsset(
  reader: ContentsReader,
  call: ContentsCall,
  channels: Channels,
  assetNum: string,
): Promise<ShownAsset> {
  const { found, contents } = await reader.open(call, async (trx) => {
    const asset = await findAsset(trx, channels, assetNum);
    return { asset, assets: [asset] };
  });
  const { assigned, lentInto, ...asset } = found.asset;
  return { ...asset, ...contents, assigned, lentInto };
}

async function findAsset(trx: Trx, channels: Channels, wantedNum: string) {
  const asset = await readActiveAsset(trx, channels, wantedNum);
  if (asset === undefined) throw new Refusal('asset_not_found', wantedNum);
  const { row, shown, lockNum } = asset;
  const customer = await selectCustomers(trx, channels)
    .select('enterprise_id')
    .where('id', '=', row.customer_id)
    .executeTakeFirstOrThrow();
  const grants = await selectGrantOrders(trx, row.id).orderBy('license_order_id').execute();
  const { assetId, assetNum, licenseType, customerId, ...terms } = shown;
  return {
    assetId,
    assetNum,
    licenseType,
    customerId,
    enterpriseGlobalId: customer.enterprise_id,
    ...terms,
    licenseOrderIds: grants.map(({ id }) => id),
    assigned: row.member_id !== null,
    lentInto: lockNum,
  };
}
