import { LedgerIds } from '@lockstep/assets';
import type { Database, Logger } from '@lockstep/platform';
import { readOldestPending } from './backlog.ts';
import { DrainScheduler, type LanesDrained } from './drain-scheduler.ts';
import { job } from './jobs.ts';
import { LaneDrainer } from './lane-drainer.ts';
import type { OrderMetrics } from './metrics.ts';
import { Sightings } from './sightings.ts';
import { Stalls } from './stalls.ts';

/**
 * How long a drain waits for its lanes, whatever other locks may take: a drain of another worker or a large sync call may
 * have them for minutes and be right to. Past it, whoever has them hangs.
 */
const LANES_TIMEOUT_MS = 180_000;

/** A worker's work: drains lanes as jobs ask for it, and sweeps for what no job asks for. */
export class OrderWorker {
  readonly #db: Database;
  readonly #log: Logger;
  readonly #metrics: OrderMetrics;
  readonly #drainer: LaneDrainer;
  readonly #scheduler: DrainScheduler;
  readonly #stalls: Stalls;
  readonly #sightings = new Sightings();
  #toldOfJob = false;

  /** `drains`: drains that run at once, each in a transaction and on a connection of its own. */
  constructor(options: { db: Database; log: Logger; metrics: OrderMetrics; drains: number }) {
    this.#db = options.db;
    this.#log = options.log;
    this.#metrics = options.metrics;
    this.#drainer = new LaneDrainer({ ...options, ids: new LedgerIds(), lanesTimeoutMs: LANES_TIMEOUT_MS });
    this.#stalls = new Stalls(options);
    this.#scheduler = new DrainScheduler({ slots: options.drains, drain: (lanes) => this.#drain(lanes) });
  }

  /**
   * Carries out a job. Rejects where its lanes could not be drained; they are drained again by themselves. A job that this
   * release does not know is let go: the sweep finds what it was about.
   */
  async process(data: unknown): Promise<void> {
    const { success, data: known } = job.safeParse(data);
    if (success) return await this.#scheduler.request(known.lanes, BigInt(known.throughBatchId));
    if (!this.#toldOfJob) this.#log.warn('jobs come that another release made; the sweep finds their orders');
    this.#toldOfJob = true;
  }

  /**
   * Has every lane drained in which nothing has moved for too long and no drain is to come: its job is gone. It does not
   * wait for these drains, of which one may hang: the next sweep has to come all the same.
   */
  async sweep(): Promise<void> {
    const oldest = await readOldestPending(this.#db).catch((error: unknown) => {
      this.#stalls.failed(['sweep'], error);
      return null;
    });
    if (oldest === null) return;
    this.#stalls.worked(['sweep']);
    const unexpected = oldest.filter(({ lane }) => !this.#scheduler.isExpected(lane));
    const stale = this.#sightings.stale(unexpected, performance.now());
    if (stale.length === 0) return;
    this.#metrics.sweptLanes.inc(stale.length);
    const newest = stale.reduce((max, { batchId }) => (batchId > max ? batchId : max), 0n);
    // A drain that fails is told of by itself, and runs again.
    this.#scheduler
      .request(
        stale.map(({ lane }) => lane),
        newest,
      )
      .catch(() => {});
  }

  /** Why orders wait that should have been applied; null where none does. For readiness. */
  get stalledBy(): string | null {
    return this.#stalls.reason;
  }

  /** Finishes the drains that run. Call it when no more jobs come. */
  close(): Promise<void> {
    return this.#scheduler.close();
  }

  async #drain(lanes: number[]): Promise<LanesDrained> {
    try {
      const drained = await this.#drainer.drain(lanes);
      this.#stalls.worked(lanes);
      this.#stalls.waiting(this.#drainer.holds.all(), lanes, drained);
      return drained;
    } catch (error) {
      this.#stalls.failed(lanes, error);
      throw error;
    }
  }
}
