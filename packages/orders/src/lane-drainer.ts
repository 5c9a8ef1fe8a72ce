import type { LedgerIds } from '@lockstep/assets';
import type { Database, Logger } from '@lockstep/platform';
import { type Applied, type Drained, drainLanes, type LanesToDrain } from './drain.ts';
import { DrainEnds } from './drain-ends.ts';
import type { EventNumbering } from './event-numbering.ts';
import type { LargeTurn } from './large-turn.ts';
import { LargeWork } from './limits.ts';
import type { OrderMetrics } from './metrics.ts';
import { OneByOne } from './one-by-one.ts';
import { logWork } from './work-log.ts';

/** Drains lanes, ends the batches that are finished by it, and tells the log and the metrics. */
export class LaneDrainer {
  readonly #db: Database;
  readonly #log: Logger;
  readonly #metrics: OrderMetrics;
  readonly #ids: LedgerIds;
  readonly #ends: DrainEnds;
  readonly #oneByOne: OneByOne;
  readonly #largeTurn: LargeTurn;
  /** Lanes in which large work is next. */
  readonly #large = new Set<number>();
  /** Lanes that touched much when they were drained with others. Each is drained alone to see in which large work is next. */
  readonly #suspects = new Set<number>();

  /** `largeTurn`: shared by all that applies pending orders in this process. */
  constructor(options: {
    db: Database;
    log: Logger;
    metrics: OrderMetrics;
    numbering: EventNumbering;
    ids: LedgerIds;
    largeTurn: LargeTurn;
  }) {
    this.#db = options.db;
    this.#log = options.log;
    this.#metrics = options.metrics;
    this.#ids = options.ids;
    this.#largeTurn = options.largeTurn;
    this.#ends = new DrainEnds(options);
    this.#oneByOne = new OneByOne({ ...options, applied: (applied, startedMs) => this.applied(applied, startedMs) });
  }

  /**
   * Applies the oldest pending orders of some lanes; see drainLanes. If the group fails, it tries the orders one by one, and
   * then more is left. Throws an error if the lanes can only wait.
   *
   * Lanes in which large work is next wait for its turn. If it may take lanes as it gets them, it leaves those out while
   * somebody has the turn.
   */
  async drain(wanted: LanesToDrain): Promise<Pick<Drained, 'lanes' | 'throughBatchId'>> {
    const { lanes, atMost } = wanted;
    const large = lanes.filter((lane) => this.#large.has(lane));
    if (atMost === undefined) return large.length === 0 ? await this.#drain(wanted) : await this.#drainInTurn(wanted);
    const suspects = lanes.filter((lane) => this.#suspects.has(lane));
    if (suspects.length > 0) return await this.#drain({ ...wanted, lanes: suspects, atMost: 1 });
    if (large.length === 0) return await this.#drain(wanted);
    if (!this.#largeTurn.isTaken) return await this.#drainInTurn({ ...wanted, lanes: large });
    const others = lanes.filter((lane) => !this.#large.has(lane));
    if (others.length === 0) return { lanes: [], throughBatchId: 0n };
    return await this.#drain({ ...wanted, lanes: others });
  }

  /** Whether a lane waits for the turn of large work. */
  waitsForTurn(lane: number): boolean {
    return this.#large.has(lane);
  }

  /** Notes where large work is next, or may be. Lanes of which it must have all run together in any case. */
  #noteLarge(lanes: readonly number[], { atMost }: LanesToDrain): void {
    const noted = atMost === undefined || lanes.length === 1 ? this.#large : this.#suspects;
    for (const lane of lanes) noted.add(lane);
  }

  #drainInTurn(wanted: LanesToDrain): ReturnType<LaneDrainer['drain']> {
    return this.#largeTurn.run(() => {
      for (const lane of wanted.lanes) this.#large.delete(lane);
      return this.#drain({ ...wanted, isLarge: true });
    });
  }

  async #drain(wanted: LanesToDrain): ReturnType<LaneDrainer['drain']> {
    const startedMs = performance.now();
    let taken: readonly number[] | null = null;
    const onTaken = (lanes: readonly number[]) => {
      taken = lanes;
      for (const lane of lanes) this.#suspects.delete(lane);
      wanted.onTaken?.(lanes);
    };
    try {
      const drained = await drainLanes(this.#db, { ...wanted, onTaken }, this.#ids);
      this.#oneByOne.drained(drained.lanes, drained.batches.length > 0);
      for (const { batchId, lane, fault } of drained.unreadable) {
        this.#log.error({ err: fault, batchId, lane }, 'orders held: their stored form cannot be read; will retry');
      }
      this.applied(drained, startedMs);
      return drained;
    } catch (error) {
      if (error instanceof LargeWork && taken !== null) {
        this.#noteLarge(taken, wanted);
        return { lanes: taken, throughBatchId: 0n };
      }
      this.#metrics.drainFailures.inc();
      if (taken === null) throw error;
      await this.#oneByOne.run(taken, error);
      return { lanes: taken, throughBatchId: 0n };
    }
  }

  /** Ends the batches that are finished by what a transaction has applied, and tells the log and the metrics. */
  applied(applied: Applied, startedMs: number): void {
    const { succeeded, failedOrders, batches, finishedBatchIds } = applied;
    this.#ends.end(finishedBatchIds);
    if (batches.length === 0) return;
    this.#metrics.ordersApplied.inc({ outcome: 'succeeded' }, succeeded);
    this.#metrics.ordersApplied.inc({ outcome: 'failed' }, failedOrders.length);
    this.#metrics.drainOrders.observe(succeeded + failedOrders.length);
    this.#metrics.drainSeconds.observe((performance.now() - startedMs) / 1_000);
    logWork(this.#log, 'drained', { ...applied, startedMs });
  }

  /** Waits for the batches of these drains to end. Call it when no drain runs any more. */
  close(): Promise<void> {
    return this.#ends.settle();
  }
}
