import type { AssetId, LicenseOrderId } from '@lockstep/contract';
import { bigintArray, type Statement } from '@lockstep/platform';
import { ABOVE_ALL } from '../../ids.ts';
import { createGrant, type Numbers } from '../../ledger/grants.ts';
import type { Asset } from '../../ledger/ledger.ts';

/** The contents that an order holds on an asset; null for those of all orders. */
export interface HeldContents {
  asset: Asset;
  source: LicenseOrderId | null;
}

export interface GrantRow {
  place: number;
  asset_id: AssetId;
  license_order_id: LicenseOrderId;
}

/** The active grants of assets, at most a number of them: asset by asset, oldest first. */
export const grantRows = (assets: readonly Asset[], atMost: number): Statement<GrantRow> => ({
  name: 'read_grants',
  text: `
    select wanted.place::int, asset_id, license_order_id
    from unnest((select $1::bigint[])) with ordinality as wanted (id, place)
    cross join lateral (
      select asset_id, license_order_id from asset_grant
      where asset_id = wanted.id and revoked_time is null order by license_order_id offset 0
    ) as granted
    order by wanted.place limit $2`,
  values: [bigintArray(assets.map(({ id }) => id)), atMost],
});

export interface CountRow extends Numbers {
  place: number;
  holder_id: LicenseOrderId;
}

/**
 * The numbers of active products and merchandise by place and holder, of which it reads at most a number. The search by
 * holder is a range, so that one plan serves both one holder and all.
 */
export const countRows = (held: readonly HeldContents[], atMost: number): Statement<CountRow> => ({
  name: 'count_contents',
  text: `
    select place::int, holder_id, sum(product)::int as products, sum(1 - product)::int as merchandises
    from (
      select place, holder_id, product
      from unnest((select $1::bigint[]), (select $2::bigint[]), (select $3::bigint[])) with ordinality
        as wanted (asset_id, first_holder, last_holder, place)
      cross join lateral (
        ${activeOn('product_instance', 1)}
        union all
        ${activeOn('merchandise_instance', 0)}
        offset 0
      ) as active
      order by place limit $4
    ) as read
    group by place, holder_id order by 1`,
  values: [
    bigintArray(held.map(({ asset }) => asset.id)),
    bigintArray(held.map(({ source }) => source ?? 0)),
    bigintArray(held.map(({ source }) => source ?? ABOVE_ALL)),
    atMost,
  ],
});

function activeOn(table: string, product: number): string {
  return `
    select coalesce(held_by_order_id, license_order_id) as holder_id, ${product} as product from ${table} as held
    where held.asset_id = wanted.asset_id and held.revoked_time is null
      and coalesce(held_by_order_id, license_order_id) between wanted.first_holder and wanted.last_holder`;
}

/**
 * Gives assets their stored grants. Grants of what is in `counted` know how many contents they hold: by the rows, whose
 * place is that in the list.
 */
export function addGrants(
  assets: readonly Asset[],
  rows: readonly GrantRow[],
  counted: readonly HeldContents[],
  counts: readonly CountRow[],
): void {
  const keyOf = (assetId: AssetId | null, holder: LicenseOrderId | null) => `${assetId} ${holder}`;
  const all = new Set(counted.map(({ asset, source }) => keyOf(asset.id, source)));
  const numbers = new Map(
    counts
      .filter(({ place }) => place <= counted.length)
      .map((row) => [keyOf(counted[row.place - 1]!.asset.id, row.holder_id), row]),
  );
  const byAsset = Map.groupBy(rows, (row) => row.asset_id);
  for (const asset of assets) {
    asset.grants = (byAsset.get(asset.id!) ?? []).map(({ license_order_id: orderId }) => {
      const isCounted = all.has(keyOf(asset.id, null)) || all.has(keyOf(asset.id, orderId));
      const { products = 0, merchandises = 0 } = numbers.get(keyOf(asset.id, orderId)) ?? {};
      return createGrant(orderId, { counted: isCounted ? { products, merchandises } : null });
    });
    asset.areGrantsLoaded = true;
  }
}

/** How much is active on the asset with a place in a list. */
export interface ActiveRow {
  place: number;
  grants: number;
  contents: number;
}

/** The numbers of active grants, and of products and merchandise, by place. It reads at most a number of them. */
export const activeRows = (assets: readonly Asset[], atMost: number): Statement<ActiveRow> => ({
  name: 'count_active',
  text: `
    select place::int, sum(granted)::int as grants, sum(1 - granted)::int as contents
    from (
      select place, granted
      from unnest((select $1::bigint[])) with ordinality as wanted (asset_id, place)
      cross join lateral (
        ${activeIn('asset_grant', 1)}
        union all
        ${activeIn('product_instance', 0)}
        union all
        ${activeIn('merchandise_instance', 0)}
        offset 0
      ) as active
      order by place limit $2
    ) as read
    group by place order by 1`,
  values: [bigintArray(assets.map(({ id }) => id)), atMost],
});

const activeIn = (table: string, granted: number) =>
  `select ${granted} as granted from ${table} as held where held.asset_id = wanted.asset_id and held.revoked_time is null`;

/**
 * Gives assets the numbers that were read, up to `last`, where reading stopped. That of the last one may be too low.
 */
export function addActive(assets: readonly Asset[], rows: readonly ActiveRow[], last: number): void {
  const byPlace = new Map(rows.map((row) => [row.place, row]));
  for (const [index, asset] of assets.entries()) {
    const { grants = 0, contents = 0 } = byPlace.get(index + 1) ?? {};
    asset.active = index < last ? { grants, contents } : null;
  }
}
