import type { LedgerIds } from '@lockstep/assets';
import { type Database, type Logger, lostAgainstOthers, run, type Statement } from '@lockstep/platform';
import { completeBatches } from '../completion/complete-batches.ts';
import type { EventNumbering } from '../feed/numbering.ts';
import { failedLanes, type LockedRow } from '../lane-rows.ts';
import type { OrderMetrics } from '../metrics.ts';
import { type Drained, DrainFailed, drainLanes } from './drain.ts';
import { type Applied, logWork } from './work-log.ts';

export interface DrainerOptions {
  db: Database;
  log: Logger;
  metrics: OrderMetrics;
  numbering: EventNumbering;
  ids: LedgerIds;
}

/** Drains lanes, completes the batches that this finishes, and updates log and metrics. */
export class Drainer {
  readonly #options: DrainerOptions;

  constructor(options: DrainerOptions) {
    this.#options = options;
  }

  /**
   * Applies the oldest pending orders of the lanes that a statement chooses; see drainLanes. If that fails, records it
   * in the lanes and throws the error.
   */
  async drain<Row extends LockedRow>(choice: Statement<Row>, locked?: (row: Row) => void): Promise<Drained> {
    const { db, log, metrics, ids } = this.#options;
    const startedMs = performance.now();
    try {
      const drained = await drainLanes(db, choice, ids, locked);
      for (const { batchId, lane, fault } of drained.unreadable) {
        log.error({ err: fault, batchId, lane }, 'unreadable orders held; will retry');
      }
      for (const { accepted, error } of drained.held) {
        const { licenseOrderId, order } = accepted;
        log.error({ err: error, licenseOrderId, customerId: order.customerId }, 'order held; will retry');
      }
      await this.applied(drained, startedMs);
      return drained;
    } catch (failure) {
      if (!(failure instanceof DrainFailed)) throw failure;
      const { lanes, cause } = failure;
      if (!lostAgainstOthers(cause)) metrics.drainFailures.inc();
      // If even this fails, the lanes are simply drained again.
      await run(db, failedLanes(lanes, cause, performance.now() - startedMs)).catch(() => {});
      throw cause;
    }
  }

  /**
   * Updates log and metrics after a transaction has applied pending orders, and completes the batches of which it
   * finished the last orders. If that fails, the sweep completes them.
   */
  async applied(applied: Applied, startedMs: number): Promise<void> {
    const { db, log, metrics, numbering } = this.#options;
    const { succeeded, failedOrders, batches, finishedBatchIds } = applied;
    if (batches.length > 0) {
      metrics.ordersApplied.inc({ outcome: 'succeeded' }, succeeded);
      metrics.ordersApplied.inc({ outcome: 'failed' }, failedOrders.length);
      metrics.drainOrders.observe(succeeded + failedOrders.length);
      metrics.drainSeconds.observe((performance.now() - startedMs) / 1_000);
      logWork(log, 'drained', { ...applied, startedMs });
    }
    const completedIds = await completeBatches(db, finishedBatchIds).catch((error: unknown) => {
      log.warn({ err: error }, 'batch completion failed; sweep will take over');
      return [];
    });
    if (completedIds.length > 0) numbering.number();
  }
}
