import { type CancelBatch, type CancelledBatch, Refusal } from '@lockstep/contract';
import { type Database, inTransaction, type Logger, type Metrics, type Trx, together } from '@lockstep/platform';
import { sql } from 'kysely';
import { failed, recordOutcomes } from './apply.ts';
import { notifyProgress } from './batch-watch.ts';
import { finishChunks, inAcceptanceOrder, lockLanes, readPendingOf } from './lane-chunks.ts';

/**
 * Stops what is still pending of a batch: in one step all of its pending orders end as failed with cause cancelled
 * (decisions 6.6). It waits for the drains of the batch's lanes that run, so an order either takes effect or is
 * cancelled. Again, or on a sync batch, it finds nothing to cancel.
 *
 * Throws a Refusal: batch_not_found, for another application's batch too.
 */
export async function cancelBatch(
  { db, log, metrics }: { db: Database; log: Logger; metrics: Metrics },
  applicationId: string,
  request: CancelBatch,
): Promise<CancelledBatch> {
  const { batchId, cancelled, finished } = await inTransaction(db, async (trx) => {
    const { id, total } = await findBatch(trx, applicationId, request);
    await lockLanes(trx, await pendingLanes(trx, id));
    const chunks = await readPendingOf(trx, id);
    const outcomes = inAcceptanceOrder(chunks).map((accepted) => failed(accepted, new Refusal('cancelled')));
    await together([recordOutcomes(trx, outcomes), finishChunks(trx, chunks, outcomes)]);
    return { batchId: id, cancelled: outcomes.length, finished: total - outcomes.length };
  });
  if (cancelled > 0) {
    metrics.ordersApplied.inc({ outcome: 'cancelled' }, cancelled);
    notifyProgress(db, [batchId]).catch((error: unknown) => log.warn({ err: error }, 'could not notify'));
  }
  return { cancelled, finished };
}

async function findBatch(trx: Trx, applicationId: string, { channelCode, channelOrderId }: CancelBatch) {
  const batch = await trx
    .selectFrom('batch')
    .select(['id', sql<number>`cardinality(sequences)`.as('total')])
    .where('application_id', '=', applicationId)
    .where('channel_code', '=', channelCode)
    .where('channel_order_id', '=', channelOrderId)
    .executeTakeFirst();
  if (batch === undefined) throw new Refusal('batch_not_found', channelOrderId, channelCode);
  return batch;
}

async function pendingLanes(trx: Trx, batchId: string): Promise<number[]> {
  const rows = await trx
    .selectFrom('lane_chunk')
    .select('lane')
    .where('batch_id', '=', batchId)
    .where('finished_time', 'is', null)
    .execute();
  return rows.map(({ lane }) => lane);
}
