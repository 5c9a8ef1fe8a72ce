import type { AssetId, LicenseOrderId } from '@lockstep/contract';
import { arrayText, send, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import type { Asset, LedgerChanges } from './ledger.ts';

/** SQL for now, for a row that is there already: not before it was created, even if the clock was set back since. */
const NOW_TEXT = 'greatest(created_time, statement_timestamp())';
export const NOW = sql.raw<Date>(NOW_TEXT);

// Statements that update find their rows by `any`, and so in the index, whatever the size of the table when they were planned.

/** Stores which order stands for products or merchandises from now on: the one that transferred their asset. */
export async function updateHolders(
  trx: Trx,
  table: 'merchandise_instance' | 'product_instance',
  held: readonly { id: string; heldBy: LicenseOrderId }[],
): Promise<void> {
  await send(trx, {
    name: `hold_${table}`,
    text: `
      update ${table} as instance set held_by_order_id = held.order_id, updated_time = ${NOW_TEXT}
      from unnest($1::bigint[], $2::bigint[]) as held (id, order_id)
      where instance.id = any ((select $1::bigint[])::bigint[]) and instance.id = held.id`,
    values: [bigints(held.map(({ id }) => id)), bigints(held.map(({ heldBy }) => heldBy))],
  });
}

/** Revokes rows, each by its order. */
export async function revokeRows(
  trx: Trx,
  table: 'asset' | 'merchandise_instance' | 'product_instance',
  revoked: readonly { id: string; revokedBy: LicenseOrderId | null }[],
): Promise<void> {
  await send(trx, {
    name: `revoke_${table}`,
    text: `
      update ${table} as instance
      set revoked_time = ${NOW_TEXT}, revoked_by_order_id = revoked.order_id, updated_time = ${NOW_TEXT}
      from unnest($1::bigint[], $2::bigint[]) as revoked (id, order_id)
      where instance.id = any ((select $1::bigint[])::bigint[]) and instance.id = revoked.id`,
    values: [bigints(revoked.map(({ id }) => id)), bigints(revoked.map(({ revokedBy }) => revokedBy))],
  });
}

/** Revokes grants, each by its order. */
export async function revokeGrants(
  trx: Trx,
  revoked: readonly LedgerChanges['revokedGrants'][number][],
): Promise<void> {
  await send(trx, {
    name: 'revoke_grants',
    text: `
      update asset_grant set revoked_time = ${NOW_TEXT}, revoked_by_order_id = revoked.order_id
      from unnest($1::bigint[], $2::bigint[], $3::bigint[]) as revoked (asset_id, license_order_id, order_id)
      where asset_grant.asset_id = any ((select $1::bigint[])::bigint[]) and asset_grant.asset_id = revoked.asset_id
        and asset_grant.license_order_id = revoked.license_order_id`,
    values: [
      bigints(revoked.map(({ asset }) => asset.id)),
      bigints(revoked.map(({ grant }) => grant.licenseOrderId)),
      bigints(revoked.map(({ grant }) => grant.revokedBy)),
    ],
  });
}

/** Stores assets as they are now. */
export async function updateAssets(trx: Trx, changed: readonly Asset[]): Promise<void> {
  await send(trx, {
    name: 'update_assets',
    text: `
      update asset set customer_id = c.customer_id, limit_start_date = c.limit_start_date,
        limit_end_date = c.limit_end_date, borrowed_usb_key = c.borrowed_usb_key, extends = c.extends,
        updated_time = ${NOW_TEXT}
      from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::boolean[], $6::jsonb[])
        as c (id, customer_id, limit_start_date, limit_end_date, borrowed_usb_key, extends)
      where asset.id = any ((select $1::bigint[])::bigint[]) and asset.id = c.id`,
    values: [
      bigints(changed.map((asset) => asset.id)),
      bigints(changed.map((asset) => asset.customerId)),
      bigints(changed.map((asset) => asset.limitStartDate)),
      bigints(changed.map((asset) => asset.limitEndDate)),
      arrayText(
        'boolean',
        changed.map((asset) => asset.borrowedUsbKey),
      ),
      arrayText(
        'jsonb',
        changed.map((asset) => JSON.stringify(asset.extends)),
      ),
    ],
  });
}

/** Takes assets from whoever holds them: ends their assignment, their lending, and what is lent into them as locks. */
export async function releaseAssets(trx: Trx, ids: readonly AssetId[]): Promise<void> {
  if (ids.length === 0) return;
  const values = [bigints(ids)];
  await send(trx, {
    name: 'end_lendings',
    text: 'delete from asset_lending where asset_id = any ((select $1::bigint[])::bigint[]) or lock_asset_id = any ((select $1::bigint[])::bigint[])',
    values,
  });
  await send(trx, {
    name: 'end_assignments',
    text: 'delete from asset_assignment where asset_id = any ((select $1::bigint[])::bigint[])',
    values,
  });
}

const bigints = (values: readonly unknown[]) => arrayText('bigint', values);
