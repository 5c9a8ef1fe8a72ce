import { type LedgerIds, splitOrderId } from '@lockstep/assets';
import { type BatchId, type Channels, type Order, Refusal } from '@lockstep/contract';
import type { Statement, Trx } from '@lockstep/platform';
import type { SubmittedBatch } from '../accepting/batch.ts';
import { applyOrders } from '../applying/apply.ts';
import { inAcceptanceOrder } from '../applying/pending.ts';
import { insertCompletedBatches } from '../completion/complete-batches.ts';
import { tooLarge } from '../planning/limits.ts';
import type { Outcome } from '../planning/outcome.ts';

/** A sync batch that has not been stored before, with its orders and its new id. */
export interface NewBatch {
  id: BatchId;
  batch: SubmittedBatch;
  orders: readonly Order[];
  channels: Channels;
}

const MAX_NAMED_FAILURES = 20;

/** A statement that draws a batch id for each key lock, and tries the lock. Unused ids stay gaps. */
export const drawingBatchIds = (keyLocks: readonly string[]): Statement<{ id: BatchId; has_key: boolean }> => ({
  name: 'draw_batch_ids',
  text: `select nextval('batch_id') as id, pg_try_advisory_xact_lock(lock) as has_key from unnest($1::bigint[]) as lock`,
  values: [keyLocks],
});

/**
 * Applies sync batches and stores them as completed. Either all of their orders succeed, or nothing is stored.
 *
 * Throws a BatchFailed, or a Refusal (batch_too_large) if they touch too much together.
 */
export async function applyNewBatches(trx: Trx, newBatches: readonly NewBatch[], ids: LedgerIds): Promise<void> {
  if (newBatches.length === 0) return;
  const orders = inAcceptanceOrder(newBatches.flatMap(splitUnknown));
  await applyOrders(trx, orders, ids, (outcomes) => {
    const failures = outcomes.filter(({ failure }) => failure !== null);
    if (failures.length > 0) throw new BatchFailed(failures, newBatches);
    if (outcomes.length < orders.length) throw tooLarge(splitOrderId(orders[outcomes.length]!.licenseOrderId).index);
  });
  await insertCompletedBatches(trx, newBatches);
}

/** Separates the orders of unknown customers. No channel's customers exist for them, so they fail (rules 6.2). */
function splitUnknown({ id, batch, orders, channels }: NewBatch) {
  const unknown = new Set(batch.unknownOrders.map(({ index }) => index));
  const entries = [...orders.entries()];
  return [
    { batchId: id, orders: entries.filter(([index]) => !unknown.has(index)), channels },
    { batchId: id, orders: entries.filter(([index]) => unknown.has(index)), channels: [] },
  ];
}

const NEXT_STEP = 'Fix the failed orders and send the batch again.';

/** Refuses sync calls with the cause of the first failed order. The message names up to 20 of them (rules 6.3). */
export class BatchFailed extends Refusal {
  readonly batches: ReadonlySet<SubmittedBatch>;

  constructor(failures: Outcome[], newBatches: readonly NewBatch[]) {
    super(failures[0]!.failure!.cause);
    const batchIds = new Set(failures.map(({ accepted }) => splitOrderId(accepted.licenseOrderId).batchId));
    this.batches = new Set(newBatches.filter(({ id }) => batchIds.has(id)).map(({ batch }) => batch));
    const total = newBatches.reduce((sum, { orders }) => sum + orders.length, 0);
    const named = failures.slice(0, MAX_NAMED_FAILURES).map(({ accepted, failure }) => {
      const { index } = splitOrderId(accepted.licenseOrderId);
      return `orderList[${index}] (sequence ${accepted.order.sequence}): ${failure!.message}`;
    });
    const others = failures.length - named.length;
    const more = others > 0 ? ` And ${others} more.` : '';
    this.message = `${failures.length} of ${total} orders failed; nothing was stored. ${named.join(' ')}${more} ${NEXT_STEP}`;
  }
}
