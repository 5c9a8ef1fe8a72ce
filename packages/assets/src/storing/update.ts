import type { AssetId, LicenseOrderId } from '@lockstep/contract';
import { arrayText, send, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { endingOf, type Grant, heldBy, numbersOf } from '../ledger/grants.ts';
import type { Asset, MerchandiseInstance, ProductInstance } from '../ledger/ledger.ts';
import { writeExtends } from './insert.ts';

/**
 * SQL for the time of a change to a stored row: never before its creation, even if the clock was set back. It is the
 * statement's time; the transaction's would precede its locks, and so the changes that it waited for.
 */
const NOW_TEXT = 'greatest(created_time, statement_timestamp())';
export const NOW = sql.raw<Date>(NOW_TEXT);

// Updates find their rows by `any`, and so through the index, whatever the size of the table when they were planned.
// Its array has each asset once: PostgreSQL may scan it for each row of the others, and an asset may have 10,000
// grants.

/**
 * Stores revoked products, each with its order. If an order had taken the product over, that order stays its holder.
 */
export async function revokeProducts(trx: Trx, revoked: readonly ProductInstance[]): Promise<void> {
  await send(trx, {
    name: 'revoke_products',
    text: `
      update product_instance as product set held_by_order_id = coalesce(revoked.held_by, held_by_order_id),
        revoked_time = ${NOW_TEXT}, revoked_by_order_id = revoked.order_id, updated_time = ${NOW_TEXT}
      from unnest($1::bigint[], $2::bigint[], $3::bigint[]) as revoked (id, held_by, order_id)
      where product.id = any ((select $1::bigint[])::bigint[]) and product.id = revoked.id`,
    values: [
      bigints(revoked.map(({ id }) => id)),
      bigints(revoked.map(holderSince)),
      bigints(revoked.map(({ revokedBy }) => revokedBy)),
    ],
  });
}

/** Stores merchandise that was revoked by itself or has fewer contents. */
export async function updateMerchandises(trx: Trx, changed: readonly MerchandiseInstance[]): Promise<void> {
  await send(trx, {
    name: 'update_merchandises',
    text: `
      update merchandise_instance as merchandise set active_contents = changed.active_contents,
        held_by_order_id = coalesce(changed.held_by, held_by_order_id),
        revoked_time = case when changed.revoked_by is not null then ${NOW_TEXT} end,
        revoked_by_order_id = changed.revoked_by,
        updated_time = case when changed.revoked_by is not null then ${NOW_TEXT} else updated_time end
      from unnest($1::bigint[], $2::integer[], $3::bigint[], $4::bigint[])
        as changed (id, active_contents, held_by, revoked_by)
      where merchandise.id = any ((select $1::bigint[])::bigint[]) and merchandise.id = changed.id`,
    values: [
      bigints(changed.map(({ id }) => id)),
      arrayText(
        'integer',
        changed.map(({ activeContents }) => activeContents),
      ),
      bigints(changed.map((merchandise) => (merchandise.revokedBy === null ? null : holderSince(merchandise)))),
      bigints(changed.map(({ revokedBy }) => revokedBy)),
    ],
  });
}

/** Returns the order that has taken over a stored instance since it was loaded; null if none has. */
function holderSince(instance: ProductInstance | MerchandiseInstance): LicenseOrderId | null {
  const holderId = heldBy(instance);
  return holderId === instance.storedHeldBy ? null : holderId;
}

/** Stores what happened to the remaining contents of ended grants: an order took them over, revoked them, or both. */
export async function updateContents(
  trx: Trx,
  table: 'merchandise_instance' | 'product_instance',
  ended: readonly { asset: Asset; grant: Grant }[],
): Promise<void> {
  const endings = ended.map(({ grant }) => endingOf(grant));
  await send(trx, {
    name: `update_contents_${table}`,
    text: `
      update ${table} as instance set
        held_by_order_id = coalesce(ending.held_by, held_by_order_id),
        ${table === 'merchandise_instance' ? 'active_contents = case when ending.revoked_by is null then active_contents else 0 end,' : ''}
        revoked_time = case when ending.revoked_by is not null then ${NOW_TEXT} end,
        revoked_by_order_id = ending.revoked_by,
        updated_time = ${NOW_TEXT}
      from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[])
        as ending (asset_id, holder_id, held_by, revoked_by)
      where instance.asset_id = any ((select $5::bigint[])::bigint[]) and revoked_time is null
        and instance.asset_id = ending.asset_id and coalesce(held_by_order_id, license_order_id) = ending.holder_id`,
    values: [
      bigints(ended.map(({ asset }) => asset.id)),
      bigints(ended.map(({ grant }) => grant.licenseOrderId)),
      bigints(
        endings.map((ending, index) => (ending.heldBy === ended[index]!.grant.licenseOrderId ? null : ending.heldBy)),
      ),
      bigints(endings.map(({ revokedBy }) => revokedBy)),
      bigints(onceEach(ended)),
    ],
  });
}

/** Stores grants that were revoked, each with its order, or have fewer contents. */
export async function updateGrants(trx: Trx, changed: readonly { asset: Asset; grant: Grant }[]): Promise<void> {
  const numbers = changed.map(({ grant }) => numbersOf(grant));
  await send(trx, {
    name: 'update_grants',
    text: `
      update asset_grant set active_products = changed.products, active_merchandises = changed.merchandises,
        revoked_time = case when changed.revoked_by is not null then ${NOW_TEXT} end,
        revoked_by_order_id = changed.revoked_by
      from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::integer[], $5::integer[])
        as changed (asset_id, license_order_id, revoked_by, products, merchandises)
      where asset_grant.asset_id = any ((select $6::bigint[])::bigint[]) and asset_grant.asset_id = changed.asset_id
        and asset_grant.license_order_id = changed.license_order_id`,
    values: [
      bigints(changed.map(({ asset }) => asset.id)),
      bigints(changed.map(({ grant }) => grant.licenseOrderId)),
      bigints(changed.map(({ grant }) => grant.revokedBy)),
      arrayText(
        'integer',
        numbers.map(({ products }) => products),
      ),
      arrayText(
        'integer',
        numbers.map(({ merchandises }) => merchandises),
      ),
      bigints(onceEach(changed)),
    ],
  });
}

/** Returns the ids of the assets of grants. */
const onceEach = (grants: readonly { asset: Asset }[]) => [...new Set(grants.map(({ asset }) => asset.id))];

/** Stores revoked assets, each with its order. Their contents are no longer active. */
export async function revokeAssets(trx: Trx, revoked: readonly Asset[]): Promise<void> {
  await send(trx, {
    name: 'revoke_assets',
    text: `
      update asset set revoked_time = ${NOW_TEXT}, revoked_by_order_id = revoked.order_id, updated_time = ${NOW_TEXT},
        active_grants = 0, active_products = 0, active_merchandises = 0
      from unnest($1::bigint[], $2::bigint[]) as revoked (id, order_id)
      where asset.id = any ((select $1::bigint[])::bigint[]) and asset.id = revoked.id`,
    values: [bigints(revoked.map(({ id }) => id)), bigints(revoked.map(({ revokedBy }) => revokedBy))],
  });
}

/** Stores the counts of active contents. Nothing else has changed, so updated_time stays. */
export async function updateNumbers(trx: Trx, counted: readonly Asset[]): Promise<void> {
  await send(trx, {
    name: 'update_asset_numbers',
    text: `
      update asset set active_grants = n.grants, active_products = n.products, active_merchandises = n.merchandises
      from unnest($1::bigint[], $2::integer[], $3::integer[], $4::integer[]) as n (id, grants, products, merchandises)
      where asset.id = any ((select $1::bigint[])::bigint[]) and asset.id = n.id`,
    values: [bigints(counted.map(({ id }) => id)), ...numberArrays(counted)],
  });
}

/** Stores changed assets. Extended attributes are added to the stored ones or replace them. */
export async function updateAssets(trx: Trx, changed: readonly Asset[]): Promise<void> {
  await send(trx, {
    name: 'update_assets',
    text: `
      update asset set customer_id = c.customer_id, limit_start_date = c.limit_start_date,
        limit_end_date = c.limit_end_date, borrowed_usb_key = c.borrowed_usb_key,
        extends = coalesce(asset.extends || c.extends, c.extends, asset.extends),
        active_grants = c.grants, active_products = c.products, active_merchandises = c.merchandises,
        updated_time = ${NOW_TEXT}
      from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::boolean[], $6::jsonb[],
        $7::integer[], $8::integer[], $9::integer[])
        as c (id, customer_id, limit_start_date, limit_end_date, borrowed_usb_key, extends, grants, products, merchandises)
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
      arrayText('jsonb', changed.map(writeExtends)),
      ...numberArrays(changed),
    ],
  });
}

/** Releases assets: ends their assignments, their loans, and loans into them as locks. */
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

const numberArrays = (assets: readonly Asset[]) =>
  (['grants', 'products', 'merchandises'] as const).map((kind) =>
    arrayText(
      'integer',
      assets.map(({ active }) => active[kind]),
    ),
  );

const bigints = (values: readonly unknown[]) => arrayText('bigint', values);
