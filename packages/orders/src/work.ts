import { LedgerIds } from '@lockstep/assets';
import type { Database, Logger, Metrics } from '@lockstep/platform';
import { findStaleLanes } from './backlog.ts';
import { DrainScheduler } from './drain-scheduler.ts';
import type { Job } from './jobs.ts';
import { LaneDrainer } from './lane-drainer.ts';

/** Orders pending for longer than this have lost their job, or their drain has failed. */
const STALE_AFTER_MS = 2_000;

/** A worker's work: drains lanes as jobs ask for it, and sweeps for what no job asks for. */
export class OrderWorker {
  readonly #db: Database;
  readonly #metrics: Metrics;
  readonly #scheduler: DrainScheduler;

  /** `drains`: drains that run at once, each in a transaction and on a connection of its own. */
  constructor(options: { db: Database; log: Logger; metrics: Metrics; drains: number }) {
    this.#db = options.db;
    this.#metrics = options.metrics;
    const drainer = new LaneDrainer({ ...options, ids: new LedgerIds() });
    this.#scheduler = new DrainScheduler({ slots: options.drains, drain: (lanes) => drainer.drain(lanes) });
  }

  /** Carries out a job. Rejects where its lanes could not be drained; the sweep tries again. */
  async process(job: Job): Promise<void> {
    switch (job.type) {
      case 'drain':
        return await this.#scheduler.request(job.lanes, BigInt(job.throughBatchId));
    }
  }

  /** Drains every lane in which orders have been pending for too long: their job is gone or has failed. */
  async sweep(): Promise<void> {
    const { lanes, throughBatchId } = await findStaleLanes(this.#db, STALE_AFTER_MS);
    if (lanes.length === 0) return;
    this.#metrics.sweptLanes.inc(lanes.length);
    await this.#scheduler.request(lanes, throughBatchId);
  }

  /** Finishes the drains that run. Call it when no more jobs come. */
  close(): Promise<void> {
    return this.#scheduler.close();
  }
}
