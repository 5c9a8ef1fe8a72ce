import { randomInt } from 'node:crypto';
import { LedgerIds } from '@lockstep/assets';
import { type Database, GivenBack, type Logger } from '@lockstep/platform';
import { jobSchema } from '../accepting/jobs.ts';
import { countActivity } from '../channels/count-activity.ts';
import type { EventNumbering } from '../completion/numbering.ts';
import { OpenBatches } from '../completion/open-batches.ts';
import { readBacklogsElsewhere } from '../lane-locks.ts';
import type { OrderMetrics } from '../metrics.ts';
import { LaneDrainer } from './drainer.ts';
import { HoldRetries } from './hold-retries.ts';
import { DrainLoop } from './loop.ts';
import { type OldestInLanes, readOldestPending, Sightings } from './lost-jobs.ts';
import type { Drain, DrainOutcome } from './scheduler.ts';
import { Stalls } from './stalls.ts';

/** How long a batch may stay the oldest of its lane before the sweep assumes that its job is lost. */
const JOB_LOST_AFTER_MS = 2_000;

/**
 * How long a batch may stay the oldest of a lane that is locked elsewhere. Another worker's drain or a large sync call
 * may legitimately hold the lock for minutes; after this time, the holder is assumed to hang.
 */
const HOLDER_HANGS_AFTER_MS = 180_000;

/** The work of a worker: drains lanes when jobs ask for it, and sweeps for pending orders whose job was lost. */
export class OrderWorker {
  readonly #db: Database;
  readonly #log: Logger;
  readonly #metrics: OrderMetrics;
  readonly #numbering: EventNumbering;
  readonly #drainer: LaneDrainer;
  readonly #retries: HoldRetries;
  readonly #loop: DrainLoop;
  readonly #stalls: Stalls;
  readonly #sightings = new Sightings(JOB_LOST_AFTER_MS);
  readonly #heldSightings = new Sightings(HOLDER_HANGS_AFTER_MS);
  /** Tells this worker's drains of backlogs from those of others. */
  readonly #worker = randomInt(1, 2 ** 31);
  readonly #openBatches = new OpenBatches();
  /** The last lane that the sweep covered, and whether it has covered all since the worker started. */
  #sweptLane = -1;
  #hasSweptAll = false;
  #hasLoggedJob = false;
  #hasLoggedCompletions = false;
  #hasLoggedActivity = false;

  /** `drains`: how many drains run at once, each in its own transaction and connection. */
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
    this.#drainer = new LaneDrainer({ ...options, ids });
    this.#retries = new HoldRetries({
      ...options,
      ids,
      applied: (applied, startedMs) => this.#drainer.applied(applied, startedMs),
    });
    this.#stalls = new Stalls(options);
    this.#loop = new DrainLoop({
      slots: options.drains,
      readElsewhere: () => readBacklogsElsewhere(this.#db, this.#worker),
      isTurnFree: () => true,
      drain: (drain) => this.#drain(drain),
    });
  }

  /**
   * Processes a job. Rejects if its lanes could not be drained; they are retried without a job. Drops a job in a form
   * that this release does not know; the sweep finds its orders.
   */
  async process(data: unknown): Promise<void> {
    const { success, data: known } = jobSchema.safeParse(data);
    if (success) return await this.#loop.request(known.lanes, BigInt(known.throughBatchId));
    if (!this.#hasLoggedJob) this.#log.warn('unknown job dropped; sweep will take over');
    this.#hasLoggedJob = true;
  }

  /**
   * Drains lanes whose oldest batch has not changed for too long although no drain is scheduled: their jobs are lost.
   * After a start, drains all lanes, because the queue returns the jobs of a dead worker only after half a minute. Does
   * not wait for these drains or for retries of held orders, because one may hang and the next sweep must still run.
   * Then completes batches and numbers events that a crash left, and counts recorded activity.
   */
  async sweep(): Promise<void> {
    try {
      do await this.#sweepLanes();
      while (!this.#hasSweptAll);
      this.#stalls.worked(['sweep']);
      this.#retries.start();
    } catch (error) {
      this.#stalls.failed(['sweep'], error);
      return;
    }
    await this.#completeOpenBatches();
    this.#numbering.number();
    await this.#countActivity();
  }

  /** A failure delays no order. Until it works again, the console shows outdated activity. */
  async #countActivity(): Promise<void> {
    try {
      await countActivity(this.#db);
      this.#hasLoggedActivity = false;
    } catch (error) {
      if (!this.#hasLoggedActivity) this.#log.warn({ err: error }, 'activity count failed; will retry');
      this.#hasLoggedActivity = true;
    }
  }

  /** A failure delays no order, so it is not a stall. */
  async #completeOpenBatches(): Promise<void> {
    try {
      const batchIds = await this.#openBatches.completeFinished(this.#db, (failedIds, error) =>
        this.#log.warn({ err: error, batchIds: failedIds }, 'batch completion failed; will retry'),
      );
      if (batchIds.length === 0) return;
      this.#log.debug({ batchIds }, 'sweep completed batches');
      this.#hasLoggedCompletions = false;
    } catch (error) {
      if (!this.#hasLoggedCompletions) this.#log.warn({ err: error }, 'batch completion failed; will retry');
      this.#hasLoggedCompletions = true;
    }
  }

  /** Covers the next lanes with pending orders, and starts over after the last. */
  async #sweepLanes(): Promise<void> {
    const looked = await readOldestPending(this.#db, this.#sweptLane);
    this.#requestStale(looked);
    this.#reportHangs(looked);
    const isEnd = looked.throughLane === Number.POSITIVE_INFINITY;
    this.#sweptLane = isEnd ? -1 : looked.throughLane;
    this.#hasSweptAll ||= isEnd;
  }

  #requestStale(looked: OldestInLanes): void {
    const unexpected = looked.oldest.filter(({ lane }) => !this.#loop.isExpected(lane));
    const stale = this.#sightings.findStale({ ...looked, oldest: unexpected }, performance.now());
    const wanted = this.#hasSweptAll ? stale : unexpected;
    if (wanted.length === 0) return;
    this.#metrics.sweptLanes.inc(stale.length);
    const newest = wanted.reduce((max, { batchId }) => (batchId > max ? batchId : max), 0n);
    const lanes = wanted.map(({ lane }) => lane);
    // The scheduler reports and retries failed drains.
    this.#loop.request(lanes, newest).catch(() => {});
  }

  #reportHangs(looked: OldestInLanes): void {
    const held = looked.oldest.filter(({ lane }) => this.#loop.isLocked(lane));
    const stale = this.#heldSightings.findStale({ ...looked, oldest: held }, performance.now());
    if (stale.length === 0) return;
    const error = new Error('lane locked by an idle session');
    this.#stalls.failed(
      stale.map(({ lane }) => lane),
      error,
    );
  }

  /** Why orders are stalled; null if they aren't. For readiness. */
  get stalledBy(): string | null {
    return this.#stalls.reason;
  }

  /** Starts no more work (rules 9). Waiting and new jobs go back to the queue at once, for another worker. */
  stop(): void {
    this.#loop.stop();
    this.#retries.stop();
  }

  /** Stops, and waits for the work in progress and for completing its batches. */
  async close(): Promise<void> {
    this.stop();
    await Promise.all([this.#loop.close(), this.#retries.close()]);
    await this.#drainer.close();
  }

  async #drain(drain: Drain): Promise<DrainOutcome> {
    const outcome = await this.#drainer.attempt({ ...drain, bulkOf: drain.kind === 'bulk' ? this.#worker : undefined });
    if (outcome.became === 'drained') this.#stalls.worked(outcome.lanes);
    const isGivenBack = outcome.became === 'failed' && outcome.error instanceof GivenBack;
    if (outcome.became === 'failed' && !isGivenBack) this.#stalls.failed(outcome.lanes, outcome.error);
    return outcome;
  }
}

/** The application name with which workers connect to PostgreSQL. It shows operators whether a worker is running. */
export const WORKER_NAME = 'lockstep-worker';
