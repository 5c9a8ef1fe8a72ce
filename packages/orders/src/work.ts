import { LedgerIds } from '@lockstep/assets';
import type { Database, Logger } from '@lockstep/platform';
import { readOldestPending } from './backlog.ts';
import { countActivity } from './count-activity.ts';
import { DrainScheduler, type LanesDrained, type LanesWanted } from './drain-scheduler.ts';
import type { EventNumbering } from './event-numbering.ts';
import { HoldRetries } from './hold-retries.ts';
import { jobSchema } from './jobs.ts';
import { LaneDrainer } from './lane-drainer.ts';
import { LargeTurn } from './large-turn.ts';
import type { OrderMetrics } from './metrics.ts';
import { OpenBatches } from './open-batches.ts';
import { type OldestPending, Sightings } from './sightings.ts';
import { Stalls } from './stalls.ts';

/** The least time between the beginnings of two drains, unless there is more than one carries. */
const DRAIN_GAP_MS = 5;

/** How long a batch may stay the oldest of its lane before the sweep assumes that its job is lost. */
const JOB_LOST_AFTER_MS = 2_000;

/**
 * How long a batch may stay the oldest of a lane that somebody else has locked. A drain of another worker or a large sync
 * call may rightly hold it for minutes. After that time, whoever holds it hangs.
 */
const HOLDER_HANGS_AFTER_MS = 180_000;

/** The work of a worker: it drains lanes when jobs ask for it, and looks for pending orders whose job was lost. */
export class OrderWorker {
  readonly #db: Database;
  readonly #log: Logger;
  readonly #metrics: OrderMetrics;
  readonly #numbering: EventNumbering;
  readonly #drainer: LaneDrainer;
  readonly #retries: HoldRetries;
  readonly #scheduler: DrainScheduler;
  readonly #stalls: Stalls;
  readonly #sightings = new Sightings(JOB_LOST_AFTER_MS);
  readonly #heldSightings = new Sightings(HOLDER_HANGS_AFTER_MS);
  readonly #openBatches = new OpenBatches();
  #toldOfJob = false;
  #toldOfEnds = false;
  #toldOfActivity = false;

  /** `drains`: drains that run at once, each in a transaction and on a connection of its own. */
  constructor(options: {
    db: Database;
    log: Logger;
    metrics: OrderMetrics;
    numbering: EventNumbering;
    drains: number;
  }) {
    this.#db = options.db;
    this.#log = options.log;
    this.#metrics = options.metrics;
    this.#numbering = options.numbering;
    const ids = new LedgerIds();
    const largeTurn = new LargeTurn();
    this.#drainer = new LaneDrainer({ ...options, ids, largeTurn });
    this.#retries = new HoldRetries({
      ...options,
      ...{ ids, largeTurn },
      applied: (applied, startedMs) => this.#drainer.applied(applied, startedMs),
    });
    this.#stalls = new Stalls(options);
    this.#scheduler = new DrainScheduler({
      slots: options.drains,
      gapMs: DRAIN_GAP_MS,
      drain: (wanted) => this.#drain(wanted),
    });
  }

  /**
   * Carries out a job. Rejects if its lanes could not be drained; they are drained again by themselves. A job that this
   * release does not know is dropped: the sweep finds its orders.
   */
  async process(data: unknown): Promise<void> {
    const { success, data: known } = jobSchema.safeParse(data);
    if (success) return await this.#scheduler.request(known.lanes, BigInt(known.throughBatchId));
    if (!this.#toldOfJob) this.#log.warn('jobs come that another release made; the sweep finds their orders');
    this.#toldOfJob = true;
  }

  /**
   * Drains every lane in which nothing has moved for too long and no drain is to come: its job is lost. It does not wait
   * for these drains: one may hang, and the next sweep has to come all the same. It retries held orders that are due in the
   * same way. Then it ends batches that a crash left open, numbers events that one left without a number, and counts what was noted of activity.
   */
  async sweep(): Promise<void> {
    try {
      const oldest = await readOldestPending(this.#db);
      this.#requestStale(oldest);
      this.#reportHangs(oldest);
      this.#stalls.worked(['sweep']);
      this.#retries.start();
    } catch (error) {
      this.#stalls.failed(['sweep'], error);
      return;
    }
    await this.#endOpenBatches();
    this.#numbering.number();
    await this.#countActivity();
  }

  /** A failure here keeps no order waiting either: the console shows less than there is until it works again. */
  async #countActivity(): Promise<void> {
    try {
      await countActivity(this.#db);
      this.#toldOfActivity = false;
    } catch (error) {
      if (!this.#toldOfActivity) this.#log.warn({ err: error }, 'activity could not be counted; the sweep tries again');
      this.#toldOfActivity = true;
    }
  }

  /** A failure here keeps no order waiting, so it is no stall. */
  async #endOpenBatches(): Promise<void> {
    try {
      const batchIds = await this.#openBatches.endFinished(this.#db);
      if (batchIds.length === 0) return;
      this.#log.debug({ batchIds }, 'the sweep ended batches');
      this.#toldOfEnds = false;
    } catch (error) {
      if (!this.#toldOfEnds) this.#log.warn({ err: error }, 'batches could not be ended; the sweep tries again');
      this.#toldOfEnds = true;
    }
  }

  #requestStale(oldest: readonly OldestPending[]): void {
    const unexpected = oldest.filter(({ lane }) => !this.#scheduler.isExpected(lane));
    const stale = this.#sightings.findStale(unexpected, performance.now());
    if (stale.length === 0) return;
    this.#metrics.sweptLanes.inc(stale.length);
    const newest = stale.reduce((max, { batchId }) => (batchId > max ? batchId : max), 0n);
    // A drain that fails is reported by itself, and runs again.
    this.#scheduler
      .request(
        stale.map(({ lane }) => lane),
        newest,
      )
      .catch(() => {});
  }

  #reportHangs(oldest: readonly OldestPending[]): void {
    const { heldLanes } = this.#scheduler;
    const held = oldest.filter(({ lane }) => heldLanes.has(lane) && !this.#drainer.waitsForTurn(lane));
    const hanging = this.#heldSightings.findStale(held, performance.now()).map(({ lane }) => lane);
    if (hanging.length > 0)
      this.#stalls.failed(hanging, new Error('another session holds their lanes and does nothing'));
  }

  /** Why orders wait that should have been applied; null if none does. For readiness. */
  get stalledBy(): string | null {
    return this.#stalls.reason;
  }

  /** Finishes the drains that run, and the ends of their batches. Call it when no more jobs come. */
  async close(): Promise<void> {
    await Promise.all([this.#scheduler.close(), this.#retries.close()]);
    await this.#drainer.close();
  }

  async #drain({ lanes, atMost, onTaken }: LanesWanted): Promise<LanesDrained> {
    let taken: readonly number[] = lanes;
    try {
      const drained = await this.#drainer.drain({
        ...{ lanes, atMost },
        onTaken: (those) => {
          taken = those;
          onTaken(those);
        },
      });
      this.#stalls.worked(taken);
      return drained;
    } catch (error) {
      this.#stalls.failed(taken, error);
      throw error;
    }
  }
}
