import { licenseOrderIdOf, ORDERS_PER_BATCH } from '@lockstep/assets';
import type { ApplicationId, BatchId, BatchResult, Cause, Channels } from '@lockstep/contract';
import type {
  BatchOrdersQuery,
  ConsoleBatchDetail,
  ConsoleBatchesQuery,
  ConsoleBatchPage,
  FailureGroup,
} from '@lockstep/contract/console';
import type { Database } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import type { PendingInChannel } from '../channels/estimates.ts';
import { readBatchPage } from '../lists/batches.ts';
import { OPERATOR } from '../lists/filters.ts';
import { readPages } from '../results/reader.ts';
import { buildSummary, SO_FAR, SUMMARY_COLUMNS, type SummaryRow, WAITING } from '../results/results.ts';

const MAX_MESSAGES = 20;

export interface OperatorBatch {
  applicationId: ApplicationId;
  isApproved: boolean;
  channels: Channels;
  shown: ConsoleBatchDetail;
  /** The channels with pending orders of the batch; null if there are none. */
  waiting: readonly PendingInChannel[] | null;
}

/** Returns a batch of any application; undefined if there is none. */
export async function readAnyBatch(db: Database, batchId: BatchId): Promise<OperatorBatch | undefined> {
  const { rows } = await sql<
    SummaryRow & {
      application_id: ApplicationId;
      app_key: string;
      name: string;
      status: string;
      channels: Channels;
      request_id: string;
      reopened_time: Date | null;
      waiting: PendingInChannel[] | null;
    }
  >`
    select ${sql.raw(SUMMARY_COLUMNS)}, batch.application_id, batch.request_id, batch.reopened_time,
      application.app_key, application.name, application.status, application.channels, waiting.channels as waiting
    from batch join application on application.id = batch.application_id ${sql.raw(SO_FAR)} ${sql.raw(WAITING)}
    where batch.id = ${batchId}`.execute(db);
  const row = rows[0];
  if (row === undefined) return undefined;
  return {
    applicationId: row.application_id,
    isApproved: row.status === 'approved',
    channels: row.channels,
    waiting: row.waiting,
    shown: {
      batchId: row.id,
      appKey: row.app_key,
      applicationName: row.name,
      ...buildSummary(row),
      requestId: row.request_id,
      reopenedTime: row.reopened_time?.getTime() ?? null,
    },
  };
}

function isOf(batchId: BatchId): RawBuilder<unknown> {
  return sql`id between ${licenseOrderIdOf(batchId, 0)} and ${licenseOrderIdOf(batchId, ORDERS_PER_BATCH - 1)}`;
}

/** Groups the failed orders of a batch by cause, most frequent first, each with its most frequent messages. */
export async function groupFailures(db: Database, batchId: BatchId): Promise<FailureGroup[]> {
  const { rows } = await sql<{ cause: Cause; message: string; orders: number; in_cause: number }>`
    select cause, message, orders, in_cause from (
      select cause, message, count(*)::int as orders, (sum(count(*)) over (partition by cause))::int as in_cause,
        row_number() over (partition by cause order by count(*) desc, min(id)) as place
      from license_order where ${isOf(batchId)} and cause is not null
      group by cause, message
    ) as grouped
    where place <= ${MAX_MESSAGES} order by in_cause desc, cause, place`.execute(db);
  return [...Map.groupBy(rows, ({ cause }) => cause)].map(([cause, ofCause]) => {
    const messages = ofCause.map(({ message, orders }) => ({ message, orders }));
    const orders = ofCause[0]!.in_cause;
    return { cause, orders, messages, otherOrders: orders - messages.reduce((sum, each) => sum + each.orders, 0) };
  });
}

/**
 * Returns a page of the orders of a batch, in orderList order. The cursor is a place in that order, so it stays valid
 * while orders get their outcome.
 */
export async function listOrdersOfBatch(
  db: Database,
  { applicationId, shown }: OperatorBatch,
  { cursor, ...asked }: BatchOrdersQuery,
): Promise<Pick<BatchResult, 'orders' | 'nextCursor'>> {
  const { channelCode, channelOrderId } = shown;
  const query = { ...asked, channelCode, channelOrderId, cursor: Number(cursor ?? 0) };
  const [page] = await readPages(db, [{ applicationId, query, knownCompletion: null }]);
  const { orders, nextCursor } = page!.result!;
  return { orders, nextCursor };
}

/**
 * Returns a page of the batches of all applications, newest first, for operators.
 *
 * Throws a WrongCursor.
 */
export async function listAllBatches(db: Database, query: ConsoleBatchesQuery): Promise<ConsoleBatchPage> {
  const { rows, nextCursor } = await readBatchPage(db, OPERATOR, query);
  const batches = rows.map((row) => ({
    batchId: row.id,
    appKey: row.app_key,
    applicationName: row.application_name,
    ...buildSummary(row),
  }));
  return { batches, nextCursor };
}
