import { licenseOrderIdOf, ORDERS_PER_BATCH } from '@lockstep/assets';
import {
  type ApplicationId,
  type BatchId,
  type BatchResult,
  buildMessage,
  type Cause,
  type Channels,
  inBoth,
  type ListBatchesQuery,
  type Operator,
  type Viewer,
} from '@lockstep/contract';
import type {
  BatchOrdersQuery,
  ConsoleBatch,
  ConsoleBatchDetail,
  ConsoleBatchesQuery,
  FailureGroup,
} from '@lockstep/contract/console';
import { type Database, inMs, inSnapshot, prepared } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import type { PendingInChannel } from '../channels/state.ts';
import { buildSummary, SO_FAR, SUMMARY_COLUMNS, type SummaryRow } from '../summary.ts';
import { readPages, WAITING } from './results.ts';
import { findSenders, isOfChannel, openCursor } from './viewer.ts';
import { type BatchKind, type BatchWalk, inOrder, microsecondsOf, type Place, walkBatches } from './walks.ts';

/** The filters of a list. Operators have more of them. */
type BatchesQuery = ListBatchesQuery & Partial<Omit<ConsoleBatchesQuery, keyof ListBatchesQuery>>;

export type SentBatchRow = SummaryRow & Pick<ConsoleBatch, 'appKey' | 'applicationName'>;

const SENT_COLUMNS = `${SUMMARY_COLUMNS}, application.app_key as "appKey", application.name as "applicationName"`;

/** Shows a batch to operators. */
export function showBatch(row: SentBatchRow): Omit<ConsoleBatch, 'resent'> {
  return { batchId: row.id, appKey: row.appKey, applicationName: row.applicationName, ...buildSummary(row) };
}

/**
 * Returns a page of the batches that a viewer may see, newest or oldest first (rules 6.7). Walks the index of each
 * application. The next page continues where this walk stopped.
 *
 * Throws a WrongCursor.
 */
export async function listBatches<Shown>(
  db: Database,
  viewer: Viewer,
  query: BatchesQuery,
  show: (row: SentBatchRow) => Shown,
): Promise<{ batches: Shown[]; nextCursor: string | null }> {
  const { limit, cursor, appKey, channelCode, channelOrderId, state, hasFailed, acceptedFrom, acceptedTo, order } =
    query;
  const filters = { appKey, channelCode, channelOrderId, state, hasFailed, acceptedFrom, acceptedTo, order };
  const cursors = openCursor('batches', viewer, filters, cursor);
  const isPrefix = channelOrderId?.endsWith('*') === true;
  const isExact =
    channelOrderId === undefined &&
    (state === undefined ? hasFailed === undefined : state === 'completed' && hasFailed !== undefined);
  const prefix = isPrefix ? sql`and starts_with(batch.channel_order_id, ${channelOrderId.slice(0, -1)})` : sql``;
  return await inSnapshot(db, async (trx) => {
    const asked: BatchWalk = {
      viewer,
      senders: await findSenders(trx, viewer, appKey),
      filters,
      kinds: kindsOf(query),
      named: isPrefix ? null : (channelOrderId ?? null),
      after: cursors.after as [string, BatchId] | null,
      isExact,
      isOldestFirst: order === 'oldest',
      limit,
    };
    const walk = walkBatches(asked);
    const rows = await prepared<SentBatchRow & Place<BatchId>>(trx, 'list_batches')`
      with ${walk}
      select ${sql.raw(SENT_COLUMNS)}, ${microsecondsOf('batch.accepted_time')} as time
      from reached cross join lateral (select * from batch where batch.id = reached.id offset 0) as batch
      join application on application.id = batch.application_id ${sql.raw(SO_FAR)}
      where ${matches(query)} and ${isOfChannel(viewer, query)} ${prefix}
      order by ${inOrder('reached.accepted_time', 'reached.id', asked)} limit ${limit + 1}`;
    const page = rows.slice(0, limit);
    const [stop] =
      rows.length > limit
        ? page.slice(-1)
        : await prepared<Place<BatchId>>(trx, 'list_batches_floor')`
          with ${walk} select ${microsecondsOf('accepted_time')} as time, id from floor`;
    return { batches: page.map(show), nextCursor: cursors.write(stop ? [stop.time, stop.id] : null) };
  });
}

function kindsOf({ state, hasFailed }: BatchesQuery): BatchKind[] {
  if (state === 'accepted' || state === 'processing') return ['open'];
  if (hasFailed === undefined) return ['all'];
  return state === 'completed' ? ['failed'] : ['failed', 'open'];
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

const MAX_MESSAGES = 5;

export interface OperatorBatch {
  applicationId: ApplicationId;
  isApproved: boolean;
  /** The channels that both its application and the operator are bound to. */
  channels: Channels;
  shown: Omit<ConsoleBatchDetail, 'resent'>;
  /** The channels with pending orders of the batch; null if there are none. */
  waiting: readonly PendingInChannel[] | null;
}

/** Returns a batch that an operator may see; undefined if there is none. */
export async function readAnyBatch(
  db: Database,
  viewer: Operator,
  batchId: BatchId,
): Promise<OperatorBatch | undefined> {
  const { rows } = await sql<AnyBatchRow>`
    select ${sql.raw(SENT_COLUMNS)}, application.id as "applicationId", application.status = 'approved' as "isApproved",
      application.channels, waiting.channels as waiting, batch.request_id as "requestId",
      ${inMs('batch.reopened_time')} as "reopenedTime"
    from batch join application on application.id = batch.application_id ${sql.raw(SO_FAR)} ${sql.raw(WAITING)}
    where batch.id = ${batchId} and ${isOfChannel(viewer)}`.execute(db);
  const row = rows[0];
  if (row === undefined) return undefined;
  const { applicationId, isApproved, waiting, requestId, reopenedTime } = row;
  const channels = inBoth(row.channels, viewer.channels);
  const shown = { ...showBatch(row), requestId, reopenedTime };
  return { applicationId, isApproved, channels, waiting, shown };
}

type AnyBatchRow = SentBatchRow & Omit<OperatorBatch, 'shown'> & Pick<ConsoleBatchDetail, 'requestId' | 'reopenedTime'>;

/** Groups the failed orders of a batch by cause, most frequent first, each with its most frequent messages. */
export async function groupFailures(db: Database, batchId: BatchId): Promise<Omit<FailureGroup, 'resent'>[]> {
  const { rows } = await sql<{ cause: Cause; args: string[]; orders: number; in_cause: number }>`
    select cause, args, orders, in_cause from (
      select cause, args, count(*)::int as orders, (sum(count(*)) over (partition by cause))::int as in_cause,
        row_number() over (partition by cause order by count(*) desc, min(id)) as place
      from license_order
      where id between ${licenseOrderIdOf(batchId, 0)} and ${licenseOrderIdOf(batchId, ORDERS_PER_BATCH - 1)}
        and cause is not null
      group by cause, args
    ) as grouped
    where place <= ${MAX_MESSAGES} order by in_cause desc, cause, place`.execute(db);
  return [...Map.groupBy(rows, ({ cause }) => cause)].map(([cause, ofCause]) => {
    const messages = ofCause.map(({ args, orders }) => ({ message: buildMessage(cause, ...args), args, orders }));
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
  asked: BatchOrdersQuery,
): Promise<Pick<BatchResult, 'orders' | 'nextCursor'>> {
  const { channelCode, channelOrderId } = shown;
  const query = { ...asked, channelCode, channelOrderId };
  const [page] = await readPages(db, [{ applicationId, query, knownCompletion: null }]);
  const { orders, nextCursor } = page!.result!;
  return { orders, nextCursor };
}
