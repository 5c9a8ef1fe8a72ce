import type {
  ApplicationId,
  AssetId,
  CustomerId,
  HistoryAction,
  HistoryEntry,
  LicenseOrderId,
  Viewer,
} from '@lockstep/contract';
import { selectCustomers } from '@lockstep/customers';
import { buildRows, inMs, prepared, type Trx } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import { ABOVE_ALL, ORDERS_PER_BATCH } from '../ids.ts';
import { assetsOf } from '../tenant.ts';

/** An asset that has or had the number. */
export interface TracedAsset {
  id: AssetId;
  /** Its owner, or its last one. */
  customerId: CustomerId;
  createdByOrderId: LicenseOrderId;
  /** Null while it is active. */
  revokedByOrderId: LicenseOrderId | null;
}

/**
 * What one order, or one call that disables, enables, freezes or unfreezes, did to one asset, with what all its entries
 * share. A step never changes. Newer steps are listed before it.
 */
export interface Step extends Omit<HistoryEntry, 'action' | 'productUri' | 'instanceId'> {
  kind: 'order' | 'lock';
  /** The id of the order or of the lock change. */
  id: string;
  /** What happened to the asset itself, as opposed to its contents; null if nothing did. */
  action: HistoryAction | null;
  /** The application that sent the batch or the lock change; null if there is none. */
  applicationId: ApplicationId | null;
  /** The owner before a transfer; null otherwise. */
  fromCustomerId: CustomerId | null;
}

/** A step as stored. It has the customer of the order; null for a lock change. */
type StepRow = Omit<Step, 'action'> & { action: Exclude<Step['action'], 'created' | 'extended'> | 'granted' };

/**
 * Reads the steps of assets that the viewer may see, in the order of the assets and newest first. Omits steps from a
 * time when the asset belonged to a channel that the viewer is not bound to. Of the requests of other applications, an
 * application sees only what they changed.
 *
 * Orders are sorted by the time of their outcome; those of one transaction share a time and are sorted by batch and
 * sequence. The rows themselves have no such order, because a transaction writes them by kind.
 */
export async function readSteps(trx: Trx, viewer: Viewer, assets: readonly TracedAsset[]): Promise<Step[]> {
  const byAsset = Map.groupBy(await selectSteps(trx, assets), (row) => row.assetId);
  const all = assets.flatMap((asset) => buildSteps(asset, byAsset.get(asset.id) ?? []).reverse());
  const customerIds = [...new Set(all.map(({ customerId }) => customerId))];
  const visible = await selectCustomers(trx, viewer)
    .select('id')
    .where(sql<boolean>`id = any (${customerIds}::bigint[])`)
    .execute();
  const visibleIds = new Set<string | null>(visible.map(({ id }) => id));
  const isOpen = ({ applicationId }: Step) => viewer.applicationId === null || applicationId === viewer.applicationId;
  return all
    .filter(({ customerId }) => visibleIds.has(customerId))
    .map((step) =>
      isOpen(step) ? step : { ...step, channelCode: null, channelOrderId: null, operatorIdentity: null },
    );
}

/** Builds the steps of one asset from its rows, oldest first. */
function buildSteps(asset: TracedAsset, rows: readonly StepRow[]): Step[] {
  // An order belongs to its customer. A lock change belongs to the owner after the order before it.
  let owner = asset.customerId;
  return rows.map((row): Step => {
    owner = row.customerId ?? owner;
    const isGrant = row.action === 'granted' || row.action === 'transferred';
    // The asset's own column tells its first order. If the clock was set back, the times of grants could not.
    const isFirst = isGrant && row.id === asset.createdByOrderId;
    return {
      ...row,
      customerId: owner,
      action: isFirst ? 'created' : row.action === 'granted' ? 'extended' : row.action,
    };
  });
}

/**
 * Selects the steps of assets, oldest first. Everything an order bought is under a grant of its own. Every lookup is by
 * row in an index: PostgreSQL's planner guesses how many rows there are, and must not scan whole tables because of
 * that.
 */
async function selectSteps(trx: Trx, assets: readonly TracedAsset[]): Promise<StepRow[]> {
  const traced = buildRows([
    ['asset_id', 'bigint', assets.map(({ id }) => id)],
    ['revoked_by', 'bigint', assets.map(({ revokedByOrderId }) => revokedByOrderId)],
  ]);
  const rows = await prepared<StepRow>(trx, 'history_steps')`
    with traced as materialized (select * from ${traced} as traced (asset_id, revoked_by)),
    touched as materialized (
      select asset_id, order_id from traced cross join lateral (
        select license_order_id as order_id from asset_grant where asset_id = traced.asset_id
        union
        select revoked_by_order_id from asset_grant
        where asset_id = traced.asset_id and revoked_time is not null
        union
        (${revokersOf('product_instance', sql`traced.asset_id`, ABOVE_ALL)})
      ) as named
    ),
    step as (
      select touched.asset_id, 'order' as kind, ordered.id, finished_time as time, batch.id as batch_id, sequence,
        case
          when transfer.asset_id is not null then 'transferred'
          when order_type = 'new_buy' then 'granted'
          when ordered.id = traced.revoked_by then 'revoked'
        end as action,
        ordered.id as license_order_id, ordered.customer_id, from_customer_id, application_id, channel_code,
        channel_order_id, null as operator_identity
      from touched join traced using (asset_id)
      cross join lateral (
        select id, order_type, customer_id, finished_time from license_order where id = touched.order_id offset 0
      ) as ordered
      left join lateral (
        select id, application_id, channel_code, channel_order_id,
          sequences[(touched.order_id % ${ORDERS_PER_BATCH}::bigint)::integer + 1] as sequence
        from batch where id = touched.order_id / ${ORDERS_PER_BATCH}::bigint offset 0
      ) as batch on true
      left join lateral (
        select asset_id, from_customer_id from asset_transfer
        where asset_id = touched.asset_id and license_order_id = touched.order_id offset 0
      ) as transfer on true
      union all
      select traced.asset_id, 'lock', entry.id, recorded_time, null, null,
        entry.action, null, null, null, application_id, null, null, operator_identity
      from traced cross join lateral (
        select id, recorded_time, action, application_id, operator_identity from lock_audit
        where asset_id = traced.asset_id offset 0
      ) as entry
    )
    select asset_id as "assetId", kind, id::text, ${inMs('time')} as time, action, license_order_id as "licenseOrderId",
      customer_id as "customerId", from_customer_id as "fromCustomerId", application_id as "applicationId",
      channel_code as "channelCode", channel_order_id as "channelOrderId", operator_identity as "operatorIdentity"
    from step order by step.time, batch_id, sequence, step.id`;
  return rows;
}

/**
 * Returns a query of the orders that revoked contents of an asset, as `id`, in descending order. `assetId`: a column of
 * the outer query. It skips from order to order in the index, regardless of how much each revoked, which may be a
 * hundred thousand rows.
 */
function revokersOf(
  table: 'asset_grant' | 'product_instance',
  assetId: RawBuilder<unknown>,
  below: LicenseOrderId,
): RawBuilder<unknown> {
  const nextBelow = (id: RawBuilder<unknown>) => sql`(
    select revoked_by_order_id from ${sql.table(table)}
    where asset_id = ${assetId} and revoked_time is not null and revoked_by_order_id < ${id}
    order by revoked_by_order_id desc limit 1
  )`;
  return sql`
    with recursive revoker (id) as (
      ${nextBelow(sql`${below}`)}
      union all
      select ${nextBelow(sql`revoker.id`)} from revoker where revoker.id is not null
    )
    select id from revoker where id is not null`;
}

const ALL_ASSETS = assetsOf({ channels: null });

/**
 * Returns a query of the orders of any sender that changed an asset with this number, active or revoked: at most
 * `limit` ids below one, in descending order.
 *
 * Each asset that ever had the number costs a few lookups, and only requested rows are read, however many contents an
 * asset has.
 */
export function ordersOfNumber(assetNum: string, below: LicenseOrderId, limit: number): RawBuilder<unknown> {
  return sql`
    select distinct did.id from (
      select id, revoked_by_order_id from ${ALL_ASSETS} where asset_num = ${assetNum} and revoked_time is null
      union all
      select id, revoked_by_order_id from ${ALL_ASSETS} where asset_num = ${assetNum} and revoked_time is not null
    ) as life cross join lateral (
      select life.revoked_by_order_id as id where life.revoked_by_order_id < ${below}
      union all
      (
        select license_order_id from asset_grant
        where asset_id = life.id and license_order_id < ${below} order by license_order_id desc limit ${limit}
      )
      union all
      (${revokersOf('asset_grant', sql`life.id`, below)} limit ${limit})
      union all
      (${revokersOf('product_instance', sql`life.id`, below)} limit ${limit})
    ) as did
    order by did.id desc limit ${limit}`;
}
