import type { BatchId, BatchPage, ListBatchesQuery } from '@lockstep/contract';
import { type Database, inSnapshot } from '@lockstep/platform';
import { type RawBuilder, sql } from 'kysely';
import { buildSummary, SO_FAR, SUMMARY_COLUMNS, type SummaryRow } from './batch-summary.ts';
import { type BatchKind, type BatchWalk, findWalkStop, walkBatches } from './batch-walk.ts';
import { ListCursor } from './list-cursor.ts';
import { isOfChannel, type ListCaller } from './list-filters.ts';

/** Batches that one call looks at, at most, however few of them it shows. */
const MAX_BATCHES = 1_000;

/**
 * Lists batches of a caller, newest first (rules 6.7). It walks the index that leaves least, and goes on in the next page
 * where it stopped.
 *
 * Throws a Refusal: field_invalid, for a cursor of another list, caller or filter.
 */
export async function listBatches(db: Database, caller: ListCaller, query: ListBatchesQuery): Promise<BatchPage> {
  const { channelCode, state, hasFailed, acceptedFrom, acceptedTo, limit, cursor } = query;
  const filters = { channelCode, acceptedFrom, acceptedTo };
  const cursors = new ListCursor('batches', caller, { state, hasFailed, ...filters }, cursor);
  const after = cursors.after;
  const from = after === null ? null : { acceptedTime: after[0]!, batchId: after[1] as BatchId };
  // One more: the walk begins at the last batch that was looked at before.
  const walk: BatchWalk = { caller, filters, kinds: kindsOf(query), from, maxBatches: MAX_BATCHES + 1 };
  return await inSnapshot(db, async (trx) => {
    const behind = from === null ? sql`` : sql`and batch.id <> ${from.batchId}`;
    const { rows } = await sql<SummaryRow & { accepted_text: string }>`
      select ${SUMMARY_COLUMNS}, batch.accepted_time::text as accepted_text from ${walkBatches(walk)} ${SO_FAR}
      where ${isOfChannel(caller, filters)} ${behind} and ${matches(query)}
      order by batch.accepted_time desc, batch.id desc limit ${limit + 1}`.execute(trx);
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    const stop =
      rows.length > limit && last !== undefined
        ? { acceptedTime: last.accepted_text, batchId: last.id }
        : await findWalkStop(trx, walk);
    return {
      batches: page.map(buildSummary),
      nextCursor: cursors.write(stop && [stop.acceptedTime, stop.batchId]),
    };
  });
}

/** The batches among which those are that a query asks for. */
export function kindsOf({ state, hasFailed }: Pick<ListBatchesQuery, 'state' | 'hasFailed'>): BatchKind[] {
  if (state === 'accepted' || state === 'processing') return ['open'];
  if (hasFailed === undefined) return ['all'];
  return state === 'completed' ? ['failed'] : ['failed', 'open'];
}

/** Conditions on `batch` with SO_FAR: its state and its failures are those asked for. */
export function matches({ state, hasFailed }: Pick<ListBatchesQuery, 'state' | 'hasFailed'>): RawBuilder<unknown> {
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
