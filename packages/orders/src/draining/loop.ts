import { GivenBack } from '@lockstep/platform';
import { MAX_WEIGHT } from '../accepting/prepare.ts';
import { type Drain, type DrainOutcome, Scheduler } from './scheduler.ts';

/** The minimum time between the starts of two drains of channels without a backlog. */
const DRAIN_GAP_MS = 5;

/** How often to check which backlogs other workers drain, while a channel has a backlog. */
const LOOK_EVERY_MS = 250;

/** Runs the drains that a Scheduler chooses, in a number of slots, and settles the requests for them. */
export class DrainLoop {
  readonly #scheduler: Scheduler<PromiseWithResolvers<void>>;
  readonly #pace = new DrainPace();
  readonly #readElsewhere: () => Promise<ReadonlySet<number>>;
  readonly #isTurnFree: () => boolean;
  readonly #drain: (drain: Drain) => Promise<DrainOutcome>;
  readonly #waiting = new Set<PromiseWithResolvers<void>>();
  readonly #running = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #lookTimer: NodeJS.Timeout | undefined;
  #isLooking = false;
  /** The results of the last two looks. One is not enough, because another worker holds no lock between two drains. */
  #looks: readonly ReadonlySet<number>[] = [];
  #isStopped = false;

  constructor(options: {
    slots: number;
    /** Returns the channels whose backlogs this worker leaves to others. */
    readElsewhere: () => Promise<ReadonlySet<number>>;
    /** Whether no large work is running or waiting. */
    isTurnFree: () => boolean;
    drain: (drain: Drain) => Promise<DrainOutcome>;
  }) {
    this.#scheduler = new Scheduler({ slots: options.slots, gapMs: DRAIN_GAP_MS });
    this.#readElsewhere = options.readElsewhere;
    this.#isTurnFree = options.isTurnFree;
    this.#drain = options.drain;
  }

  /**
   * Requests drains of lanes up to a batch; see Scheduler.request. Rejects if such a drain fails, or with a GivenBack
   * if the loop stops first.
   */
  request(lanes: Iterable<number>, throughBatchId: bigint): Promise<void> {
    const answer = Promise.withResolvers<void>();
    if (this.#isStopped) answer.reject(new GivenBack());
    else {
      this.#waiting.add(answer);
      this.#scheduler.request(answer, lanes, throughBatchId, performance.now());
      this.#advance();
    }
    return answer.promise;
  }

  /** Whether a drain of the lane is running or scheduled. */
  isExpected(lane: number): boolean {
    return this.#scheduler.isExpected(lane);
  }

  isLocked(lane: number): boolean {
    return this.#scheduler.isLocked(lane);
  }

  /** Starts no more drains and rejects waiting requests at once. Their orders stay pending for another worker. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#lookTimer);
    for (const answer of this.#waiting) answer.reject(new GivenBack());
    this.#waiting.clear();
  }

  async close(): Promise<void> {
    this.stop();
    await Promise.all(this.#running);
  }

  #advance(): void {
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
    if (Number.isFinite(inMs)) this.#timer = setTimeout(() => this.#advance(), Math.max(1, Math.ceil(inMs)));
  }

  #next(): Drain | null {
    return this.#scheduler.next(performance.now(), this.#allow());
  }

  #allow() {
    const elsewhere = new Set(this.#looks.flatMap((found) => [...found]));
    return { elsewhere, maxWeight: this.#pace.maxWeight, isTurnFree: this.#isTurnFree() };
  }

  /** Reads which backlogs other workers drain. If that fails, this worker drains all of them. */
  async #lookElsewhere(): Promise<void> {
    this.#isLooking = true;
    const found = await this.#readElsewhere().catch(() => new Set<number>());
    this.#looks = [found, ...this.#looks.slice(0, 1)];
    if (this.#isStopped) return;
    this.#lookTimer = setTimeout(() => {
      this.#isLooking = false;
      this.#advance();
    }, LOOK_EVERY_MS);
  }

  async #run(drain: Drain): Promise<void> {
    const startedMs = performance.now();
    const outcome = await this.#drain(drain);
    const endedMs = performance.now();
    if (outcome.became === 'drained') this.#pace.drained(outcome.weight, endedMs - startedMs);
    this.#scheduler.ended(drain, outcome, endedMs);
    this.#advance();
  }
}

/**
 * How long a drain should take. `beside`: while other channels are active, because they wait for it. `alone`:
 * otherwise; this bounds how long another worker waits for the lanes if this one dies.
 */
const TURN_MS = { beside: 120, alone: 1_000 };
/** The minimum weight of a drain. Below it, the fixed cost of each drain dominates. */
const MIN_WEIGHT = 250;
const NEWEST = 0.2;

/** Sets how much work drains take, from how long earlier ones took: where PostgreSQL is slower, each takes less. */
export class DrainPace {
  #weightPerMs = 2;

  drained(weight: number, tookMs: number): void {
    if (weight >= MIN_WEIGHT) this.#weightPerMs += NEWEST * (weight / tookMs - this.#weightPerMs);
  }

  /** The maximum weight of a drain while its channel is the only active one, and while others are active. */
  get maxWeight(): { alone: number; beside: number } {
    const inMs = (ms: number) => Math.max(MIN_WEIGHT, Math.min(MAX_WEIGHT, Math.round(this.#weightPerMs * ms)));
    return { alone: inMs(TURN_MS.alone), beside: inMs(TURN_MS.beside) };
  }
}
