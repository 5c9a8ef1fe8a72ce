import type { LedgerIds } from '@lockstep/assets';
import type { Database, Logger } from '@lockstep/platform';
import { notifyProgress } from './batch-watch.ts';
import { type Drained, drainLanes } from './drain.ts';
import { Holds } from './holds.ts';
import type { OrderMetrics } from './metrics.ts';
import { logWork } from './work-log.ts';

/** How long stored orders that cannot be read are left alone: nothing but another release changes that. */
const UNREADABLE_PAUSE_MS = 10_000;

/** Drains lanes and says so: to the log, the metrics and whoever waits for the batches. */
export class LaneDrainer {
  readonly #db: Database;
  readonly #log: Logger;
  readonly #metrics: OrderMetrics;
  readonly #ids: LedgerIds;
  readonly #lanesTimeoutMs: number | undefined;
  readonly holds = new Holds();

  /** `lanesTimeoutMs`: how long a drain waits for its lanes; without it as long as for any lock. */
  constructor(options: { db: Database; log: Logger; metrics: OrderMetrics; ids: LedgerIds; lanesTimeoutMs?: number }) {
    this.#lanesTimeoutMs = options.lanesTimeoutMs;
    this.#db = options.db;
    this.#log = options.log;
    this.#metrics = options.metrics;
    this.#ids = options.ids;
  }

  /**
   * Applies the oldest pending orders of some lanes; see drainLanes. `againMs` is after what time there is something to
   * do in them that nobody asks for.
   */
  async drain(lanes: readonly number[]): Promise<Drained & { againMs: number | null }> {
    const startedMs = performance.now();
    try {
      const drained = await drainLanes(this.#db, lanes, {
        ...{ ids: this.#ids, holds: this.holds, lanesTimeoutMs: this.#lanesTimeoutMs },
      });
      this.#report(drained, startedMs);
      return { ...drained, againMs: this.#againMs(drained) };
    } catch (error) {
      this.#metrics.drainFailures.inc();
      throw error;
    }
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
    // Whoever waits looks again after a second anyway, so a lost notification costs no more than that.
    const batchIds = batches.map(({ batchId }) => batchId);
    notifyProgress(this.#db, batchIds).catch((error: unknown) => this.#log.warn({ err: error }, 'could not notify'));
  }
}
