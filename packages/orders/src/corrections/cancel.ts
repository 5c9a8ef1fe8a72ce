import { type ApplicationId, type BatchId, type CancelBatch, type CancelledBatch, Refusal } from '@lockstep/contract';
import { type Database, FairQueue, inTransaction, type Logger } from '@lockstep/platform';
import { findBatch } from '../accepting/batch.ts';
import { type Applied, logApplied } from '../applying/finish.ts';
import { completeBatches } from '../completion/complete-batches.ts';
import type { EventNumbering } from '../feed/numbering.ts';
import { lockLanesUntil } from '../lanes.ts';
import type { OrderMetrics } from '../metrics.ts';
import { failInLanes } from './fail-orders.ts';

interface CancelCall {
  batchId: BatchId;
  lanes: number[];
  /** A time of performance.now. */
  deadlineMs: number;
}

/** How many cancel transactions run at once in a process. Each may wait for drains of its batch's lanes. */
export const CANCELS_AT_ONCE = 3;
/** How many of them may belong to one application. */
const CANCELS_OF_APPLICATION = 2;

/** Cancels the pending orders of batches (rules 6.6). */
export class BatchCanceller {
  readonly #db: Database;
  readonly #log: Logger;
  readonly #metrics: OrderMetrics;
  readonly #numbering: EventNumbering;
  readonly #lanesDb: Database;
  readonly #turns = new FairQueue({
    atOnce: CANCELS_AT_ONCE,
    atOnceOfParty: CANCELS_OF_APPLICATION,
    maxWaiting: Number.POSITIVE_INFINITY,
  });

  /** `lanesDb`: the pool for transactions that wait for lane locks. */
  constructor(options: {
    db: Database;
    lanesDb: Database;
    log: Logger;
    metrics: OrderMetrics;
    numbering: EventNumbering;
  }) {
    this.#db = options.db;
    this.#lanesDb = options.lanesDb;
    this.#log = options.log;
    this.#metrics = options.metrics;
    this.#numbering = options.numbering;
  }

  /**
   * Cancels all pending orders of a batch, and so completes it, in one transaction. Waits for running drains of its
   * lanes, so that each order either takes effect or is cancelled. A repeated call, or a call for a sync batch, cancels
   * nothing.
   *
   * Throws a Refusal: batch_not_found, also for batches of other applications; overloaded, and then nothing is
   * cancelled.
   */
  async cancel(applicationId: ApplicationId, request: CancelBatch): Promise<CancelledBatch> {
    const deadlineMs = performance.now() + MAX_WAIT_MS;
    const { id: batchId, total } = await findBatch(this.#db, applicationId, request);
    for (;;) {
      const lanes = await findPendingLanes(this.#db, batchId);
      if (lanes.length === 0) return { cancelled: 0, finished: total };
      const cancelling = () => cancelPending(this.#lanesDb, { batchId, lanes, deadlineMs });
      const work = await this.#turns.run(applicationId, undefined, cancelling, lanes);
      if (work === null) continue;
      const cancelled = work.applied.failedOrders.length;
      if (cancelled > 0) {
        this.#numbering.number();
        logApplied(this.#log, 'cancelled', work.applied, work.startedMs);
        this.#metrics.ordersApplied.inc({ outcome: 'cancelled' }, cancelled);
      }
      return { cancelled, finished: total - cancelled };
    }
  }
}

/**
 * Cancels the pending orders of a batch under its lanes' locks, and returns them. Returns null and does nothing if
 * `order retry` has put orders back in other lanes meanwhile.
 */
async function cancelPending(
  db: Database,
  { batchId, lanes, deadlineMs }: CancelCall,
): Promise<{ applied: Applied; startedMs: number } | null> {
  if (performance.now() > deadlineMs) throw new Refusal('overloaded');
  return await inTransaction(db, async (trx) => {
    await lockLanesUntil(trx, lanes, deadlineMs);
    const startedMs = performance.now();
    if ((await findPendingLanes(trx, batchId)).some((lane) => !lanes.includes(lane))) return null;
    const applied = await failInLanes(trx, { batchId, lanes }, new Refusal('cancelled'));
    await completeBatches(trx, applied.finishedBatchIds);
    return { applied, startedMs };
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

/** How long a call waits for its turn and for work that came before it. After that, it is refused as overloaded. */
const MAX_WAIT_MS = 15_000;
