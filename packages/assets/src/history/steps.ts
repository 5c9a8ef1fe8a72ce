import type { ApplicationId, AssetId, Channels, CustomerId, HistoryAction, LicenseOrderId } from '@lockstep/contract';
import { selectCustomers } from '@lockstep/customers';
import { buildRows, prepared, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { ABOVE_ALL, ORDERS_PER_BATCH } from '../ids.ts';
import type { TracedAsset } from './assets.ts';
import { revokersOf } from './revokers.ts';

/**
 * What one order, or one call of O6 or O7, did to one asset. A step never changes. Newer steps are listed before it.
 */
export interface Step {
  assetId: AssetId;
  kind: 'order' | 'lock';
  /** The id of the order or of the lock change. */
  id: string;
  timeMs: number;
  /** What happened to the asset itself, as opposed to its contents; null if nothing did. */
  action: HistoryAction | null;
  licenseOrderId: LicenseOrderId | null;
  /** The application that sent the batch or the lock change; null if there is none. */
  applicationId: ApplicationId | null;
  /** The batch; null if there is none, or the viewer may not see it. */
  channelCode: string | null;
  channelOrderId: string | null;
  /** The owner of the asset after the step, or its last one. */
  customerId: CustomerId;
  /** The operatorIdentity of the lock change; null if there is none, or the viewer may not see it. */
  operatorIdentity: string | null;
}

interface StepRow {
  asset_id: AssetId;
  kind: Step['kind'];
  id: string;
  time: Date;
  action: 'granted' | 'transferred' | 'revoked' | 'locked' | 'unlocked' | null;
  customer_id: CustomerId | null;
  application_id: ApplicationId | null;
  channel_code: string | null;
  channel_order_id: string | null;
  operator_identity: string | null;
}

/** The application that reads a history, and the channels it is bound to. */
export interface HistoryCaller {
  applicationId: ApplicationId;
  channels: Channels;
}

/** An operator, who may see everything. */
export const OPERATOR = { applicationId: null, channels: null } as const;

/** The reader of a history, which decides what is shown. */
export type Viewer = HistoryCaller | typeof OPERATOR;

/**
 * Reads all steps of assets that the viewer may see, in the order of the assets and newest first. For an application,
 * omits steps from a time when the asset belonged to another channel, and the requests of other applications.
 */
export async function readSteps(
  trx: Trx,
  { applicationId, channels }: Viewer,
  assets: readonly TracedAsset[],
): Promise<Step[]> {
  const all = await readStepsOfAll(trx, assets);
  if (applicationId === null) return all;
  const steps = all.map((step) =>
    step.applicationId === applicationId
      ? step
      : { ...step, channelCode: null, channelOrderId: null, operatorIdentity: null },
  );
  if (channels === null) return steps;
  const customerIds = [...new Set(steps.map(({ customerId }) => customerId))];
  const visible = await selectCustomers(trx, channels)
    .select('id')
    .where(sql<boolean>`id = any (${customerIds}::bigint[])`)
    .execute();
  const visibleIds = new Set(visible.map(({ id }) => id));
  return steps.filter(({ customerId }) => visibleIds.has(customerId));
}

/**
 * Reads all steps of assets, for orders of any sender.
 *
 * Orders are sorted by the time of their outcome; those of one transaction share a time and are sorted by batch and
 * sequence. The rows themselves have no such order, because a transaction writes them by kind.
 */
async function readStepsOfAll(trx: Trx, assets: readonly TracedAsset[]): Promise<Step[]> {
  const byAsset = Map.groupBy(await selectSteps(trx, assets), (row) => row.asset_id);
  return assets.flatMap((asset) => buildSteps(asset, byAsset.get(asset.id) ?? []).reverse());
}

/** Builds the steps of one asset from its rows, oldest first. */
function buildSteps(asset: TracedAsset, rows: readonly StepRow[]): Step[] {
  // An order belongs to its customer. A lock change belongs to the owner after the order before it.
  let owner = asset.customerId;
  return rows.map((row): Step => {
    owner = row.customer_id ?? owner;
    const isGrant = row.action === 'granted' || row.action === 'transferred';
    return {
      assetId: asset.id,
      kind: row.kind,
      id: row.id,
      timeMs: row.time.getTime(),
      // The asset's own column tells its first order. If the clock was set back, the times of grants could not.
      action:
        isGrant && row.id === asset.createdByOrderId ? 'created' : row.action === 'granted' ? 'extended' : row.action,
      licenseOrderId: row.kind === 'order' ? (row.id as LicenseOrderId) : null,
      applicationId: row.application_id,
      channelCode: row.channel_code,
      channelOrderId: row.channel_order_id,
      customerId: owner,
      operatorIdentity: row.operator_identity,
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
        ordered.customer_id, application_id, channel_code, channel_order_id, null as operator_identity
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
        select asset_id from asset_transfer
        where asset_id = touched.asset_id and license_order_id = touched.order_id offset 0
      ) as transfer on true
      union all
      select traced.asset_id, 'lock', entry.id, recorded_time, null, null,
        case when locked then 'locked' else 'unlocked' end, null, application_id, null, null, operator_identity
      from traced cross join lateral (
        select id, recorded_time, locked, application_id, operator_identity from lock_audit
        where asset_id = traced.asset_id offset 0
      ) as entry
    )
    select asset_id, kind, id::text, time, action, customer_id, application_id, channel_code, channel_order_id,
      operator_identity
    from step order by time, batch_id, sequence, step.id`;
  return rows;
}
