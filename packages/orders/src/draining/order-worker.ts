import { randomInt } from 'node:crypto';
import { LedgerIds } from '@lockstep/assets';
import { type Database, GivenBack, type Logger } from '@lockstep/platform';
import { jobSchema } from '../accepting/jobs.ts';
import { LargeTurn } from '../applying/large-turns.ts';
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
 * How long a batch may stay the oldest of a lane that somebody else has locked. A drain of another worker or a large
 * sync call may rightly hold it for minutes. After that time, whoever holds it hangs.
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
  readonly #loop: DrainLoop;
  readonly #largeTurn = new LargeTurn();
  readonly #stalls: Stalls;
  readonly #sightings = new Sightings(JOB_LOST_AFTER_MS);
  readonly #heldSightings = new Sightings(HOLDER_HANGS_AFTER_MS);
  /** Tells this worker's drains of backlogs from those of others. */
  readonly #worker = randomInt(1, 2 ** 31);
  readonly #openBatches = new OpenBatches();
  /** Up to which lane the sweep has looked, and whether it has seen all since the worker started. */
  #sweptLane = -1;
  #hasSweptAll = false;
  #hasLoggedJob = false;
  #hasLoggedCompletions = false;
  #hasLoggedActivity = false;

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
    const largeTurn = this.#largeTurn;
    this.#drainer = new LaneDrainer({ ...options, ids, largeTurn });
    this.#retries = new HoldRetries({
      ...options,
      ids,
      largeTurn,
      applied: (applied, startedMs) => this.#drainer.applied(applied, startedMs),
    });
    this.#stalls = new Stalls(options);
    this.#loop = new DrainLoop({
      slots: options.drains,
      readElsewhere: () => readBacklogsElsewhere(this.#db, this.#worker),
      isTurnFree: () => !largeTurn.isTaken,
      drain: (drain) => this.#drain(drain),
    });
  }

  /**
   * Carries out a job. Rejects if its lanes could not be drained; they are drained again by themselves. A job that this
   * release does not know is dropped: the sweep finds its orders.
   */
  async process(data: unknown): Promise<void> {
    const { success, data: known } = jobSchema.safeParse(data);
    if (success) return await this.#loop.request(known.lanes, BigInt(known.throughBatchId));
    if (!this.#hasLoggedJob) this.#log.warn('unknown job dropped; sweep will take over');
    this.#hasLoggedJob = true;
  }

  /**
   * Drains the lanes in which nothing has moved for too long and no drain is to come: their jobs are lost. When the
   * worker has just started, it drains all lanes. It does not wait for these drains: one may hang, and the next sweep
   * has to come all the same. It retries held orders that are due in the same way. Then it ends batches that a crash
   * left open, numbers events that one left without a number, and counts what was noted of activity.
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

  /** A failure here keeps no order waiting either: the console shows less than there is until it works again. */
  async #countActivity(): Promise<void> {
    try {
      await countActivity(this.#db);
      this.#hasLoggedActivity = false;
    } catch (error) {
      if (!this.#hasLoggedActivity) this.#log.warn({ err: error }, 'activity count failed; will retry');
      this.#hasLoggedActivity = true;
    }
  }

  /** A failure here keeps no order waiting, so it is no stall. */
  async #completeOpenBatches(): Promise<void> {
    try {
      const batchIds = await this.#openBatches.endFinished(this.#db, (failedIds, error) =>
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

  /** Looks at the next lanes that have something pending, and behind the last ones begins anew. */
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
    // A drain that fails is reported by itself, and runs again.
    this.#loop.request(lanes, newest).catch(() => {});
  }

  #reportHangs(looked: OldestInLanes): void {
    const held = looked.oldest.filter(({ lane }) => this.#loop.isLocked(lane));
    const stale = this.#heldSightings.findStale({ ...looked, oldest: held }, performance.now());
    if (stale.length === 0) return;
    const error = new Error('another session holds their lanes and does nothing');
    this.#stalls.failed(
      stale.map(({ lane }) => lane),
      error,
    );
  }

  /** Why orders wait that should have been applied; null if none does. For readiness. */
  get stalledBy(): string | null {
    return this.#stalls.reason;
  }

  /** Begins nothing more (rules 9): jobs that wait, and those that come, are given back at once, for another worker. */
  stop(): void {
    this.#loop.stop();
    this.#retries.stop();
    this.#largeTurn.stop();
  }

  /** Stops, and finishes what runs, and the ends of its batches. */
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

/** The name with which workers connect to PostgreSQL: by it an operator sees whether any is there. */
export const WORKER_NAME = 'lockstep-worker';
