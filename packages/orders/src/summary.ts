import { ORDERS_PER_BATCH } from '@lockstep/assets';
import type { BatchId, BatchSummary } from '@lockstep/contract';
import { textInMs } from '@lockstep/platform';

export type SummaryRow = Omit<BatchSummary, 'state' | 'pending'> & { id: BatchId };

/**
 * For a FROM clause after `batch`: the counts so far of an open batch, as `so_far`; null for completed batches. Chunks
 * have these counts, unless orders were put back.
 */
export const SO_FAR = `
  left join lateral (
    select sum(succeeded)::int as succeeded, sum(failed)::int as failed from lane_chunk where batch_id = batch.id
    having not batch.has_retries
    union all
    select count(*)::int - count(cause)::int, count(cause)::int from license_order
    where id >= batch.id * ${ORDERS_PER_BATCH} and id < (batch.id + 1) * ${ORDERS_PER_BATCH}
    having batch.has_retries
  ) as so_far on batch.completed_time is null`;

/**
 * For a SELECT from `batch` with SO_FAR: the columns of a SummaryRow. The total of a completed batch comes from its
 * counts, because PostgreSQL stores the sequences of a large batch outside its row.
 */
export const SUMMARY_COLUMNS = `
  batch.id, batch.channel_code as "channelCode", batch.channel_order_id as "channelOrderId", batch.sync_mode as "syncMode",
  coalesce(batch.succeeded + batch.failed, cardinality(batch.sequences)) as total,
  coalesce(batch.succeeded, so_far.succeeded) as succeeded, coalesce(batch.failed, so_far.failed) as failed,
  (
    select count(*)::int from held_order
    where batch.completed_time is null and license_order_id >= batch.id * ${ORDERS_PER_BATCH}
      and license_order_id < (batch.id + 1) * ${ORDERS_PER_BATCH}
  ) as held,
  ${textInMs('batch.accepted_time')} as "acceptedTime", ${textInMs('batch.completed_time')} as "completedTime"`;

/** Shows the totals of a batch. The row may have more. */
export function buildSummary(row: Omit<SummaryRow, 'id'>): BatchSummary {
  const { channelCode, channelOrderId, syncMode, total, succeeded, failed, held, acceptedTime, completedTime } = row;
  const finished = succeeded + failed;
  const state = completedTime !== null ? 'completed' : finished === 0 ? 'accepted' : 'processing';
  const totals = { total, succeeded, failed, pending: total - finished, held };
  return { channelCode, channelOrderId, syncMode, state, ...totals, acceptedTime, completedTime };
}
