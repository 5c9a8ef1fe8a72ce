import type { HistoryAction, HistoryEntry } from '@lockstep/contract';
import { buildRows, prepared, type Trx } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import { ofTerms } from '../terms.ts';
import type { Step } from './steps.ts';

/**
 * The effects of one step, in order: an asset is created before anything is bought for it, and revoked after its
 * contents.
 */
const EFFECTS: readonly HistoryAction[] = [
  'created',
  'extended',
  'transferred',
  'merchandise_bought',
  'product_bought',
  'product_revoked',
  'merchandise_revoked',
  'revoked',
  'locked',
  'unlocked',
];
type InstanceAction = Extract<HistoryAction, `${'merchandise' | 'product'}_${string}`>;

/** The position of an entry within its step: its action, and the instance or asset it is about. */
export interface EntryPlace {
  action: HistoryAction;
  aboutId: string;
}

/** Whether a text is an action that an entry can have. */
export const isAction = (text: string): text is HistoryAction => EFFECTS.some((action) => action === text);

/** An entry of a step. */
export interface StepEntry {
  step: Step;
  place: EntryPlace;
  entry: HistoryEntry;
}

interface InstanceRow {
  n: number;
  action: InstanceAction;
  id: string;
  product_uri: string | null;
}

/** A step, its position among those that are read, and the id before which its instances are wanted. */
interface Wanted {
  n: number;
  step: Step;
  beforeId: string;
}

const MAX_ID = '9223372036854775807';

/**
 * Reads the entries of steps, newest first, at most `limit`. With `after`, the first step begins after that position.
 * It reads no more revoked rows of a step than it returns, but all active contents of an asset.
 */
export async function readEntries(
  trx: Trx,
  steps: readonly Step[],
  { after, limit }: { after: EntryPlace | null; limit: number },
): Promise<StepEntry[]> {
  const isWanted = (n: number, action: HistoryAction) =>
    n > 0 || after === null || rankOf(action) < rankOf(after.action);
  const own = steps.flatMap((step, n) => (step.action !== null && isWanted(n, step.action) ? [{ n, step }] : []));
  const wantedBy = (action: InstanceAction): Wanted[] =>
    steps.flatMap((step, n) => {
      if (isWanted(n, action)) return [{ n, step, beforeId: MAX_ID }];
      return action === after?.action ? [{ n, step, beforeId: after.aboutId }] : [];
    });
  const rows = await selectInstances(trx, wantedBy, limit);
  const entries = [
    ...own.map(({ n, step }) => ({ n, ...buildEntry(step, step.action!, null) })),
    ...rows.map((row) => ({ n: row.n, ...buildEntry(steps[row.n]!, row.action, row) })),
  ];
  // The rows are sorted already, and only one entry of a step is about the asset itself.
  entries.sort((a, b) => a.n - b.n || rankOf(b.place.action) - rankOf(a.place.action));
  return entries.slice(0, limit);
}

const rankOf = (action: HistoryAction) => EFFECTS.indexOf(action);

function buildEntry(step: Step, action: HistoryAction, instance: InstanceRow | null): StepEntry {
  return {
    step,
    place: { action, aboutId: instance?.id ?? step.assetId },
    entry: {
      time: step.timeMs,
      assetId: step.assetId,
      action,
      licenseOrderId: step.licenseOrderId,
      channelCode: step.channelCode,
      channelOrderId: step.channelOrderId,
      customerId: step.customerId,
      productUri: instance?.product_uri ?? null,
      instanceId: instance?.id ?? null,
      operatorIdentity: step.operatorIdentity,
    },
  };
}

/** Selects what steps did to merchandise and products: newest step first, then by rank and id, descending. */
async function selectInstances(
  trx: Trx,
  wantedBy: (action: InstanceAction) => Wanted[],
  limit: number,
): Promise<InstanceRow[]> {
  const parts = (['merchandise', 'product'] as const).flatMap((kind) => {
    const of = {
      table: sql.table(`${kind}_instance`),
      termsId: kind === 'product' ? sql`terms_id` : sql`null::bigint`,
    };
    const [bought, revoked] = [`${kind}_bought`, `${kind}_revoked`] as const;
    const ofOrders = (action: InstanceAction) => wantedBy(action).filter(({ step }) => step.kind === 'order');
    return [
      selectActive({ ...of, action: bought, wanted: ofOrders(bought) }),
      selectNewest({ ...of, action: bought, wanted: ofOrders(bought) }, sql`license_order_id`, limit),
      selectNewest({ ...of, action: revoked, wanted: ofOrders(revoked) }, sql`revoked_by_order_id`, limit),
    ];
  });
  const rows = await prepared<InstanceRow>(trx, 'history_instances')`
    select n, action, id, ${sql.raw(ofTerms('product_uri'))} as product_uri from (${sql.join(parts, sql` union all `)}) as instance
    order by n, rank desc, instance.id desc limit ${limit}`;
  return rows;
}

interface Source {
  table: RawBuilder<unknown>;
  termsId: RawBuilder<unknown>;
  action: InstanceAction;
  wanted: readonly Wanted[];
}

/** For active instances, which only one asset of a number has. */
function selectActive({ table, termsId, action, wanted }: Source): RawBuilder<unknown> {
  const assetIds = [...new Set(wanted.map(({ step }) => step.assetId))];
  return sql`
    select step.n, ${columnsOf(action)}, instance.id, ${termsId} as terms_id
    from ${table} as instance
    join ${stepRows(wanted)} on step.asset_id = instance.asset_id and step.id = instance.license_order_id
    where revoked_time is null and instance.asset_id = any (${assetIds}::bigint[]) and instance.id < step.before_id`;
}

/**
 * For revoked instances: the newest of each step, by the order in `column`. It compares tuples, so that only the index
 * on exactly these columns has the requested order. With separate comparisons, the planner scans all instances by id
 * where it expects many of the order.
 */
function selectNewest(
  { table, termsId, action, wanted }: Source,
  column: RawBuilder<unknown>,
  limit: number,
): RawBuilder<unknown> {
  return sql`
    select step.n, ${columnsOf(action)}, instance.id, terms_id
    from ${stepRows(wanted)}
    cross join lateral (
      select id, ${termsId} as terms_id from ${table}
      where asset_id = step.asset_id and revoked_time is not null
        and (${column}, id) > (step.id, 0) and (${column}, id) < (step.id, step.before_id)
      order by ${column} desc, id desc limit ${limit}
    ) as instance`;
}

const columnsOf = (action: InstanceAction) => sql`${action}::text as action, ${rankOf(action)}::integer as rank`;

function stepRows(wanted: readonly Wanted[]): RawBuilder<unknown> {
  const rows = buildRows([
    ['n', 'integer', wanted.map(({ n }) => n)],
    ['asset_id', 'bigint', wanted.map(({ step }) => step.assetId)],
    ['id', 'bigint', wanted.map(({ step }) => step.id)],
    ['before_id', 'bigint', wanted.map(({ beforeId }) => beforeId)],
  ]);
  return sql`${rows} as step (n, asset_id, id, before_id)`;
}
