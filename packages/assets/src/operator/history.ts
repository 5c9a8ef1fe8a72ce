import type { ApplicationId, CustomerId, HistoryEntry } from '@lockstep/contract';
import { type Database, inSnapshot, parseBigint, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import type { StepEntry } from '../history/entries.ts';
import { type HistoryPage, readHistoryPage } from '../history/history.ts';
import { OPERATOR } from '../history/steps.ts';
import { ofTerms } from '../terms.ts';

/** A history entry with the details that operators need. */
interface ToldStep extends HistoryEntry {
  /** The application that sent the order or the lock change. */
  applicationId: ApplicationId | null;
  /** The owner before a transfer; null otherwise. */
  fromCustomerId: CustomerId | null;
  /** Name of the product or merchandise; null if the entry is about neither. */
  instanceName: string | null;
  /** Nodes of the product; null if the entry is about none. */
  limitConcurrent: number | null;
  /** When the product ends, in milliseconds; null without an end, or if the entry is about none. */
  limitEndDate: number | null;
}

/** What distinguishes products and merchandise. */
interface InstanceRow {
  id: string;
  name: string;
  nodes: number | null;
  end_ms: string | null;
}

/**
 * Lists the history of an asset number, newest first, for orders of any sender. Null if the number never had an asset.
 *
 * Throws a WrongCursor.
 */
export function readHistoryOfAll(
  db: Database,
  assetNum: string,
  page: HistoryPage,
): Promise<{ entries: ToldStep[]; nextCursor: string | null } | null> {
  return inSnapshot(db, async (trx) => {
    const read = await readHistoryPage(trx, OPERATOR, assetNum, page);
    if (read === null) return null;
    const instances = await readInstances(trx, read.entries);
    const formerOwners = await readFormerOwners(trx, read.entries);
    const entries = read.entries.map(({ step, entry }) => {
      const instance = entry.instanceId === null ? undefined : instances.get(entry.instanceId);
      return {
        ...entry,
        applicationId: step.applicationId,
        fromCustomerId: formerOwners.get(transferKey(entry.assetId, entry.licenseOrderId)) ?? null,
        instanceName: instance?.name ?? null,
        limitConcurrent: instance?.nodes ?? null,
        limitEndDate: parseBigint(instance?.end_ms ?? null),
      };
    });
    return { entries, nextCursor: read.nextCursor };
  });
}

/** Reads the products and merchandise of entries, by id. */
async function readInstances(trx: Trx, entries: readonly StepEntry[]): Promise<Map<string, InstanceRow>> {
  const idsOf = (kind: string) =>
    entries.flatMap(({ entry }) =>
      entry.action.startsWith(kind) && entry.instanceId !== null ? [entry.instanceId] : [],
    );
  const { rows } = await sql<InstanceRow>`
    select id, ${sql.raw(ofTerms('product_name'))} as name, limit_concurrent as nodes, limit_end_date as end_ms
    from product_instance where id = any (${idsOf('product')}::bigint[])
    union all
    select id, merchandise_name, null, null
    from merchandise_instance where id = any (${idsOf('merchandise')}::bigint[])`.execute(trx);
  return new Map(rows.map((row) => [row.id, row]));
}

const transferKey = (assetId: string, orderId: string | null) => `${assetId} ${orderId}`;

/** Reads the former owners of transferred assets, by asset and order. */
async function readFormerOwners(trx: Trx, entries: readonly StepEntry[]): Promise<Map<string, CustomerId>> {
  const transfers = entries.filter(({ entry }) => entry.action === 'transferred').map(({ entry }) => entry);
  if (transfers.length === 0) return new Map();
  const { rows } = await sql<{ asset_id: string; license_order_id: string; from_customer_id: CustomerId }>`
    select asset_id, license_order_id, from_customer_id from asset_transfer
    join unnest(
      ${transfers.map(({ assetId }) => assetId)}::bigint[],
      ${transfers.map(({ licenseOrderId }) => licenseOrderId)}::bigint[]
    ) as wanted (asset_id, license_order_id) using (asset_id, license_order_id)`.execute(trx);
  return new Map(rows.map((row) => [transferKey(row.asset_id, row.license_order_id), row.from_customer_id]));
}
