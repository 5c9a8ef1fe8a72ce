import { GivenBack } from '@lockstep/platform';
import { MAX_WEIGHT } from '../accepting/prepare.ts';
import { type Drain, type DrainOutcome, Scheduler } from './scheduler.ts';

/** The least time between the beginnings of two drains of channels that are not behind. */
const DRAIN_GAP_MS = 5;

/** How often to look which backlogs other workers drain, while a channel is behind. */
const LOOK_EVERY_MS = 250;

/** Runs the drains that a Scheduler decides on, in a number of slots, and answers those who ask for them. */
export class DrainLoop {
  readonly #scheduler: Scheduler<PromiseWithResolvers<void>>;
  readonly #pace = new Pace();
  readonly #readElsewhere: () => Promise<ReadonlySet<number>>;
  readonly #isTurnFree: () => boolean;
  readonly #drain: (drain: Drain) => Promise<DrainOutcome>;
  readonly #waiting = new Set<PromiseWithResolvers<void>>();
  readonly #running = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #lookTimer: NodeJS.Timeout | undefined;
  #isLooking = false;
  /** What the last look has found, and the one before: others may be between two drains. */
  #looks: readonly ReadonlySet<number>[] = [];
  #isStopped = false;

  constructor(options: {
    slots: number;
    /** Reads which channels' backlogs are left to other workers. */
    readElsewhere: () => Promise<ReadonlySet<number>>;
    /** Whether the turn of large work is free. */
    isTurnFree: () => boolean;
    drain: (drain: Drain) => Promise<DrainOutcome>;
  }) {
    this.#scheduler = new Scheduler({ slots: options.slots, gapMs: DRAIN_GAP_MS });
    this.#readElsewhere = options.readElsewhere;
    this.#isTurnFree = options.isTurnFree;
    this.#drain = options.drain;
  }

  /**
   * Has lanes drained up to a batch; see Scheduler.request. Rejects if such a drain fails, and with a GivenBack if the
   * loop stops before.
   */
  request(lanes: Iterable<number>, throughBatchId: bigint): Promise<void> {
    const answer = Promise.withResolvers<void>();
    if (this.#isStopped) answer.reject(new GivenBack());
    else {
      this.#waiting.add(answer);
      this.#scheduler.request(answer, lanes, throughBatchId, performance.now());
      this.#goOn();
    }
    return answer.promise;
  }

  /** Whether a drain of the lane runs or is to come, so that nobody has to ask for one. */
  isExpected(lane: number): boolean {
    return this.#scheduler.isExpected(lane);
  }

  /** Whether the lane was locked elsewhere when it was to be drained last. */
  isLocked(lane: number): boolean {
    return this.#scheduler.isLocked(lane);
  }

  /** Starts no more drains. Those who wait for one are told at once; what is left stays pending for another worker. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#lookTimer);
    for (const answer of this.#waiting) answer.reject(new GivenBack());
    this.#waiting.clear();
  }

  /** Stops, and waits for the drains that run. */
  async close(): Promise<void> {
    this.stop();
    await Promise.all(this.#running);
  }

  #goOn(): void {
    clearTimeout(this.#timer);
    for (const { id: answer, failure } of this.#scheduler.takeSettled()) {
      this.#waiting.delete(answer);
      if (failure === null) answer.resolve();
      else answer.reject(failure.error);
    }
    if (this.#isStopped) return;
    for (let drain = this.#next(); drain !== null; drain = this.#next()) {
      const running = this.#run(drain).finally(() => this.#running.delete(running));
      this.#running.add(running);
    }
    if (!this.#scheduler.isBehind) this.#looks = [];
    else if (!this.#isLooking) void this.#lookElsewhere();
    const inMs = this.#scheduler.wakeMs(performance.now(), this.#allow()) - performance.now();
    if (Number.isFinite(inMs)) this.#timer = setTimeout(() => this.#goOn(), Math.max(1, Math.ceil(inMs)));
  }

  #next(): Drain | null {
    return this.#scheduler.next(performance.now(), this.#allow());
  }

  #allow() {
    const elsewhere = new Set(this.#looks.flatMap((found) => [...found]));
    return { elsewhere, maxWeight: this.#pace.maxWeight, isTurnFree: this.#isTurnFree() };
  }

  /**
   * Looks which backlogs other workers drain. A look that fails says nothing of others: then this worker does what
   * there is.
   */
  async #lookElsewhere(): Promise<void> {
    this.#isLooking = true;
    const found = await this.#readElsewhere().catch(() => new Set<number>());
    this.#looks = [found, ...this.#looks.slice(0, 1)];
    if (this.#isStopped) return;
    this.#lookTimer = setTimeout(() => {
      this.#isLooking = false;
      this.#goOn();
    }, LOOK_EVERY_MS);
  }

  async #run(drain: Drain): Promise<void> {
    const startedMs = performance.now();
    const outcome = await this.#drain(drain);
    const endedMs = performance.now();
    if (outcome.became === 'drained') this.#pace.drained(outcome.weight, endedMs - startedMs);
    this.#scheduler.ended(drain, outcome, endedMs);
    this.#goOn();
  }
}

/**
 * How long a drain should take: beside other channels, which wait for their turn meanwhile, and alone, where another
 * worker waits for its lanes if this one is stopped.
 */
const TURN_MS = { beside: 120, alone: 1_000 };
/** The least weight of a drain: below it, what each costs by itself counts. */
const MIN_WEIGHT = 250;
/** How much the newest drain counts in the mean. */
const NEWEST = 0.2;

/** How much drains take, by how long they have taken: where PostgreSQL is slower, each takes less. */
export class Pace {
  #weightPerMs = 2;

  /** Notes a drain. */
  drained(weight: number, tookMs: number): void {
    if (weight >= MIN_WEIGHT) this.#weightPerMs += NEWEST * (weight / tookMs - this.#weightPerMs);
  }

  /** What a drain may take while its channel has the service for itself, and beside others. */
  get maxWeight(): { alone: number; beside: number } {
    const inMs = (ms: number) => Math.max(MIN_WEIGHT, Math.min(MAX_WEIGHT, Math.round(this.#weightPerMs * ms)));
    return { alone: inMs(TURN_MS.alone), beside: inMs(TURN_MS.beside) };
  }
}
