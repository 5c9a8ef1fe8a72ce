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
import { ALL_ASSETS, assetsOf } from '../tenant.ts';

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
 * What one order, or one call that disables, enables, freezes or unfreezes, did to one asset, or the beginning or end
 * of a holding, with what all its entries share. A step never changes. Newer steps are listed before it.
 */
export interface Step extends Omit<HistoryEntry, 'action' | 'productUri' | 'instanceId'> {
  kind: 'order' | 'lock' | 'began' | 'ended';
  /** The id of the order, of the lock change or of the holding. */
  id: string;
  /** What happened to the asset itself, as opposed to its contents; null if nothing did. */
  action: HistoryAction | null;
  /** The application that sent the batch or the lock change; null if there is none. */
  applicationId: ApplicationId | null;
  /** The owner before a transfer; null otherwise. */
  fromCustomerId: CustomerId | null;
}

/** A step as stored. It has the customer of the order; null for a lock change or a holding. */
type StepRow = Omit<Step, 'action'> & { action: Exclude<Step['action'], 'created' | 'extended'> | 'granted' };

/**
 * Reads the steps of assets that the viewer may see, in the order of the assets and newest first. Omits steps from a
 * time when the asset belonged to a channel that the viewer is not bound to. Of the requests of other applications, an
 * application sees only what they changed.
 *
 * Orders are sorted by the time of their outcome; those of one transaction share a time and are sorted by batch and
 * sequence. The rows themselves have no such order, because a transaction writes them by kind. A holding that an order
 * ended ends just before that order: it was the former owner's.
 */
export async function readSteps(trx: Trx, viewer: Viewer, assets: readonly TracedAsset[]): Promise<Step[]> {
  const byAsset = Map.groupBy(await selectSteps(trx, viewer, assets), (row) => row.assetId);
  const all = assets.flatMap((asset) => buildSteps(asset, byAsset.get(asset.id) ?? []).reverse());
  const customerIds = [...new Set(all.map(({ customerId }) => customerId))];
  const visible = await selectCustomers(trx, viewer)
    .select('id')
    .where(sql<boolean>`id = any (${customerIds}::bigint[])`)
    .execute();
  const visibleIds = new Set<string | null>(visible.map(({ id }) => id));
  const isOpen = ({ applicationId, channelCode }: Step) =>
    viewer.applicationId === null
      ? viewer.channels === null || channelCode === null || viewer.channels.includes(channelCode)
      : applicationId === viewer.applicationId;
  return all
    .filter(({ customerId }) => visibleIds.has(customerId))
    .map((step) =>
      isOpen(step)
        ? step
        : { ...step, applicationId: null, channelCode: null, channelOrderId: null, operatorIdentity: null },
    );
}

/** Builds the steps of one asset from its rows, oldest first. */
function buildSteps(asset: TracedAsset, rows: readonly StepRow[]): Step[] {
  // An order belongs to its customer. Another step belongs to the owner after the order before it.
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
async function selectSteps(trx: Trx, viewer: Viewer, assets: readonly TracedAsset[]): Promise<StepRow[]> {
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
    holding as materialized (
      select holding.* from traced cross join lateral (
        select id, asset_id, member_id, lock_asset_id as lock_id, began_time, began_by, ended_time, ended_by_order_id,
          ended_by, end_cause
        from ended_holding where asset_id = traced.asset_id
        union all
        select id, asset_id, member_id, null, created_time, created_by, null, null, null, null
        from asset_assignment where asset_id = traced.asset_id
        union all
        select lent.id, lent.asset_id, member_id, lock_asset_id, lent.created_time, lent.created_by, null, null, null,
          null
        from asset_lending as lent join asset_assignment as held on held.asset_id = lent.asset_id
        where lent.asset_id = traced.asset_id
        offset 0
      ) as holding
    ),
    step as (
      select touched.asset_id, 2 as rank, 'order' as kind, ordered.id, finished_time as time, batch.id as batch_id, sequence,
        case
          when transfer.asset_id is not null then 'transferred'
          when order_type = 'new_buy' then 'granted'
          when ordered.id = traced.revoked_by then 'revoked'
        end as action,
        ordered.id as license_order_id, ordered.customer_id, from_customer_id, application_id, channel_code,
        channel_order_id, null as operator_identity, null::bigint as member_id, null::bigint as lock_id,
        null::bigint as administrator_id, null as end_cause
      from touched join traced using (asset_id)
      cross join lateral (
        select id, order_type, customer_id, finished_time from license_order where id = touched.order_id offset 0
      ) as ordered
      left join lateral (${batchOf(sql`touched.order_id`)}) as batch on true
      left join lateral (
        select asset_id, from_customer_id from asset_transfer
        where asset_id = touched.asset_id and license_order_id = touched.order_id offset 0
      ) as transfer on true
      union all
      select traced.asset_id, 5, 'lock', entry.id, recorded_time, null, null,
        entry.action, null, null, null, application_id, null, null, operator_identity, null, null, null,
        null
      from traced cross join lateral (
        select id, recorded_time, action, application_id, operator_identity from lock_audit
        where asset_id = traced.asset_id offset 0
      ) as entry
      union all
      select asset_id, case when lock_id is null then 3 else 4 end, 'began', id, began_time, null, null,
        case when lock_id is null then 'assigned' else 'lent' end, null, null, null, null, null, null, null, member_id,
        lock_id, began_by, null
      from holding
      union all
      select asset_id, case when lock_id is null then 1 else 0 end, 'ended', holding.id,
        coalesce(finished_time, ended_time), batch.id, sequence,
        case when lock_id is null then 'unassigned' else 'returned' end, ended_by_order_id, null, null, application_id,
        channel_code, channel_order_id, null, member_id, lock_id, ended_by, end_cause
      from holding
      left join lateral (
        select finished_time from license_order where id = ended_by_order_id offset 0
      ) as ordered on true
      left join lateral (${batchOf(sql`ended_by_order_id`)}) as batch on true
      where ended_time is not null
    )
    select asset_id as "assetId", kind, id::text, ${inMs('time')} as time, action, license_order_id as "licenseOrderId",
      customer_id as "customerId", from_customer_id as "fromCustomerId", application_id as "applicationId",
      channel_code as "channelCode", channel_order_id as "channelOrderId", operator_identity as "operatorIdentity",
      member_id as "memberGlobalId", administrator_id as "administratorGlobalId",
      end_cause as "endCause",
      (select asset_num from ${assetsOf(viewer)} as lock where lock.id = lock_id) as "lockAssetNum"
    from step order by step.time, batch_id, sequence, rank, step.id`;
  return rows;
}

/** Returns a query of the batch of an order, with the order's sequence. */
const batchOf = (orderId: RawBuilder<unknown>) => sql`
  select id, application_id, channel_code, channel_order_id,
    sequences[(${orderId} % ${ORDERS_PER_BATCH}::bigint)::integer + 1] as sequence
  from batch where id = ${orderId} / ${ORDERS_PER_BATCH}::bigint offset 0`;

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
