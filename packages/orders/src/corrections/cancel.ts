import { type ApplicationId, type BatchId, type CancelBatch, type CancelledBatch, Refusal } from '@lockstep/contract';
import { type Database, inTransaction, type Logger, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { findBatch } from '../accepting/batch.ts';
import { logApplied } from '../applying/finish.ts';
import { completeBatches } from '../completion/complete-batches.ts';
import type { EventNumbering } from '../feed/numbering.ts';
import { lockLanes } from '../lanes.ts';
import type { OrderMetrics } from '../metrics.ts';
import { failInLanes } from './fail-orders.ts';

/**
 * Cancels all pending orders of a batch, and so completes it, in one transaction (rules 6.6). Waits for running drains
 * of its lanes, so that each order either takes effect or is cancelled. A repeated call, or a call for a sync batch,
 * cancels nothing.
 *
 * Throws a Refusal: batch_not_found, also for batches of other applications.
 */
export async function cancelBatch(
  db: Database,
  { log, metrics, numbering }: { log: Logger; metrics: OrderMetrics; numbering: EventNumbering },
  applicationId: ApplicationId,
  request: CancelBatch,
): Promise<CancelledBatch> {
  const { id: batchId, total } = await findBatch(db, applicationId, request);
  const { applied, startedMs } = await inTransaction(db, async (trx) => {
    const lanes = await lockPending(trx, batchId);
    const startedMs = performance.now();
    const applied = await failInLanes(trx, { batchId, lanes }, new Refusal('cancelled'));
    await completeBatches(trx, applied.finishedBatchIds);
    return { applied, startedMs };
  });
  const cancelled = applied.failedOrders.length;
  if (cancelled > 0) {
    numbering.number();
    logApplied(log, 'cancelled', applied, startedMs);
    metrics.ordersApplied.inc({ outcome: 'cancelled' }, cancelled);
  }
  return { cancelled, finished: total - cancelled };
}

/** Locks the lanes with pending orders of a batch, and those into which `order retry` puts some meanwhile. */
async function lockPending(trx: Trx, batchId: BatchId): Promise<number[]> {
  const locked: number[] = [];
  for (;;) {
    const { rows } = await sql<{ lane: number }>`
      select lane from lane_chunk where batch_id = ${batchId} and finished_time is null`.execute(trx);
    const lanes = rows.map(({ lane }) => lane).filter((lane) => !locked.includes(lane));
    if (lanes.length === 0) return locked;
    // Later ones may be lower: after a deadlock, the transaction runs again.
    await lockLanes(trx, lanes);
    locked.push(...lanes);
  }
}
