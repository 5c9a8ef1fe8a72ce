import type { LedgerIds } from '@lockstep/assets';
import { type Database, type Logger, lostAgainstOthers } from '@lockstep/platform';
import { DrainFailed, drainLanes, type LanesToDrain } from '../applying/drain.ts';
import { type Applied, logWork } from '../applying/work-log.ts';
import { DrainCompletions } from '../completion/drain-completions.ts';
import type { EventNumbering } from '../completion/numbering.ts';
import type { OrderMetrics } from '../metrics.ts';
import { OneByOne } from './one-by-one.ts';
import type { DrainOutcome } from './scheduler.ts';

/** How long a lane may wait for row locks before that counts as a failure. */
const ROW_WAIT_MS = 30_000;

/** Drains lanes, completes the batches that this finishes, and updates log and metrics. */
export class LaneDrainer {
  readonly #db: Database;
  readonly #log: Logger;
  readonly #metrics: OrderMetrics;
  readonly #ids: LedgerIds;
  readonly #numbering: EventNumbering;
  readonly #completions: DrainCompletions;
  readonly #oneByOne: OneByOne;
  /** Lanes that wait for row locks held elsewhere, and since when (performance.now). */
  readonly #waitingSinceMs = new Map<number, number>();

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
    this.#numbering = options.numbering;
    this.#completions = new DrainCompletions(options);
    this.#oneByOne = new OneByOne({ ...options, applied: (applied, startedMs) => this.applied(applied, startedMs) });
  }

  /**
   * Applies the oldest pending orders of some lanes; see drainLanes. If the group fails, it tries the orders one by
   * one, which leaves more to drain. Never throws; the outcome tells what happened.
   */
  async attempt(wanted: LanesToDrain): Promise<DrainOutcome> {
    const startedMs = performance.now();
    try {
      const drained = await drainLanes(this.#db, wanted, this.#ids);
      const { lanes, left, weight } = drained;
      this.#oneByOne.drained(lanes, drained.batches.length > 0);
      for (const lane of lanes) this.#waitingSinceMs.delete(lane);
      for (const { batchId, lane, fault } of drained.unreadable) {
        this.#log.error({ err: fault, batchId, lane }, 'unreadable orders held; will retry');
      }
      this.applied(drained, startedMs);
      return { became: 'drained', lanes, left, weight };
    } catch (error) {
      return await this.#attemptOneByOne(wanted, error);
    }
  }

  async #attemptOneByOne(wanted: LanesToDrain, error: unknown): Promise<DrainOutcome> {
    const { lanes, cause } = error instanceof DrainFailed ? error : { lanes: null, cause: error };
    if (lanes !== null && lostAgainstOthers(cause)) {
      // Only one of the lanes may have to wait for long. Draining them in parts finds it.
      if (lanes.length > 1) return { became: 'large', lanes };
      if (!this.#hasWaitedLong(lanes[0]!)) return { became: 'drained', lanes: [], left: new Map(), weight: 0 };
    }
    this.#metrics.drainFailures.inc();
    try {
      if (lanes === null) throw cause;
      await this.#oneByOne.run(lanes, cause);
      return { became: 'drained', lanes, left: new Map(lanes.map((lane) => [lane, 0n])), weight: 0 };
    } catch (failure) {
      const failed = failure instanceof DrainFailed ? failure : { lanes: lanes ?? wanted.lanes, cause: failure };
      return { became: 'failed', lanes: failed.lanes, error: failed.cause };
    }
  }

  /** Records that a lane waits for row locks, and returns whether it has waited so long that this is a failure. */
  #hasWaitedLong(lane: number): boolean {
    const nowMs = performance.now();
    const sinceMs = this.#waitingSinceMs.get(lane) ?? nowMs;
    this.#waitingSinceMs.set(lane, sinceMs);
    return nowMs - sinceMs > ROW_WAIT_MS && this.#waitingSinceMs.delete(lane);
  }

  applied(applied: Applied, startedMs: number): void {
    const { succeeded, failedOrders, batches, finishedBatchIds, hasCompletions } = applied;
    if (hasCompletions) this.#numbering.number();
    this.#completions.complete(finishedBatchIds);
    if (batches.length === 0) return;
    this.#metrics.ordersApplied.inc({ outcome: 'succeeded' }, succeeded);
    this.#metrics.ordersApplied.inc({ outcome: 'failed' }, failedOrders.length);
    this.#metrics.drainOrders.observe(succeeded + failedOrders.length);
    this.#metrics.drainSeconds.observe((performance.now() - startedMs) / 1_000);
    logWork(this.#log, 'drained', { ...applied, startedMs });
  }

  /** Waits until the batches of these drains are completed. Call it when no drain is running any more. */
  close(): Promise<void> {
    return this.#completions.settle();
  }
}
