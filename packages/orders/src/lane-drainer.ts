import type { LedgerIds } from '@lockstep/assets';
import type { Database, Logger, Metrics } from '@lockstep/platform';
import { notifyProgress } from './batch-watch.ts';
import { type Drained, drainLanes } from './drain.ts';

/** Drains lanes and says so: to the log, the metrics and whoever waits for the batches. */
export class LaneDrainer {
  readonly #db: Database;
  readonly #log: Logger;
  readonly #metrics: Metrics;
  readonly #ids: LedgerIds;

  constructor(options: { db: Database; log: Logger; metrics: Metrics; ids: LedgerIds }) {
    this.#db = options.db;
    this.#log = options.log;
    this.#metrics = options.metrics;
    this.#ids = options.ids;
  }

  /** Applies the oldest pending orders of some lanes; see drainLanes. */
  async drain(lanes: readonly number[]): Promise<Drained> {
    const startedMs = performance.now();
    try {
      const drained = await drainLanes(this.#db, lanes, { ids: this.#ids, log: this.#log });
      this.#report(drained, (performance.now() - startedMs) / 1_000);
      return drained;
    } catch (error) {
      this.#metrics.drainFailures.inc();
      this.#log.error({ err: error, lanes }, 'drain failed; its orders stay pending and are tried again');
      throw error;
    }
  }

  #report({ succeeded, failed, batchIds }: Drained, seconds: number): void {
    if (batchIds.length === 0) return;
    this.#metrics.ordersApplied.inc({ outcome: 'succeeded' }, succeeded);
    this.#metrics.ordersApplied.inc({ outcome: 'failed' }, failed);
    this.#metrics.drainOrders.observe(succeeded + failed);
    this.#metrics.drainSeconds.observe(seconds);
    this.#log.debug({ succeeded, failed, seconds }, 'drained');
    // Whoever waits looks again after a second anyway, so a lost notification costs no more than that.
    notifyProgress(this.#db, batchIds).catch((error: unknown) => this.#log.warn({ err: error }, 'could not notify'));
  }
}
