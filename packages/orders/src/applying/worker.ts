import { LedgerIds } from '@lockstep/assets';
import { type Database, describeError, type Logger } from '@lockstep/platform';
import { countActivity } from '../channels/count-activity.ts';
import { readHoldsAndStalls } from '../channels/gauges.ts';
import { OpenBatches } from '../completion/complete-batches.ts';
import { searchExpiries } from '../feed/expiries.ts';
import type { EventNumbering } from '../feed/numbering.ts';
import type { OrderMetrics } from '../metrics.ts';
import { Drainer } from './drain.ts';
import { HoldRetries } from './hold-retries.ts';
import { type Became, Claims, DrainLoop } from './loop.ts';

interface WorkerOptions {
  db: Database;
  log: Logger;
  metrics: OrderMetrics;
  numbering: EventNumbering;
  /** How many drains run at once, each in its own transaction and connection. */
  drains: number;
}

/** The work of a worker: drains lanes when jobs ring, and once a second does what no job asks for. */
export class OrderWorker {
  readonly #options: WorkerOptions;
  readonly #drainer: Drainer;
  readonly #retries: HoldRetries;
  readonly #loop: DrainLoop;
  readonly #openBatches = new OpenBatches();
  readonly #claims: Claims;
  readonly #stalls: Stalls;
  /** The tasks of the sweep that failed last time. */
  readonly #failing = new Set<string>();

  constructor(options: WorkerOptions) {
    const { db, log } = options;
    this.#options = options;
    const ids = new LedgerIds();
    this.#drainer = new Drainer({ ...options, ids });
    this.#retries = new HoldRetries({ db, log, ids, drainer: this.#drainer });
    this.#claims = new Claims(options.drains);
    this.#stalls = new Stalls(db, log);
    this.#loop = new DrainLoop(options.drains, (claimed) => this.#drain(claimed));
  }

  /** Takes a job, whatever release queued it: it says that orders wait. */
  takeJob(): void {
    this.#options.metrics.jobs.inc();
    if (!this.#claims.isGathering) this.#loop.ring();
  }

  /**
   * Rings, for orders whose job was lost and for lanes that are due again. Retries held orders without waiting for
   * them. Completes batches and numbers events that a crash left, searches for ending licenses, and counts recorded
   * activity. Call it each second.
   */
  async sweep(): Promise<void> {
    this.#loop.ring();
    if (!(await this.#stalls.look())) return;
    this.#retries.start();
    await this.#try(
      'completion',
      () => this.#openBatches.completeFinished(this.#options.db),
      (err) => this.#options.log.warn({ err }, 'batch completion failed; will retry'),
    );
    this.#options.numbering.number();
    await this.#try(
      'expiries',
      () => searchExpiries(this.#options.db),
      (err) => this.#options.log.warn({ err }, 'search for ending licenses failed; will retry'),
    );
    await this.#try(
      'activity',
      () => countActivity(this.#options.db),
      (err) => this.#options.log.warn({ err }, 'activity count failed; will retry'),
    );
  }

  /** Why orders are stalled; null if they aren't. For readiness. */
  get stalledBy(): string | null {
    return this.#stalls.reason;
  }

  /** Starts no more work (rules 9). Orders stay pending for another worker. */
  stop(): void {
    this.#loop.stop();
    this.#retries.stop();
  }

  /** Stops, and waits for the work in progress. */
  async close(): Promise<void> {
    this.stop();
    await Promise.all([this.#loop.close(), this.#retries.close()]);
  }

  async #drain(claimed: (mayFindMore: boolean) => void): Promise<Became> {
    const { statement, answered, ended } = this.#claims.begin();
    let hasLanes = false;
    try {
      await this.#drainer.drain(statement, {
        locked: (row) => {
          hasLanes = row.lanes !== '';
          claimed(answered(row));
        },
      });
      return hasLanes ? 'worked' : 'idle';
    } catch (error) {
      this.#options.log.debug({ err: error }, 'drain failed; will retry');
      return 'failed';
    } finally {
      ended();
    }
  }

  /** A failure delays no order, so it is not a stall. It is logged once. */
  async #try(task: string, work: () => Promise<unknown>, warn: (error: unknown) => void): Promise<void> {
    try {
      await work();
      this.#failing.delete(task);
    } catch (error) {
      if (!this.#failing.has(task)) warn(error);
      this.#failing.add(task);
    }
  }
}

/** The application name with which workers connect to PostgreSQL. It shows operators whether a worker is running. */
export const WORKER_NAME = 'lockstep-worker';

/** Knows whether orders are stalled, for readiness. Logs when that begins, when the reason changes and when it ends. */
class Stalls {
  readonly #db: Database;
  readonly #log: Logger;
  #stall: { sinceMs: number; reason: string; logged: Set<string> } | null = null;

  constructor(db: Database, log: Logger) {
    this.#db = db;
    this.#log = log;
  }

  /** Why orders are stalled, as of the last look; null if they aren't. */
  get reason(): string | null {
    return this.#stall?.reason ?? null;
  }

  /** Looks whether the drains of lanes keep failing. Returns false if it can't find out, which is a stall, too. */
  async look(): Promise<boolean> {
    try {
      const { stalledLanes, stalledBy } = await readHoldsAndStalls(this.#db);
      if (stalledBy === null) this.#end();
      else this.#begin(stalledBy, { lanes: stalledLanes });
      return true;
    } catch (error) {
      this.#begin(describeError(error), { err: error });
      return false;
    }
  }

  #begin(reason: string, fields: object): void {
    const { sinceMs = performance.now(), logged = new Set<string>() } = this.#stall ?? {};
    if (!logged.has(reason)) this.#log.error({ ...fields, reason }, 'orders stalled; will retry');
    this.#stall = { sinceMs, reason, logged: logged.add(reason) };
  }

  #end(): void {
    if (this.#stall === null) return;
    const seconds = Math.round((performance.now() - this.#stall.sinceMs) / 100) / 10;
    this.#stall = null;
    this.#log.info({ seconds }, 'orders resumed');
  }
}
