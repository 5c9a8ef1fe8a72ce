import { ORDERS_PER_BATCH } from '@lockstep/assets';
import type { BatchId, BatchSummary } from '@lockstep/contract';

export interface SummaryRow {
  id: BatchId;
  channel_code: string;
  channel_order_id: string;
  sync_mode: 'sync' | 'async';
  total: number;
  succeeded: number;
  failed: number;
  held: number;
  accepted_time: Date;
  completed_time: Date | null;
}

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
  batch.id, batch.channel_code, batch.channel_order_id, batch.sync_mode,
  coalesce(batch.succeeded + batch.failed, cardinality(batch.sequences)) as total,
  coalesce(batch.succeeded, so_far.succeeded) as succeeded, coalesce(batch.failed, so_far.failed) as failed,
  (
    select count(*)::int from held_order
    where batch.completed_time is null and license_order_id >= batch.id * ${ORDERS_PER_BATCH}
      and license_order_id < (batch.id + 1) * ${ORDERS_PER_BATCH}
  ) as held,
  batch.accepted_time, batch.completed_time`;

export function buildSummary(row: Omit<SummaryRow, 'id'>): BatchSummary {
  const finished = row.succeeded + row.failed;
  return {
    channelCode: row.channel_code,
    channelOrderId: row.channel_order_id,
    syncMode: row.sync_mode,
    state: row.completed_time !== null ? 'completed' : finished === 0 ? 'accepted' : 'processing',
    total: row.total,
    succeeded: row.succeeded,
    failed: row.failed,
    pending: row.total - finished,
    held: row.held,
    acceptedTime: row.accepted_time.getTime(),
    completedTime: row.completed_time?.getTime() ?? null,
  };
}
