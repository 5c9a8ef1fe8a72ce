import { channelOf, LANES_OF_CHANNEL, lanesOfChannel } from '../lanes.ts';

/** How many lanes one drain takes at most: each is a lock, and PostgreSQL has room for some thousands. */
const MAX_LANES = 128;
/**
 * The most turns that a channel may owe. Beyond this, excess work is forgiven, so that the channel's own wait stays
 * bounded.
 */
export const MAX_DEBT = 8;
/**
 * How many requests may wait for slow lanes. Further ones are settled at once; their lanes are drained all the same.
 */
const MAX_WAITING = 8;
const ACTIVE_MS = 2_000;
/** The pause before retrying lanes that are locked elsewhere. It doubles up to `longest`. */
const LOCKED_PAUSE_MS = { first: 4, longest: 512 };
/** The pause before retrying a lane whose drain failed. It doubles up to `longest`. */
const FAILURE_PAUSE_MS = { first: 100, longest: 10_000 };
/** How soon to check again whether large work may start; other parts of this process do large work, too. */
const TURN_PAUSE_MS = 20;

/**
 * What a drain is for: channels without a backlog, together (shared); one channel with a backlog (bulk); lanes that may
 * have large work (alone); one lane that has large work (large); lanes whose drain failed (trial).
 */
type Kind = 'shared' | 'bulk' | 'alone' | 'large' | 'trial';

export interface Drain {
  kind: Kind;
  lanes: readonly number[];
  /** The weight of orders to take. A first chunk may exceed it. */
  maxWeight: number;
  /** Whether it needs the turn for large work. */
  isLarge: boolean;
  number: number;
}

/** What became of a drain, and which lanes it had locked. */
export type DrainOutcome = { lanes: readonly number[] } & (
  | {
      became: 'drained';
      /** Lanes with more pending orders, each with the last batch up to which it was drained. */
      left: ReadonlyMap<number, bigint>;
      weight: number;
    }
  | { became: 'large' }
  | { became: 'failed'; error: unknown }
);

export interface Allowance {
  /** Channels whose backlogs are left to other processes. */
  elsewhere: ReadonlySet<number>;
  /** The weight that a drain may take while its channel is the only active one, and while others are active. */
  maxWeight: { alone: number; beside: number };
  isTurnFree: boolean;
}

export interface Settled<Id> {
  id: Id;
  failure: { error: unknown } | null;
}

interface Request<Id> {
  id: Id;
  /** Lanes not yet drained up to the batch. */
  lanes: Set<number>;
  throughBatchId: bigint;
  /** Only drains with greater numbers started after the request. */
  after: number;
}

/** Idle lanes are forgotten. */
interface Lane {
  isWanted: boolean;
  isRunning: boolean;
  hasMore: boolean;
  isFailing: boolean;
  /** Whether its next orders are large work, or may be because lanes drained together touched too much. */
  size: 'small' | 'suspect' | 'large';
  misses: number;
}

const IDLE: Lane = {
  isWanted: false,
  isRunning: false,
  hasMore: false,
  isFailing: false,
  size: 'small',
  misses: 0,
};

/** A channel with a backlog: a drain left more orders in one of its lanes. */
interface Behind {
  /** Its lanes that wait for a slot, longest wait first. */
  ready: Set<number>;
  lanesWithMore: number;
  /** Turns that it leaves to others because a drain took more than its share. */
  debt: number;
}

/**
 * Decides which lanes to drain next (rules 6.2). A pure state machine: callers pass the time and the outcome of each
 * drain. A lane has one drain at a time; requests that arrive meanwhile share the next one.
 *
 * - Channels without a backlog share a drain. It starts `gapMs` after the last one, so that more work gathers for it.
 * - A drain of a backlog is for one channel only. These drains leave one slot to others. Channels take turns (deficit
 *   round robin): one that took more than its share owes turns to the others.
 * - The kinds of drains take turns for the slots, so none waits for more than one drain of each other kind.
 * - Lanes that are locked elsewhere block nothing. They are retried after a growing pause, so that a backlog stays
 *   with the worker that drains it, whose code has been optimized by then.
 * - Failed lanes are retried after a pause that they all share, apart from other lanes: first one lane, and while
 *   that works, two, four and so on. These drains and those of large work leave one slot to others.
 */
export class Scheduler<Id> {
  readonly #slots: number;
  readonly #gapMs: number;
  readonly #lanes = new Map<number, Lane>();
  /** Lanes that wait for a slot, by kind, longest wait first. */
  readonly #queues = { shared: new Set<number>(), alone: new Set<number>(), large: new Set<number>() };
  readonly #failing = new Set<number>();
  /** Channels with a backlog, next turn first. */
  readonly #behind = new Map<number, Behind>();
  readonly #againAtMs = new Map<number, number>();
  readonly #requests = new Set<Request<Id>>();
  #settled: Settled<Id>[] = [];
  readonly #running: Record<Kind, number> = { shared: 0, bulk: 0, alone: 0, large: 0, trial: 0 };
  readonly #last: Record<Kind, number> = { shared: 0, bulk: 0, alone: 0, large: 0, trial: 0 };
  #number = 0;
  #nextSharedMs = Number.NEGATIVE_INFINITY;
  #nextTrialMs = 0;
  #failures = 0;
  #lanesOfTrial = 1;
  /**
   * How many lanes a drain takes at most. When lanes drained together touched too much, `alone` becomes half their
   * number; it doubles after each drain that works.
   */
  readonly #lanesOf = { shared: MAX_LANES, alone: 1 };
  /** When channels were last active, latest last. */
  readonly #activeMs = new Map<number, number>();

  constructor({ slots, gapMs }: { slots: number; gapMs: number }) {
    this.#slots = slots;
    this.#gapMs = gapMs;
  }

  /**
   * Requests drains of lanes up to a batch. The request is settled when drains that start after this call have come
   * that far in each lane or one of them fails, or when a lane is found empty, failing or locked elsewhere. If several
   * requests already wait for slow lanes, it does not wait for them: otherwise, jobs of other channels could not be
   * taken.
   */
  request(id: Id, lanes: Iterable<number>, throughBatchId: bigint, nowMs: number): void {
    const request = { id, lanes: new Set(lanes), throughBatchId, after: this.#number };
    this.#requests.add(request);
    for (const lane of request.lanes) {
      this.#noteActive(lane, nowMs);
      this.#want(lane);
    }
    this.#settle(
      request,
      [...request.lanes].filter((lane) => this.#lanes.get(lane)!.isFailing),
    );
    this.#letGo();
  }

  /** Whether a lane may wait for long: its channel has a backlog, or it has large work. */
  #takesLong(lane: number): boolean {
    return this.#behind.has(channelOf(lane)) || (this.#lanes.get(lane)?.size ?? 'small') !== 'small';
  }

  /**
   * Beyond the first MAX_WAITING requests, a request waits only for lanes that no earlier one waits for and that are
   * not slow.
   */
  #letGo(): void {
    if (this.#requests.size <= MAX_WAITING) return;
    const asked = new Set<number>();
    for (const [place, request] of [...this.#requests].entries()) {
      const lanes = [...request.lanes];
      if (place >= MAX_WAITING)
        this.#settle(
          request,
          lanes.filter((lane) => asked.has(lane) || this.#takesLong(lane)),
        );
      for (const lane of lanes) asked.add(lane);
    }
  }

  takeSettled(): Settled<Id>[] {
    const settled = this.#settled;
    this.#settled = [];
    return settled;
  }

  /** Whether a drain of the lane is running or scheduled. */
  isExpected(lane: number): boolean {
    return this.#lanes.has(lane);
  }

  isLocked(lane: number): boolean {
    return (this.#lanes.get(lane)?.misses ?? 0) > 0;
  }

  get isBehind(): boolean {
    return this.#behind.size > 0;
  }

  /** Returns the drain to start now; null if none can start. Call `ended` when it is over. */
  next(nowMs: number, allowance: Allowance): Drain | null {
    this.#wake(nowMs);
    const ready = KINDS.filter((kind) => this.#readyMs(kind, nowMs, allowance) <= nowMs);
    if (ready.length === 0) return null;
    const kind = ready.reduce((first, kind) => (this.#last[kind] < this.#last[first] ? kind : first));
    const lanes = this.#choose(kind, allowance);
    for (const lane of lanes) {
      const state = this.#lanes.get(lane)!;
      this.#queueOf(lane, state).delete(lane);
      state.isWanted = false;
      state.isRunning = true;
      this.#noteActive(lane, nowMs);
    }
    if (kind === 'shared') this.#nextSharedMs = nowMs + this.#gapMs;
    this.#running[kind]++;
    this.#last[kind] = ++this.#number;
    const isLarge = this.#lanes.get(lanes[0]!)!.size === 'large';
    const maxWeight = allowance.maxWeight[this.#activeMs.size > 1 ? 'beside' : 'alone'];
    return { kind, lanes, maxWeight, isLarge, number: this.#number };
  }

  /** Returns when to call `next` again if nothing happens before; Infinity if there is no need. */
  wakeMs(nowMs: number, allowance: Allowance): number {
    if (this.#freeSlots <= 0) return Number.POSITIVE_INFINITY;
    return Math.min(...this.#againAtMs.values(), ...KINDS.map((kind) => this.#readyMs(kind, nowMs, allowance)));
  }

  ended(drain: Drain, outcome: DrainOutcome, nowMs: number): void {
    this.#running[drain.kind]--;
    for (const lane of drain.lanes) this.#lanes.get(lane)!.isRunning = false;
    const had = new Set(outcome.lanes);
    const locked = drain.lanes.filter((lane) => !had.has(lane));
    for (const lane of had) this.#lanes.get(lane)!.misses = 0;
    for (const lane of locked) this.#postpone(lane, nowMs);
    if (outcome.became === 'failed') this.#fail(drain, outcome.lanes, outcome.error, nowMs);
    else if (outcome.became === 'large') this.#noteLarge(outcome.lanes);
    else this.#drained(drain, outcome.lanes, outcome);
    for (const request of this.#requests) this.#settle(request, locked);
    for (const lane of drain.lanes) this.#enqueue(lane);
    this.#letGo();
  }

  #drained(drain: Drain, lanes: readonly number[], { left, weight }: Extract<DrainOutcome, { became: 'drained' }>) {
    for (const lane of lanes) {
      const state = this.#lanes.get(lane)!;
      state.size = 'small';
      if (state.isFailing) {
        state.isFailing = false;
        this.#failures = 0;
        this.#nextTrialMs = 0;
      }
      this.#setMore(lane, state, left.has(lane));
    }
    if (drain.kind === 'alone') this.#lanesOf.alone = Math.min(2 * this.#lanesOf.alone, MAX_LANES);
    if (drain.kind === 'trial' && lanes.length > 0) this.#lanesOfTrial = Math.min(2 * this.#lanesOfTrial, MAX_LANES);
    const behind = this.#behind.get(channelOf(drain.lanes[0]!));
    if (behind !== undefined && drain.kind !== 'shared' && drain.kind !== 'trial')
      behind.debt = Math.min(MAX_DEBT, behind.debt + Math.max(0, weight / drain.maxWeight - 1));
    for (const request of this.#requests) {
      if (request.after >= drain.number) continue;
      this.#settle(
        request,
        lanes.filter((lane) => (left.get(lane) ?? request.throughBatchId) >= request.throughBatchId),
      );
    }
  }

  #noteLarge(lanes: readonly number[]): void {
    if (lanes.length > 1) this.#lanesOf.alone = Math.ceil(lanes.length / 2);
    for (const lane of lanes) {
      this.#lanes.get(lane)!.size = lanes.length === 1 ? 'large' : 'suspect';
      this.#lanes.get(lane)!.isWanted = true;
    }
  }

  #fail(drain: Drain, lanes: readonly number[], error: unknown, nowMs: number): void {
    this.#lanesOfTrial = 1;
    if (nowMs >= this.#nextTrialMs) {
      this.#nextTrialMs = nowMs + pauseMs(FAILURE_PAUSE_MS, this.#failures);
      this.#failures++;
    }
    for (const lane of lanes) {
      const state = this.#lanes.get(lane)!;
      state.isFailing = true;
      state.isWanted = true;
      this.#setMore(lane, state, false);
    }
    for (const request of this.#requests) {
      if (request.after < drain.number && lanes.some((lane) => request.lanes.has(lane)))
        this.#answer(request, { error });
      else this.#settle(request, lanes);
    }
  }

  #settle(request: Request<Id>, lanes: readonly number[]): void {
    for (const lane of lanes) request.lanes.delete(lane);
    if (request.lanes.size === 0) this.#answer(request, null);
  }

  #answer(request: Request<Id>, failure: Settled<Id>['failure']): void {
    if (this.#requests.delete(request)) this.#settled.push({ id: request.id, failure });
  }

  /** Returns from when a drain of this kind can start; Infinity if something has to happen first. */
  #readyMs(kind: Kind, nowMs: number, { elsewhere, isTurnFree }: Allowance): number {
    const never = Number.POSITIVE_INFINITY;
    if (this.#freeSlots <= 0) return never;
    if (kind === 'shared') return this.#queues.shared.size === 0 ? never : this.#nextSharedMs;
    if (kind === 'bulk')
      return this.#running.bulk >= this.#bulkSlots || this.#readyChannels(elsewhere).next().done ? never : nowMs;
    // These drains may take long, so they leave one slot to others.
    const long = this.#running.large + this.#running.trial;
    if (this.#running[kind] > 0 || (kind !== 'alone' && long >= Math.max(1, this.#slots - 1))) return never;
    const turnMs = isTurnFree ? nowMs : nowMs + TURN_PAUSE_MS;
    if (kind === 'alone') return this.#queues.alone.size === 0 ? never : nowMs;
    if (kind === 'large') return this.#queues.large.size === 0 ? never : turnMs;
    if (this.#failing.size === 0) return never;
    return Math.max(this.#nextTrialMs, this.#chooseTrial(isTurnFree).length > 0 ? nowMs : turnMs);
  }

  #choose(kind: Kind, { elsewhere, isTurnFree }: Allowance): number[] {
    if (kind === 'bulk') return this.#chooseBulk(elsewhere);
    if (kind === 'trial') return this.#chooseTrial(isTurnFree);
    if (kind === 'large') return this.#chooseLarge();
    return [...this.#queues[kind].values().take(this.#lanesOf[kind])];
  }

  /**
   * Returns the lane with large work that has waited longest, and moves the other lanes of its channel behind those of
   * all others.
   */
  #chooseLarge(): number[] {
    const lane = this.#queues.large.values().next().value!;
    const ofChannel = [...this.#queues.large].filter((other) => channelOf(other) === channelOf(lane));
    for (const other of ofChannel) this.#queues.large.delete(other);
    for (const other of ofChannel) this.#queues.large.add(other);
    return [lane];
  }

  /**
   * Returns lanes of the next channel in turn that owes no turn: those that have waited longest, one slot's share of
   * them.
   */
  #chooseBulk(elsewhere: ReadonlySet<number>): number[] {
    for (;;) {
      const [[id, behind], ...others] = [...this.#readyChannels(elsewhere)] as [[number, Behind]];
      this.#behind.delete(id);
      this.#behind.set(id, behind);
      if (behind.debt < 1 || others.length === 0)
        return [...behind.ready.values().take(Math.ceil(LANES_OF_CHANNEL / this.#bulkSlots))];
      behind.debt--;
    }
  }

  #readyChannels(elsewhere: ReadonlySet<number>) {
    return this.#behind.entries().filter(([id, { ready }]) => ready.size > 0 && !elsewhere.has(id));
  }

  /**
   * Returns failing lanes to try together. A lane that may have large work is tried alone, and needs the turn for large
   * work if it has.
   */
  #chooseTrial(isTurnFree: boolean): number[] {
    const chosen: number[] = [];
    for (const lane of this.#failing) {
      const { size } = this.#lanes.get(lane)!;
      if (size === 'small') chosen.push(lane);
      else if (chosen.length === 0 && (size === 'suspect' || isTurnFree)) return [lane];
      if (chosen.length >= this.#lanesOfTrial) break;
    }
    return chosen;
  }

  /** Drains of backlogs leave one slot to others. */
  get #bulkSlots(): number {
    return Math.max(1, this.#slots - 1);
  }

  get #freeSlots(): number {
    return this.#slots - Object.values(this.#running).reduce((sum, count) => sum + count);
  }

  #want(lane: number): void {
    const state = this.#lanes.get(lane) ?? { ...IDLE };
    state.isWanted = true;
    this.#lanes.set(lane, state);
    this.#enqueue(lane);
  }

  /** Puts a wanted lane into its queue, and forgets an idle one. */
  #enqueue(lane: number): void {
    const state = this.#lanes.get(lane);
    if (state === undefined || state.isRunning || this.#againAtMs.has(lane)) return;
    if (state.isWanted) this.#queueOf(lane, state).add(lane);
    else this.#lanes.delete(lane);
  }

  #queueOf(lane: number, { isFailing, size }: Lane): Set<number> {
    if (isFailing) return this.#failing;
    if (size !== 'small') return this.#queues[size === 'large' ? 'large' : 'alone'];
    return this.#behind.get(channelOf(lane))?.ready ?? this.#queues.shared;
  }

  /** Records whether a lane has more orders. A channel has a backlog while one of its lanes has more. */
  #setMore(lane: number, state: Lane, hasMore: boolean): void {
    if (hasMore) state.isWanted = true;
    if (state.hasMore === hasMore) return;
    state.hasMore = hasMore;
    const id = channelOf(lane);
    const behind = this.#behind.get(id) ?? { ready: new Set<number>(), lanesWithMore: 0, debt: 0 };
    behind.lanesWithMore += hasMore ? 1 : -1;
    if (behind.lanesWithMore === 0) {
      this.#behind.delete(id);
      for (const ready of behind.ready) this.#queues.shared.add(ready);
    } else if (!this.#behind.has(id)) {
      this.#behind.set(id, behind);
      for (const other of lanesOfChannel(id)) if (this.#queues.shared.delete(other)) behind.ready.add(other);
    }
  }

  #postpone(lane: number, nowMs: number): void {
    const state = this.#lanes.get(lane)!;
    state.isWanted = true;
    this.#againAtMs.set(lane, nowMs + pauseMs(LOCKED_PAUSE_MS, state.misses));
    state.misses++;
  }

  /** Queues lanes again whose delay is over, and forgets channels that are no longer active. */
  #wake(nowMs: number): void {
    for (const [lane, atMs] of this.#againAtMs) {
      if (atMs > nowMs) continue;
      this.#againAtMs.delete(lane);
      this.#enqueue(lane);
    }
    for (const [channel, atMs] of this.#activeMs) {
      if (atMs > nowMs - ACTIVE_MS) break;
      this.#activeMs.delete(channel);
    }
  }

  #noteActive(lane: number, nowMs: number): void {
    const channel = channelOf(lane);
    this.#activeMs.delete(channel);
    this.#activeMs.set(channel, nowMs);
  }
}

const KINDS: readonly Kind[] = ['shared', 'bulk', 'alone', 'large', 'trial'];

const pauseMs = ({ first, longest }: { first: number; longest: number }, before: number) =>
  Math.min(longest, first * 2 ** before);
