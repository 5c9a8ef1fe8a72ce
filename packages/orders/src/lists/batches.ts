import type { ApplicationId, BatchId, BatchPage, ListBatchesQuery } from '@lockstep/contract';
import { type Database, inSnapshot, prepared, type Trx } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import { buildSummary, SO_FAR, SUMMARY_COLUMNS, type SummaryRow } from '../results/results.ts';
import { openCursor } from './cursor.ts';
import { isOfChannel, type ListCaller, type Viewer } from './filters.ts';
import { type BatchesQuery, namedExactly, walkSenders } from './walks.ts';

/**
 * Returns a page of a caller's batches, newest first (rules 6.7).
 *
 * Throws a WrongCursor.
 */
export async function listBatches(db: Database, caller: ListCaller, query: ListBatchesQuery): Promise<BatchPage> {
  const { rows, nextCursor } = await readBatchPage(db, caller, query);
  return { batches: rows.map(buildSummary), nextCursor };
}

export interface ListedBatchRow extends SummaryRow {
  app_key: string;
  application_name: string;
  accepted_text: string;
}

/** Each row also has the position that the walk reached. If nothing was found, there is one row with only that. */
type PageRow = (ListedBatchRow | { id: null }) & { floor_time: string | null; floor_id: BatchId | null };

/**
 * Returns a page of the batches that a viewer may see, newest first. Walks the index of each application. The next page
 * continues where this walk stopped.
 */
export async function readBatchPage(
  db: Database,
  viewer: Viewer,
  query: BatchesQuery,
): Promise<{ rows: ListedBatchRow[]; nextCursor: string | null }> {
  const { limit, cursor, appKey, channelCode, channelOrderId, state, hasFailed, acceptedFrom, acceptedTo } = query;
  const filters = { appKey, channelCode, channelOrderId, state, hasFailed, acceptedFrom, acceptedTo };
  const list = viewer.applicationId === null ? 'allBatches' : 'batches';
  const cursors = openCursor(list, viewer, filters, cursor);
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
    return { rows: page, nextCursor: cursors.write(stop) };
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
