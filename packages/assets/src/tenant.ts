import type { Viewer } from '@lockstep/contract';
import { customersOf, selectCustomers } from '@lockstep/customers';
import type { Database, Trx } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';

/**
 * The tenant boundary for assets. Calls find assets only through this file, where every query includes the channels
 * that the caller is bound to: assets of other channels do not exist for it (rules 2). A lint rule
 * (packages/customers/tenant.grit) keeps other files from selecting them. For the effects of orders, the planner checks
 * the channels.
 */

type Scope = Pick<Viewer, 'channels'>;

/** Starts a query on the active assets that a viewer can see. */
export function selectAssets(db: Database | Trx, viewer: Scope) {
  return selectAllAssets(db, viewer).where('asset.revoked_time', 'is', null);
}

/** Starts a query on the revoked assets that a viewer can see, by their last owner. */
export function selectRevokedAssets(db: Database | Trx, viewer: Scope) {
  return selectAllAssets(db, viewer).where('asset.revoked_time', 'is not', null);
}

/** Starts a query on the active and revoked assets that a viewer can see. */
export function selectAllAssets(db: Database | Trx, viewer: Scope) {
  return db
    .selectFrom('asset')
    .$if(viewer.channels !== null, (all) =>
      all.where('asset.customer_id', 'in', selectCustomers(db, viewer).select('customer.id')),
    );
}

/** For a FROM clause: the active and revoked assets that a viewer can see. */
export function assetsOf(viewer: Scope): RawBuilder<unknown> {
  if (viewer.channels === null) return sql`asset`;
  return sql`(select * from asset where customer_id in (select id from ${customersOf(viewer)} as customer))`;
}

/** The assets of all channels, for queries whose other parts say what is visible. */
export const ALL_ASSETS = assetsOf({ channels: null });

/**
 * Returns the numbers that the caller cannot see, because the active asset of the number, or else the one revoked last,
 * belongs to a customer of another channel. Omits numbers that never belonged to an asset.
 */
export async function findNumbersOfOtherChannels(
  trx: Trx,
  { channels }: Scope,
  assetNums: readonly string[],
): Promise<Set<string>> {
  if (channels === null || assetNums.length === 0) return new Set();
  const { rows } = await sql<{ asset_num: string }>`
    select named.asset_num from unnest(${[...new Set(assetNums)]}::text[]) as named (asset_num)
    cross join lateral (
      (select customer_id from asset where asset.asset_num = named.asset_num and revoked_time is null)
      union all
      (
        select customer_id from asset where asset.asset_num = named.asset_num and revoked_time is not null
        order by revoked_time desc limit 1
      )
      limit 1
    ) as newest
    join customer on customer.id = newest.customer_id
    where channel_code <> all (${[...channels]}::text[])`.execute(trx);
  return new Set(rows.map((row) => row.asset_num));
}
