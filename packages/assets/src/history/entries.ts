import { HistoryAction, type HistoryEntry } from '@lockstep/contract';
import type { ToldEntry } from '@lockstep/contract/console';
import { buildRows, prepared, type Trx } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import { ofTerms } from '../terms.ts';
import type { Step } from './steps.ts';

type InstanceAction = Extract<HistoryAction, `${'merchandise' | 'product'}_${string}`>;

/** The position of an entry within its step: its action, and the instance or asset it is about. */
export interface EntryPlace {
  /** Empty for the end of a step, which sorts after all its entries. */
  action: HistoryAction | '';
  aboutId: string;
}

/** Whether a text is an action of a position. */
export const isAction = (text: string) => text === '' || rankOf(text) >= 0;

/** An entry of a step, and the product or merchandise that it is about; null if it is about the asset. */
interface StepEntry {
  step: Step;
  action: HistoryAction;
  instance: InstanceRow | null;
}

interface InstanceRow extends Pick<ToldEntry, 'productUri' | 'limitConcurrent' | 'limitEndDate'> {
  n: number;
  action: InstanceAction;
  id: string;
  name: string;
}

export const placeOf = ({ step, action, instance }: StepEntry): EntryPlace => ({
  action,
  aboutId: instance?.id ?? step.assetId,
});

/** Shows an entry to an application. */
export function showEntry({ step, action, instance }: StepEntry): HistoryEntry {
  const { kind, id, applicationId, fromCustomerId, ...shown } = step;
  return { ...shown, action, productUri: instance?.productUri ?? null, instanceId: instance?.id ?? null };
}

/** Shows an entry to operators, with the application that sent the order or the lock, and the owner before it. */
export function showToldEntry(entry: StepEntry) {
  const { step, action, instance } = entry;
  return {
    ...showEntry(entry),
    applicationId: step.applicationId,
    fromCustomerId: action === 'transferred' ? step.fromCustomerId : null,
    instanceName: instance?.name ?? null,
    limitConcurrent: instance?.limitConcurrent ?? null,
    limitEndDate: instance?.limitEndDate ?? null,
  };
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
    ...own.map(({ n, step }) => ({ n, step, action: step.action!, instance: null })),
    ...rows.map((row) => ({ n: row.n, step: steps[row.n]!, action: row.action, instance: row })),
  ];
  // The rows are sorted already, and only one entry of a step is about the asset itself.
  entries.sort((a, b) => a.n - b.n || rankOf(b.action) - rankOf(a.action));
  return entries.slice(0, limit);
}

const rankOf = (action: string) => (HistoryAction.options as readonly string[]).indexOf(action);

/** Selects what steps did to merchandise and products: newest step first, then by rank and id, descending. */
async function selectInstances(
  trx: Trx,
  wantedBy: (action: InstanceAction) => Wanted[],
  limit: number,
): Promise<InstanceRow[]> {
  const parts = (['merchandise', 'product'] as const).flatMap((kind) => {
    const of = {
      table: sql.table(`${kind}_instance`),
      columns:
        kind === 'product'
          ? sql`terms_id, null as name, limit_concurrent, limit_end_date`
          : sql`null::bigint as terms_id, merchandise_name as name, null::int as limit_concurrent,
            null::bigint as limit_end_date`,
    };
    const [bought, revoked] = [`${kind}_bought`, `${kind}_revoked`] as const;
    const ofOrders = (action: InstanceAction) => wantedBy(action).filter(({ step }) => step.kind === 'order');
    return [
      selectActive({ ...of, action: bought, wanted: ofOrders(bought) }),
      selectNewest({ ...of, action: bought, wanted: ofOrders(bought) }, sql`license_order_id`, limit),
      selectNewest({ ...of, action: revoked, wanted: ofOrders(revoked) }, sql`revoked_by_order_id`, limit),
    ];
  });
  return await prepared<InstanceRow>(trx, 'history_instances')`
    select n, action, id, ${sql.raw(ofTerms('product_uri'))} as "productUri",
      coalesce(name, ${sql.raw(ofTerms('product_name'))}) as name, limit_concurrent as "limitConcurrent",
      limit_end_date::float8 as "limitEndDate"
    from (${sql.join(parts, sql` union all `)}) as instance
    order by n, rank desc, instance.id desc limit ${limit}`;
}

interface Source {
  table: RawBuilder<unknown>;
  columns: RawBuilder<unknown>;
  action: InstanceAction;
  wanted: readonly Wanted[];
}

/** For active instances, which only one asset of a number has. */
function selectActive({ table, columns, action, wanted }: Source): RawBuilder<unknown> {
  const assetIds = [...new Set(wanted.map(({ step }) => step.assetId))];
  return sql`
    select step.n, ${columnsOf(action)}, instance.id, ${columns}
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
  { table, columns, action, wanted }: Source,
  column: RawBuilder<unknown>,
  limit: number,
): RawBuilder<unknown> {
  return sql`
    select step.n, ${columnsOf(action)}, instance.*
    from ${stepRows(wanted)}
    cross join lateral (
      select id, ${columns} from ${table}
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
