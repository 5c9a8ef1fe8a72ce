import { licenseOrderIdOf, ORDERS_PER_BATCH } from '@lockstep/assets';
import type { ApplicationId, BatchId, BatchResult, Cause, Channels } from '@lockstep/contract';
import type { BatchOrdersQuery, ConsoleBatch, ConsoleBatchDetail, FailureGroup } from '@lockstep/contract/console';
import { type Database, inSnapshot, prepared, type Trx } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import type { PendingInChannel } from '../channels/estimates.ts';
import { buildSummary, SO_FAR, SUMMARY_COLUMNS, type SummaryRow } from '../summary.ts';
import { readPages, WAITING } from './results.ts';
import { isOfChannel, openCursor, type Viewer } from './viewer.ts';
import { type BatchesQuery, namedExactly, walkSenders } from './walks.ts';

export interface ListedBatchRow extends SummaryRow {
  app_key: string;
  application_name: string;
  accepted_text: string;
}

/** Each row also has the position that the walk reached. If nothing was found, there is one row with only that. */
type PageRow = (ListedBatchRow | { id: null }) & { floor_time: string | null; floor_id: BatchId | null };

/** Shows a batch to operators. */
export function showBatch(row: ListedBatchRow): ConsoleBatch {
  return { batchId: row.id, appKey: row.app_key, applicationName: row.application_name, ...buildSummary(row) };
}

/**
 * Returns a page of the batches that a viewer may see, newest first (rules 6.7). Walks the index of each application.
 * The next page continues where this walk stopped.
 *
 * Throws a WrongCursor.
 */
export async function listBatches<Shown>(
  db: Database,
  viewer: Viewer,
  query: BatchesQuery,
  show: (row: ListedBatchRow) => Shown,
): Promise<{ batches: Shown[]; nextCursor: string | null }> {
  const { limit, cursor, appKey, channelCode, channelOrderId, state, hasFailed, acceptedFrom, acceptedTo } = query;
  const filters = { appKey, channelCode, channelOrderId, state, hasFailed, acceptedFrom, acceptedTo };
  const cursors = openCursor('batches', viewer, filters, cursor);
  const after = cursors.after && { acceptedTime: cursors.after[0]!, batchId: cursors.after[1] as BatchId };
  return await inSnapshot(db, async (trx) => {
    const applicationIds = viewer.applicationId === null ? await findSenders(trx, appKey) : [viewer.applicationId];
    const rows = await prepared<PageRow>(trx, 'list_batches')`
      with ${walkSenders({ viewer, applicationIds, query, after })}
      select floor.accepted_time::text as floor_time, floor.id as floor_id, page.* from floor left join (
        select ${sql.raw(SUMMARY_COLUMNS)}, batch.accepted_time::text as accepted_text,
          application.app_key, application.name as application_name
        from (
          select walked.id, walked.accepted_time from walked, floor
          where floor.id is null or (walked.accepted_time, walked.id) >= (floor.accepted_time, floor.id)
          order by walked.accepted_time desc, walked.id desc
        ) as walked
        cross join lateral (select * from batch where batch.id = walked.id offset 0) as batch
        join application on application.id = batch.application_id ${sql.raw(SO_FAR)}
        where ${matches(query)} and ${isOfChannel(viewer, query)} ${hasPrefix(query)}
        order by walked.accepted_time desc, walked.id desc limit ${limit + 1}
      ) as page on true
      order by page.accepted_time desc, page.id desc`;
    const found = rows.filter((row): row is ListedBatchRow & PageRow => row.id !== null);
    const page = found.slice(0, limit);
    const last = page.at(-1);
    const [floor] = rows;
    const stop =
      found.length > limit && last !== undefined
        ? [last.accepted_text, last.id]
        : floor?.floor_id != null
          ? [floor.floor_time!, floor.floor_id]
          : null;
    return { batches: page.map(show), nextCursor: cursors.write(stop) };
  });
}

async function findSenders(trx: Trx, appKey: string | undefined): Promise<ApplicationId[]> {
  const { rows } = await sql<{ id: ApplicationId }>`
    select id from application ${appKey === undefined ? sql`` : sql`where app_key = ${appKey}`}`.execute(trx);
  return rows.map(({ id }) => id);
}

function matches({ state, hasFailed }: BatchesQuery): RawBuilder<unknown> {
  const hasSome = hasFailed === undefined ? sql`` : sql`and coalesce(batch.failed, so_far.failed) > 0`;
  switch (state) {
    case undefined:
      return sql`true ${hasSome}`;
    case 'completed':
      return sql`batch.completed_time is not null ${hasSome}`;
    case 'accepted':
      return sql`batch.completed_time is null and so_far.succeeded + so_far.failed = 0 ${hasSome}`;
    case 'processing':
      return sql`batch.completed_time is null and so_far.succeeded + so_far.failed > 0 ${hasSome}`;
  }
}

/**
 * A further condition on `batch`, or none: its channelOrderId has the prefix asked for, if no index has filtered by it.
 */
function hasPrefix(query: BatchesQuery): RawBuilder<unknown> {
  const { channelOrderId } = query;
  if (channelOrderId === undefined || namedExactly(query) !== null) return sql``;
  return sql`and starts_with(batch.channel_order_id, ${channelOrderId.slice(0, -1)})`;
}

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
