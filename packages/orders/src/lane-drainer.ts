import type { LedgerIds } from '@lockstep/assets';
import type { Database, Logger } from '@lockstep/platform';
import { type Drained, drainLanes, type LanesToDrain } from './drain.ts';
import { DrainEnds } from './drain-ends.ts';
import type { EventNumbering } from './event-numbering.ts';
import { Holds } from './holds.ts';
import type { OrderMetrics } from './metrics.ts';
import { logWork } from './work-log.ts';

/** How long to leave stored orders alone that cannot be read: only another release can read them. */
const UNREADABLE_PAUSE_MS = 10_000;

/** Drains lanes, ends the batches that are finished by it, and tells the log and the metrics. */
export class LaneDrainer {
  readonly #db: Database;
  readonly #log: Logger;
  readonly #metrics: OrderMetrics;
  readonly #ids: LedgerIds;
  readonly #ends: DrainEnds;
  readonly holds = new Holds();

  constructor(options: {
    db: Database;
    log: Logger;
    metrics: OrderMetrics;
    numbering: EventNumbering;
    ids: LedgerIds;
  }) {
    this.#db = options.db;
    this.#log = options.log;
    this.#metrics = options.metrics;
    this.#ids = options.ids;
    this.#ends = new DrainEnds(options);
  }

  /**
   * Applies the oldest pending orders of some lanes; see drainLanes. `againMs`: after how many ms to drain them again
   * without a job; null: never.
   */
  async drain(lanes: LanesToDrain): Promise<Drained & { againMs: number | null }> {
    const startedMs = performance.now();
    try {
      const drained = await drainLanes(this.#db, lanes, { ids: this.#ids, holds: this.holds });
      this.#ends.end(drained.finishedBatchIds);
      this.#report(drained, startedMs);
      return { ...drained, againMs: this.#againMs(drained) };
    } catch (error) {
      this.#metrics.drainFailures.inc();
      throw error;
    }
  }

  /** Waits for the batches of these drains to end. Call it when no drain runs any more. */
  close(): Promise<void> {
    return this.#ends.settle();
  }

  #againMs({ batches, leftCustomerIds, unreadable }: Drained): number | null {
    const hasFreed = batches.length > 0 && [...leftCustomerIds].some((customerId) => !this.holds.has(customerId));
    if (hasFreed && unreadable.length === 0) return 0;
    const dueMs = this.holds.nextDueMs(leftCustomerIds);
    const times = [
      ...(dueMs === null ? [] : [Math.max(0, dueMs - performance.now())]),
      ...(unreadable.length === 0 ? [] : [UNREADABLE_PAUSE_MS]),
    ];
    return times.length === 0 ? null : Math.min(...times);
  }

  #report(drained: Drained, startedMs: number): void {
    const { succeeded, failed, batches, failures, ended } = drained;
    for (const { accepted, error } of failures) {
      this.#log.debug({ err: error, licenseOrderId: accepted.licenseOrderId }, 'order held');
    }
    for (const { licenseOrderId, error } of ended) {
      this.#log.error({ err: error, licenseOrderId }, 'order failed with internal_error');
    }
    if (batches.length === 0) return;
    this.#metrics.ordersApplied.inc({ outcome: 'succeeded' }, succeeded);
    this.#metrics.ordersApplied.inc({ outcome: 'failed' }, failed);
    this.#metrics.drainOrders.observe(succeeded + failed);
    this.#metrics.drainSeconds.observe((performance.now() - startedMs) / 1_000);
    logWork(this.#log, 'drained', { ...drained, startedMs });
  }
}
