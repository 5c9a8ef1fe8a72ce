import type { Asset, Ledger } from '@lockstep/assets';
import { type CustomerId, type LicenseOrderId, MAX_NAMED } from '@lockstep/contract';
import { insertRows, type Trx } from '@lockstep/platform';

/** What an order did to assets of a customer. */
interface Change {
  type: 'asset.transferred' | 'asset.revoked';
  /** Whose assets they were. */
  customerId: CustomerId;
  licenseOrderId: LicenseOrderId;
  /** The assets, each with its end for the customer. */
  assets: [asset: Asset, limitEndDate: number | null][];
}

/**
 * Records the transfers and revocations of assets of a stored ledger as events, one for each order, type and customer
 * (rules 6.8). Who hears of them is found when they are numbered. It does not wait for the answer.
 */
export async function recordAssetChanges(trx: Trx, { changes }: Ledger): Promise<void> {
  const found = new Map<string, Change>();
  const add = (asset: Asset, limitEndDate: number | null, change: Omit<Change, 'assets'>) => {
    const key = `${change.type} ${change.licenseOrderId} ${change.customerId}`;
    const known = found.get(key) ?? { ...change, assets: [] };
    known.assets.push([asset, limitEndDate]);
    found.set(key, known);
  };
  for (const { asset, licenseOrderId, fromCustomerId, formerEndDate } of changes.transfers) {
    add(asset, formerEndDate, { type: 'asset.transferred', customerId: fromCustomerId, licenseOrderId });
  }
  for (const asset of changes.revokedAssets) {
    const { customerId, revokedBy, limitEndDate } = asset;
    add(asset, limitEndDate, { type: 'asset.revoked', customerId, licenseOrderId: revokedBy! });
  }
  const rows = [...found.values()];
  await insertRows(trx, 'unnumbered_event', [
    ['type', 'text', rows.map(({ type }) => type)],
    ['customer_id', 'bigint', rows.map(({ customerId }) => customerId)],
    ['license_order_id', 'bigint', rows.map(({ licenseOrderId }) => licenseOrderId)],
    ['data', 'json', rows.map(showChange)],
  ]);
}

function showChange({ customerId, licenseOrderId, assets }: Change): string {
  const shown = assets
    .slice(0, MAX_NAMED)
    .map(([{ id, assetNum }, limitEndDate]) => ({ assetId: id, assetNum, limitEndDate }));
  return JSON.stringify({ customerId, licenseOrderId, assets: shown, counts: { assets: assets.length } });
}
