import type { LedgerIds } from '@lockstep/assets';
import { Refusal } from '@lockstep/contract';
import { behindSavepoint, type Database, inTransaction, type Logger, type Trx } from '@lockstep/platform';
import { applyOrders, failed, isOrdersFault, type Outcome, recordOutcomes } from './apply.ts';
import { finishChunks, inAcceptanceOrder, lockLanes, readPending } from './lane-chunks.ts';
import type { AcceptedOrder } from './plan.ts';

/** The weight of chunks that one drain takes at most, past its first chunk; see weightOf. */
const MAX_WEIGHT = 4_000;
/** The same while orders are applied one by one. */
const MAX_WEIGHT_ONE_BY_ONE = 100;

/** What one drain did. */
export interface Drained {
  succeeded: number;
  failed: number;
  /** Batches of which it finished chunks. */
  batchIds: string[];
  /** The last batch of which nothing is pending in these lanes any more; null where they had nothing more at all. */
  throughBatchId: bigint | null;
}

/**
 * Applies the oldest pending orders of some lanes, a bounded number, in one transaction (decisions 6.2).
 *
 * It holds the lanes' locks, so only one drain of a lane runs anywhere, and orders of a lane take effect in acceptance
 * order. Draining again finds what is left. Where a group cannot be applied because of what is in it, its orders are
 * applied one by one, and the one that cannot be applied fails with cause internal_error, so that it does not stop its
 * lane. Throws where PostgreSQL cannot be reached or another transaction kept winning; then nothing has changed.
 */
export async function drainLanes(
  db: Database,
  lanes: readonly number[],
  { ids, log }: { ids: LedgerIds; log: Logger },
): Promise<Drained> {
  try {
    return await drain(db, lanes, MAX_WEIGHT, (trx, orders) => applyOrders(trx, orders, ids));
  } catch (error) {
    if (!isOrdersFault(error)) throw error;
    log.error({ err: error, lanes }, 'orders could not be applied together; applies them one by one');
    return await drain(db, lanes, MAX_WEIGHT_ONE_BY_ONE, (trx, orders) => applyOneByOne(trx, orders, ids, log));
  }
}

type Apply = (trx: Trx, orders: AcceptedOrder[]) => Promise<Outcome[]>;

function drain(db: Database, lanes: readonly number[], maxWeight: number, apply: Apply): Promise<Drained> {
  return inTransaction(db, async (trx) => {
    await lockLanes(trx, lanes);
    const { chunks, cutAtBatchId } = await readPending(trx, lanes, maxWeight);
    const outcomes = await apply(trx, inAcceptanceOrder(chunks));
    await finishChunks(trx, chunks, outcomes);
    const failures = outcomes.filter(({ failure }) => failure !== null).length;
    return {
      succeeded: outcomes.length - failures,
      failed: failures,
      batchIds: [...new Set(chunks.map(({ batchId }) => batchId))],
      throughBatchId: cutAtBatchId === null ? null : BigInt(cutAtBatchId) - 1n,
    };
  });
}

/** Applies each order behind a savepoint; one that PostgreSQL or the plan chokes on fails alone. */
async function applyOneByOne(trx: Trx, orders: AcceptedOrder[], ids: LedgerIds, log: Logger): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const accepted of orders) {
    try {
      outcomes.push(...(await behindSavepoint(trx, () => applyOrders(trx, [accepted], ids))));
    } catch (error) {
      if (!isOrdersFault(error)) throw error;
      log.error({ err: error, licenseOrderId: accepted.licenseOrderId }, 'order failed with internal_error');
      const outcome = failed(accepted, new Refusal('internal_error'));
      await recordOutcomes(trx, [outcome]);
      outcomes.push(outcome);
    }
  }
  return outcomes;
}
