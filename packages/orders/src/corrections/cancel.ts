import { type ApplicationId, type BatchId, type CancelBatch, type CancelledBatch, Refusal } from '@lockstep/contract';
import { type Database, Group, inTransaction, type Logger } from '@lockstep/platform';
import { findBatch } from '../accepting/batch.ts';
import { failInLanes } from '../applying/fail-in-lanes.ts';
import { logWork, type Work } from '../applying/work-log.ts';
import { completeBatches } from '../completion/complete-batches.ts';
import type { EventNumbering } from '../completion/numbering.ts';
import { lockLanesUntil } from '../lane-locks.ts';
import type { OrderMetrics } from '../metrics.ts';

interface CancelCall {
  batchId: BatchId;
  /** Where the batch had orders pending when the call came. */
  lanes: number[];
  /** A time of performance.now. */
  deadlineMs: number;
}

/** Transactions of cancel calls that run at once in a process. Each may wait for the drains of its batch's lanes. */
export const CANCELS_AT_ONCE = 2;

/** Cancels what is still pending of batches (rules 6.6). */
export class BatchCanceller {
  readonly #db: Database;
  readonly #log: Logger;
  readonly #metrics: OrderMetrics;
  readonly #numbering: EventNumbering;
  readonly #calls: Group<CancelCall, Work | null>;

  /** `lanesDb`: the pool for transactions that wait for lane locks. */
  constructor(options: {
    db: Database;
    lanesDb: Database;
    log: Logger;
    metrics: OrderMetrics;
    numbering: EventNumbering;
  }) {
    const { lanesDb } = options;
    this.#db = options.db;
    this.#log = options.log;
    this.#metrics = options.metrics;
    this.#numbering = options.numbering;
    this.#calls = new Group({
      run: async (calls) => await Promise.all(calls.map((call) => cancelPending(lanesDb, call))),
      maxRunning: CANCELS_AT_ONCE,
      maxInputs: 1,
      needsOf: ({ lanes }) => lanes,
    });
  }

  /**
   * Ends all pending orders of a batch in one step, as failed with cause cancelled, and the batch with them. It waits
   * for the drains of the batch's lanes that run, so an order either takes effect or is cancelled. Called again, or for
   * a sync batch, it finds nothing to cancel.
   *
   * Throws a Refusal: batch_not_found, for another application's batch too; overloaded, and then nothing is cancelled.
   */
  async cancel(applicationId: ApplicationId, request: CancelBatch): Promise<CancelledBatch> {
    const deadlineMs = performance.now() + MAX_WAIT_MS;
    const { id: batchId, total } = await findBatch(this.#db, applicationId, request);
    for (;;) {
      const lanes = await findPendingLanes(this.#db, batchId);
      if (lanes.length === 0) return { cancelled: 0, finished: total };
      const work = await this.#calls.run({ batchId, lanes, deadlineMs });
      if (work === null) continue;
      const cancelled = work.failedOrders.length;
      if (cancelled > 0) {
        this.#numbering.number();
        logWork(this.#log, 'cancelled', work);
        this.#metrics.ordersApplied.inc({ outcome: 'cancelled' }, cancelled);
      }
      return { cancelled, finished: total - cancelled };
    }
  }
}

/**
 * Cancels what is pending of a batch once it has its lanes, and returns which orders that were. Null, and nothing is
 * done, if `order retry` has put orders back in other lanes meanwhile.
 */
function cancelPending(db: Database, { batchId, lanes, deadlineMs }: CancelCall): Promise<Work | null> {
  if (performance.now() > deadlineMs) throw new Refusal('overloaded');
  return inTransaction(db, async (trx) => {
    await lockLanesUntil(trx, lanes, deadlineMs);
    const startedMs = performance.now();
    if ((await findPendingLanes(trx, batchId)).some((lane) => !lanes.includes(lane))) return null;
    const { batches, failedOrders, finishedBatchIds } = await failInLanes(
      trx,
      { batchId, lanes },
      () => new Refusal('cancelled'),
    );
    await completeBatches(trx, finishedBatchIds);
    return { batches, succeeded: 0, failedOrders, startedMs };
  });
}

async function findPendingLanes(db: Database, batchId: BatchId): Promise<number[]> {
  const rows = await db
    .selectFrom('lane_chunk')
    .select('lane')
    .where('batch_id', '=', batchId)
    .where('finished_time', 'is', null)
    .execute();
  return rows.map(({ lane }) => lane);
}

/** How long a call waits for its turn and for what was accepted before it. Then it is refused as overload. */
export const MAX_WAIT_MS = 15_000;
