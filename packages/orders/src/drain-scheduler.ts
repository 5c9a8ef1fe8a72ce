import { HeldLanes } from './held-lanes.ts';
import { Pauses } from './pauses.ts';

/**
 * Lanes that a drain takes while there is more than one can carry. Few, so that all slots of all workers have some: one
 * drain that takes all lanes leaves nothing for the others.
 */
const LANES_OF_SHARE = 2;

interface Waiter {
  /** Lanes that are not yet drained up to the batch. */
  lanes: Set<number>;
  throughBatchId: bigint;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** What the scheduler needs to know about a drain that ended well. */
export interface LanesDrained {
  /** The lanes that were drained: those that were taken, or some of them. */
  lanes: readonly number[];
  /** The last batch up to which the lanes were drained; null if nothing was left. */
  throughBatchId: bigint | null;
}

/** A request for a drain: which lanes may be drained, how many at most, and who is told which ones were taken. */
export interface LanesWanted {
  lanes: number[];
  atMost: number;
  /** Call it once, when the lanes are locked, so that others may have those that were not taken. */
  onTaken: (lanes: readonly number[]) => void;
}

/**
 * Makes drains single-flight: in this process at most one drain of a lane runs, and everyone who wants the lane
 * meanwhile shares the next one. A free slot takes every wanted lane that is not being drained, so one transaction
 * carries a whole batch, and under load the orders of many. Once there is more than a drain carries, each takes a share
 * of the lanes, so that several drains run at once, here and in other processes.
 *
 * Lanes that somebody else has locked are not waited for. They are tried again after a pause.
 *
 * Lanes whose drain failed are drained again after a pause, whoever asks for them meanwhile: each alone and one at a
 * time, so that a failing lane stops no other, and if all lanes fail, the database gets one attempt per pause.
 */
export class DrainScheduler {
  readonly #drain: (wanted: LanesWanted) => Promise<LanesDrained>;
  readonly #gapMs: number;
  /** When the last drain began, by performance.now. */
  #begunMs = Number.NEGATIVE_INFINITY;
  #freeSlots: number;
  readonly #wanted = new Set<number>();
  readonly #running = new Set<number>();
  readonly #failing = new Set<number>();
  /** When each lane was taken last, by performance.now: those that have waited longest are first. */
  readonly #takenMs = new Map<number, number>();
  /** Lanes that hold more than their last drain took. */
  readonly #behind = new Set<number>();
  readonly #held = new HeldLanes();
  readonly #pauses = new Pauses();
  /** When to drain a lane again, by performance.now. */
  readonly #againAtMs = new Map<number, number>();
  #waiters = new Set<Waiter>();
  readonly #drains = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /**
   * `gapMs`: the least time between the beginnings of two drains while each carries all there is, so that more gathers for
   * the next one.
   */
  constructor(options: {
    slots: number;
    gapMs: number;
    drain: (wanted: LanesWanted) => Promise<LanesDrained>;
  }) {
    this.#gapMs = options.gapMs;
    this.#drain = options.drain;
    this.#freeSlots = options.slots;
  }

  /**
   * Resolves when each of the lanes was drained, by drains that began after this call, up to the batch or until it was
   * empty. It does not wait for lanes that are failing or that somebody else has locked, which are drained as soon as they
   * can be. Rejects with the failure of such a drain.
   */
  request(lanes: Iterable<number>, throughBatchId: bigint): Promise<void> {
    return new Promise((resolve, reject) => {
      const wanted = [...lanes];
      for (const lane of wanted) this.#wanted.add(lane);
      const waiter = {
        lanes: new Set(wanted.filter((lane) => !this.#failing.has(lane))),
        throughBatchId,
        resolve,
        reject,
      };
      if (waiter.lanes.size === 0) resolve();
      else this.#waiters.add(waiter);
      this.#startDrains();
    });
  }

  /** Whether a drain of the lane runs, waits for a slot or is scheduled, so that nobody has to ask for one. */
  isExpected(lane: number): boolean {
    return this.#running.has(lane) || this.#wanted.has(lane) || this.#againAtMs.has(lane);
  }

  /** The lanes that somebody else has locked, as far as is known. */
  get heldLanes(): ReadonlySet<number> {
    return this.#held.lanes;
  }

  /** Starts no more drains and waits for those that run. What is left stays pending for another worker. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await Promise.all(this.#drains);
  }

  #startDrains(): void {
    while (!this.#closed && this.#freeSlots > 0 && !this.#isGathering()) {
      const lanes = this.#nextLanes();
      if (lanes.length === 0) break;
      const drain = this.#run(lanes).finally(() => this.#drains.delete(drain));
      this.#drains.add(drain);
    }
    this.#wakeLater();
  }

  #nextLanes(): number[] {
    const sinceMs = (lane: number) => this.#takenMs.get(lane) ?? Number.NEGATIVE_INFINITY;
    const ready = [...this.#wanted]
      .filter((lane) => !this.#running.has(lane))
      .sort((a, b) => sinceMs(a) - sinceMs(b) || 0);
    const healthy = ready.filter((lane) => !this.#failing.has(lane));
    if (healthy.length > 0) return healthy;
    return this.#isTrying() || this.#pauses.untilMs > performance.now() ? [] : ready.slice(0, 1);
  }

  async #run(lanes: number[]): Promise<void> {
    const waiters = [...this.#waiters];
    this.#freeSlots--;
    this.#begunMs = performance.now();
    for (const lane of lanes) {
      this.#wanted.delete(lane);
      this.#againAtMs.delete(lane);
      this.#running.add(lane);
    }
    const atMost = lanes.some((lane) => this.#behind.has(lane)) ? LANES_OF_SHARE : lanes.length;
    let own: readonly number[] = lanes;
    const onTaken = (taken: readonly number[]) => {
      this.#leave(
        own.filter((lane) => !taken.includes(lane)),
        taken.length < atMost,
      );
      for (const lane of taken) {
        this.#held.taken(lane);
        this.#takenMs.set(lane, performance.now());
      }
      own = taken;
      this.#startDrains();
    };
    try {
      const drained = await this.#drain({ lanes, atMost, onTaken });
      this.#leave(
        own.filter((lane) => !drained.lanes.includes(lane)),
        true,
      );
      own = drained.lanes;
      this.#end(own, drained, waiters);
    } catch (error) {
      this.#fail(own, error, waiters);
    } finally {
      this.#freeSlots++;
      for (const lane of own) this.#running.delete(lane);
    }
    this.#startDrains();
  }

  /** Gives back lanes that a drain did not take. If it found no free ones, they are held, and tried again later. */
  #leave(lanes: readonly number[], areHeld: boolean): void {
    for (const lane of lanes) {
      this.#running.delete(lane);
      if (!areHeld) {
        this.#wanted.add(lane);
        continue;
      }
      this.#wanted.delete(lane);
      this.#againAtMs.set(lane, performance.now() + this.#held.pauseMs(lane));
    }
    if (areHeld) for (const waiter of this.#waiters) this.#settle(waiter, lanes);
  }

  #end(lanes: readonly number[], drained: LanesDrained, waiters: readonly Waiter[]): void {
    for (const lane of lanes) if (this.#failing.delete(lane)) this.#pauses.end();
    for (const waiter of waiters) this.#satisfy(waiter, lanes, drained);
    const isBehind = drained.throughBatchId !== null;
    for (const lane of lanes) {
      if (isBehind) {
        this.#wanted.add(lane);
        this.#behind.add(lane);
      } else this.#behind.delete(lane);
    }
  }

  #fail(lanes: readonly number[], error: unknown, waiters: readonly Waiter[]): void {
    this.#pauses.lengthen();
    for (const lane of lanes) {
      this.#takenMs.set(lane, performance.now());
      this.#failing.add(lane);
      this.#wanted.add(lane);
    }
    for (const waiter of waiters) {
      if (lanes.some((lane) => waiter.lanes.has(lane)) && this.#waiters.delete(waiter)) waiter.reject(error);
    }
    for (const waiter of this.#waiters) this.#settle(waiter, lanes);
  }

  #satisfy(waiter: Waiter, lanes: readonly number[], drained: LanesDrained): void {
    if (drained.throughBatchId !== null && drained.throughBatchId < waiter.throughBatchId) return;
    this.#settle(waiter, lanes);
  }

  /** Takes these lanes off what a waiter waits for. */
  #settle(waiter: Waiter, lanes: readonly number[]): void {
    for (const lane of lanes) waiter.lanes.delete(lane);
    if (waiter.lanes.size === 0 && this.#waiters.delete(waiter)) waiter.resolve();
  }

  /** Sets a timer for the next drain that nobody asks for. */
  #wakeLater(): void {
    clearTimeout(this.#timer);
    const times = [...this.#againAtMs.values()];
    const isToTry = [...this.#failing].some((lane) => this.#wanted.has(lane));
    if (isToTry && this.#freeSlots > 0 && !this.#isTrying()) times.push(this.#pauses.untilMs);
    if (this.#wanted.size > 0 && this.#freeSlots > 0 && this.#isGathering()) times.push(this.#begunMs + this.#gapMs);
    if (this.#closed || times.length === 0) return;
    this.#timer = setTimeout(() => this.#wake(), Math.max(1, Math.min(...times) - performance.now()));
  }

  /** Whether the next drain has to wait until more has gathered. */
  #isGathering(): boolean {
    return this.#behind.size === 0 && performance.now() - this.#begunMs < this.#gapMs;
  }

  /** Whether a lane that failed is being drained. */
  #isTrying(): boolean {
    return [...this.#running].some((lane) => this.#failing.has(lane));
  }

  #wake(): void {
    const nowMs = performance.now();
    for (const [lane, atMs] of this.#againAtMs) {
      if (atMs > nowMs) continue;
      this.#againAtMs.delete(lane);
      this.#wanted.add(lane);
    }
    this.#startDrains();
  }
}
