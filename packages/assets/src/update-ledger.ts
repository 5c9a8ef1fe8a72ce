import type { AssetId, LicenseOrderId } from '@lockstep/contract';
import { buildRows, sendAhead, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import type { Asset, LedgerChanges } from './ledger.ts';

/** Now, for a row that is there already: not before it was created, even if the clock was set back since. */
export const NOW = sql<Date>`greatest(created_time, statement_timestamp())`;

/** Stores which order stands for products or merchandises from now on: the one that transferred their asset. */
export async function updateHolders(
  trx: Trx,
  table: 'merchandise_instance' | 'product_instance',
  held: readonly { id: string; heldBy: LicenseOrderId }[],
): Promise<void> {
  const rows = buildRows([
    ['id', 'bigint', held.map(({ id }) => id)],
    ['order_id', 'bigint', held.map(({ heldBy }) => heldBy)],
  ]);
  await sendAhead(
    trx,
    `hold_${table}`,
    sql`
    update ${sql.table(table)} as instance set held_by_order_id = held.order_id, updated_time = ${NOW}
    from ${rows} as held (id, order_id) where instance.id = held.id`,
  );
}

/** Revokes rows, each by its order. */
export async function revokeRows(
  trx: Trx,
  table: 'asset' | 'merchandise_instance' | 'product_instance',
  revoked: readonly { id: string; revokedBy: LicenseOrderId | null }[],
): Promise<void> {
  const rows = buildRows([
    ['id', 'bigint', revoked.map(({ id }) => id)],
    ['order_id', 'bigint', revoked.map(({ revokedBy }) => revokedBy)],
  ]);
  await sendAhead(
    trx,
    `revoke_${table}`,
    sql`
    update ${sql.table(table)} as instance
    set revoked_time = ${NOW}, revoked_by_order_id = revoked.order_id, updated_time = ${NOW}
    from ${rows} as revoked (id, order_id) where instance.id = revoked.id`,
  );
}

/** Revokes grants, each by its order. */
export async function revokeGrants(
  trx: Trx,
  revoked: readonly LedgerChanges['revokedGrants'][number][],
): Promise<void> {
  const grants = buildRows([
    ['asset_id', 'bigint', revoked.map((effect) => effect.asset.id)],
    ['license_order_id', 'bigint', revoked.map((effect) => effect.grant.licenseOrderId)],
    ['order_id', 'bigint', revoked.map((effect) => effect.grant.revokedBy)],
  ]);
  await sendAhead(
    trx,
    'revoke_grants',
    sql`
    update asset_grant set revoked_time = ${NOW}, revoked_by_order_id = revoked.order_id
    from ${grants} as revoked (asset_id, license_order_id, order_id)
    where asset_grant.asset_id = revoked.asset_id
      and asset_grant.license_order_id = revoked.license_order_id`,
  );
}

/** Stores assets as they are now. */
export async function updateAssets(trx: Trx, changed: readonly Asset[]): Promise<void> {
  const rows = buildRows([
    ['id', 'bigint', changed.map((asset) => asset.id)],
    ['customer_id', 'bigint', changed.map((asset) => asset.customerId)],
    ['limit_start_date', 'bigint', changed.map((asset) => asset.limitStartDate)],
    ['limit_end_date', 'bigint', changed.map((asset) => asset.limitEndDate)],
    ['borrowed_usb_key', 'boolean', changed.map((asset) => asset.borrowedUsbKey)],
    ['extends', 'jsonb', changed.map((asset) => JSON.stringify(asset.extends))],
  ]);
  await sendAhead(
    trx,
    'update_assets',
    sql`
    update asset set customer_id = c.customer_id, limit_start_date = c.limit_start_date,
      limit_end_date = c.limit_end_date, borrowed_usb_key = c.borrowed_usb_key, extends = c.extends,
      updated_time = ${NOW}
    from ${rows} as c (id, customer_id, limit_start_date, limit_end_date, borrowed_usb_key, extends)
    where asset.id = c.id`,
  );
}

/** Takes assets from whoever holds them: ends their assignment, their lending, and what is lent into them as locks. */
export async function releaseAssets(trx: Trx, ids: readonly AssetId[]): Promise<void> {
  if (ids.length === 0) return;
  await sendAhead(
    trx,
    'end_lendings',
    sql`
    delete from asset_lending
    where asset_id = any (${ids}::bigint[]) or lock_asset_id = any (${ids}::bigint[])`,
  );
  await sendAhead(trx, 'end_assignments', sql`delete from asset_assignment where asset_id = any (${ids}::bigint[])`);
}
