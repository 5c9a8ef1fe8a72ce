import assert from 'node:assert/strict';
import {
  channelOf,
  type Drain,
  type DrainOutcome,
  LANES_OF_CHANNEL,
  MAX_DEBT,
  Scheduler,
} from '@lockstep/orders/testing';
import fc from 'fast-check';

const PROCESSES = 3;
const CHANNELS = 5;
/** Lanes of each channel in the schedules. */
const LANES_PER_CHANNEL = 3;
const GAP_MS = 5;
const KINDS = 5;
const HEAVY = 5_000;

/**
 * Most drains that a process begins while a channel waits for one of its slots. A channel that is not behind waits for
 * one drain of each other kind. A channel that is behind waits for one turn of each other channel that is behind, and
 * for one more of each for every turn that it owes because a drain exceeded its share. Each turn includes a drain of
 * each kind.
 */
function maxWait({ isBehind, owesTurns, behind }: Wait): number {
  return isBehind ? KINDS * (owesTurns ? MAX_DEBT + 1 : 1) * behind : KINDS - 1;
}

/** Kinds of drains for lanes that wait separately: suspects, lanes with large work, and failing lanes. */
const APART = ['alone', 'large', 'trial'] as const;
type Apart = (typeof APART)[number];
/** Longest pause between trials of failing lanes. */
const LONGEST_PAUSE_MS = 10_000;

/** How long a channel has waited. */
interface Wait {
  isBehind: boolean;
  owesTurns: boolean;
  /** Most channels that were behind at once. */
  behind: number;
  /** Drains begun since. */
  begun: number;
}

/** How long a suspect or failing lane, or a channel with large work, has waited for others of its kind. */
interface WaitApart {
  /** Most others at once. */
  others: number;
  /** Drains of its kind begun since. */
  begun: number;
}

/** A running drain, in virtual time. */
interface Run {
  drain: Drain;
  had: number[];
  endsMs: number;
}

/** A process: its scheduler, and what the test knows of it from its requests and drains. */
interface Process {
  scheduler: Scheduler<number>;
  slots: number;
  runs: Set<Run>;
  open: Set<number>;
  /** Requested lanes that are not running, failing, or locked elsewhere. */
  waiting: Set<number>;
  failing: Set<number>;
  /** Lanes that another session held at the last attempt. */
  locked: Set<number>;
  behind: Set<number>;
  /** Lanes with large work, and suspects. */
  sizes: Map<number, 'suspect' | 'large'>;
  /** For each kind, drains of other kinds that passed it since its last drain although it could have begun. */
  passed: Record<Apart, number>;
  /** For each kind, its waiting lanes; for large work, channels. */
  apart: Record<Apart, Map<number, WaitApart>>;
  /** Latest time of the next trial of failing lanes. */
  trialMs: number;
  /** Channels of which a drain exceeded its share. */
  owing: Set<number>;
  /** For each channel that waits for a slot. */
  waits: Map<number, Wait>;
  nextSharedMs: number;
}

/** Processes that share lanes, their locks and their pending orders. */
class World {
  readonly #pending = new Map<number, { batchId: bigint; weight: number }[]>();
  readonly #locks = new Set<number>();
  readonly #held = new Set<number>();
  readonly #broken = new Set<number>();
  readonly #paused = new Set<number>();
  readonly #processes: Process[];
  #batchId = 0n;
  #nowMs = 0;
  #drainMs = 10;

  constructor(slots: number) {
    this.#processes = Array.from({ length: PROCESSES }, () => newProcess(slots));
  }

  accept(nth: number, lanes: readonly number[], weight: number): void {
    this.#batchId++;
    for (const lane of lanes) {
      const chunks = this.#pending.get(lane) ?? [];
      chunks.push({ batchId: this.#batchId, weight });
      this.#pending.set(lane, chunks);
    }
    this.#request(this.#processes[nth]!, lanes);
  }

  /** Sets the duration of drains that begin from now on. */
  slow(ms: number): void {
    this.#drainMs = ms;
  }

  /** Locks a lane in a session that is not a worker, or unlocks it. */
  hold(lane: number): void {
    if (this.#held.delete(lane)) this.#locks.delete(lane);
    else if (!this.#locks.has(lane)) {
      this.#held.add(lane);
      this.#locks.add(lane);
    }
  }

  /** Makes drains of a lane fail, or succeed again. */
  break(lane: number): void {
    if (!this.#broken.delete(lane)) this.#broken.add(lane);
  }

  /** Pauses a channel; if it is paused, resumes it and requests everything pending. */
  pause(channel: number, nth: number): void {
    if (this.#paused.delete(channel)) this.#sweep(this.#processes[nth]!);
    else this.#paused.add(channel);
  }

  /** Kills a process and starts a new one, which requests everything pending. */
  kill(nth: number): void {
    const { slots, runs } = this.#processes[nth]!;
    for (const { had } of runs) for (const lane of had) this.#locks.delete(lane);
    this.#processes[nth] = newProcess(slots);
    this.#sweep(this.#processes[nth]!);
  }

  pass(ms: number): void {
    this.#passUntil(this.#nowMs + ms, () => false);
  }

  /**
   * Ends a schedule. First, all lanes that are not failing, locked or paused must be drained. Once those faults end,
   * all lanes must be.
   */
  finish(): void {
    this.#drainMs = 10;
    const isWell = (lane: number) =>
      !this.#broken.has(lane) && !this.#held.has(lane) && !this.#paused.has(channelOf(lane));
    this.#passUntil(this.#nowMs + 60_000, () => !this.#pending.keys().some(isWell));
    assert.deepEqual(
      [...this.#pending.keys()].filter(isWell),
      [],
      'lanes were not drained beside others that cannot be',
    );
    this.#broken.clear();
    this.#paused.clear();
    for (const lane of this.#held) this.hold(lane);
    this.#sweep(this.#processes[0]!);
    const isBusy = ({ runs, open, scheduler }: Process) =>
      runs.size > 0 || open.size > 0 || LANES.some((lane) => scheduler.isExpected(lane));
    this.#passUntil(this.#nowMs + 120_000, () => this.#pending.size === 0 && !this.#processes.some(isBusy));
    assert.deepEqual([...this.#pending.keys()], [], 'lanes were not drained');
    for (const process of this.#processes)
      assert.equal(isBusy(process), false, 'a request is not settled, or an idle lane is still expected');
  }

  #sweep(process: Process): void {
    if (this.#pending.size > 0) this.#request(process, [...this.#pending.keys()]);
  }

  #request(process: Process, lanes: readonly number[]): void {
    const id = process.open.size === 0 ? 1 : Math.max(...process.open) + 1;
    process.open.add(id);
    process.scheduler.request(id, lanes, this.#batchId, this.#nowMs);
    for (const lane of lanes) process.waiting.add(lane);
    this.#start(process);
  }

  #passUntil(untilMs: number, isOver: () => boolean): void {
    while (!isOver()) {
      const times = this.#processes.map((process) => {
        let ms = process.scheduler.wakeMs(this.#nowMs, this.#allow(process));
        for (const { endsMs } of process.runs) ms = Math.min(ms, endsMs);
        return ms;
      });
      const nextMs = Math.min(...times);
      if (nextMs > untilMs) break;
      this.#nowMs = Math.max(this.#nowMs, nextMs);
      const process = this.#processes[times.indexOf(nextMs)]!;
      const run = process.runs.values().find(({ endsMs }) => endsMs <= this.#nowMs);
      if (run !== undefined) this.#end(process, run);
      this.#start(process);
    }
    if (!isOver()) this.#nowMs = Math.max(this.#nowMs, untilMs);
  }

  /** A process doesn't drain backlogs that an earlier process drains. */
  #allow(process: Process) {
    const isTurnFree = !process.runs.values().some(({ drain }) => drain.isLarge);
    const before = this.#processes.slice(0, this.#processes.indexOf(process)).flatMap(({ runs }) => [...runs]);
    const backlogs = before.filter(({ drain, had }) => drain.kind === 'bulk' && had.length > 0);
    const elsewhere = new Set(backlogs.map(({ had }) => channelOf(had[0]!)));
    return { elsewhere, maxWeight: { alone: 100, beside: 20 }, isTurnFree };
  }

  #start(process: Process): void {
    for (;;) {
      const drain = process.scheduler.next(this.#nowMs, this.#allow(process));
      for (const { id } of process.scheduler.takeSettled()) process.open.delete(id);
      if (drain === null) return;
      this.#check(process, drain);
      const had = drain.lanes.filter((lane) => !this.#locks.has(lane));
      for (const lane of had) this.#locks.add(lane);
      process.runs.add({ drain, had, endsMs: this.#nowMs + (had.length === 0 ? 1 : this.#drainMs) });
    }
  }

  /** Checks the scheduler's guarantees for each drain that it begins. */
  #check(process: Process, drain: Drain): void {
    const { runs, slots, failing, waiting, waits, behind } = process;
    const running = new Set([...runs].flatMap((run) => run.drain.lanes));
    assert.ok(runs.size < slots, 'more drains than slots');
    assert.deepEqual(
      drain.lanes.filter((lane) => running.has(lane)),
      [],
      'a lane in two drains at once',
    );
    const sick = drain.lanes.filter((lane) => failing.has(lane));
    assert.ok(sick.length === 0 || sick.length === drain.lanes.length, 'failing lanes in one drain with others');
    const drained = new Set(drain.lanes.map(channelOf));
    const channelsBehind = new Set([...behind].map(channelOf));
    // A backlog that another process drains doesn't count as waiting here.
    const left = this.#allow(process).elsewhere.intersection(channelsBehind);
    const ready = waiting.difference(running).difference(process.locked);
    const waitsNow = new Set([...ready].map(channelOf)).difference(left);
    // Drains of channels that are behind may leave a slot to the others.
    const isFull = [...runs].filter((run) => run.drain.kind === 'bulk').length >= Math.max(1, slots - 1);
    for (const channel of waits.keys()) if (!waitsNow.has(channel) || drained.has(channel)) waits.delete(channel);
    for (const channel of waitsNow.difference(drained)) {
      const isBehind = channelsBehind.has(channel);
      if (isBehind ? isFull : this.#nowMs < process.nextSharedMs) continue;
      const before = waits.get(channel);
      const fresh = { isBehind, owesTurns: false, behind: 0, begun: 0 };
      const wait = before?.isBehind === isBehind ? before : fresh;
      wait.begun++;
      wait.owesTurns ||= process.owing.has(channel);
      wait.behind = Math.max(wait.behind, channelsBehind.size);
      waits.set(channel, wait);
      assert.ok(wait.begun <= maxWait(wait), `a channel waits for too many drains: ${JSON.stringify(wait)}`);
    }
    if (drain.kind === 'shared') process.nextSharedMs = this.#nowMs + GAP_MS;
    this.#checkApart(process, drain);
    for (const lane of drain.lanes) for (const lanes of [waiting, process.locked]) lanes.delete(lane);
  }

  /**
   * Checks that lanes which wait separately get their turns. If a drain of their kind can begin, at most one drain of
   * each other kind begins first. A suspect or failing lane waits for at most one drain of its kind for each other lane
   * of that kind. A channel with large work waits for at most one drain for each other such channel.
   */
  #checkApart(process: Process, drain: Drain): void {
    const { passed, apart, runs, locked, sizes } = process;
    const isTurnFree = !runs.values().some((run) => run.drain.isLarge);
    const running = new Set(runs.values().flatMap((run) => run.drain.lanes));
    const begins = new Set(drain.lanes);
    for (const kind of APART) {
      const lanes = lanesOfKind(process, kind).difference(running);
      const ready = lanes.difference(locked);
      if (drain.kind !== kind) {
        if (!this.#canBegin(process, kind, ready)) continue;
        passed[kind]++;
        assert.ok(passed[kind] < KINDS, `too many drains passed one that could begin: ${kind}`);
        continue;
      }
      passed[kind] = 0;
      const keysOf = (of: Set<number>) => (kind === 'large' ? new Set([...of].map(channelOf)) : of);
      const waits = apart[kind];
      const begun = keysOf(begins);
      const keys = keysOf(ready);
      for (const key of waits.keys()) if (!keys.has(key) || begun.has(key)) waits.delete(key);
      for (const key of keys.difference(begun)) {
        if (kind === 'trial' && sizes.get(key) === 'large' && !isTurnFree) continue;
        const wait = waits.get(key) ?? { others: 0, begun: 0 };
        wait.begun++;
        wait.others = Math.max(wait.others, keysOf(lanes).size - 1);
        waits.set(key, wait);
        assert.ok(wait.begun <= wait.others, `${key} waits for too many drains of ${kind}: ${JSON.stringify(wait)}`);
      }
    }
  }

  /** Whether a drain of this kind could begin if a slot were free. Long drains leave one slot to the others. */
  #canBegin({ runs, slots, sizes, trialMs }: Process, kind: Apart, ready: ReadonlySet<number>): boolean {
    const running = [...runs].map((run) => run.drain.kind);
    if (ready.size === 0 || running.includes(kind)) return false;
    if (kind === 'alone') return true;
    const isLong = (other: Drain['kind']) => other === 'large' || other === 'trial';
    if (running.filter(isLong).length >= Math.max(1, slots - 1)) return false;
    const isTurnFree = !runs.values().some(({ drain }) => drain.isLarge);
    if (kind === 'large') return isTurnFree;
    return this.#nowMs >= trialMs && (isTurnFree || ready.values().some((lane) => sizes.get(lane) !== 'large'));
  }

  #end(process: Process, run: Run): void {
    const { drain, had } = run;
    process.runs.delete(run);
    for (const lane of had) this.#locks.delete(lane);
    const outcome = this.#drain(drain, had);
    process.scheduler.ended(drain, outcome, this.#nowMs);
    const { behind, failing, sizes, locked, owing, waiting } = process;
    if (outcome.became === 'drained' && outcome.weight > drain.maxWeight) owing.add(channelOf(drain.lanes[0]!));
    for (const lane of drain.lanes) if (!had.includes(lane)) locked.add(lane);
    for (const lane of had) {
      if (outcome.became === 'failed') failing.add(lane);
      else if (outcome.became === 'large') sizes.set(lane, had.length === 1 ? 'large' : 'suspect');
      else for (const lanes of [failing, sizes]) lanes.delete(lane);
      if (outcome.became === 'failed') behind.delete(lane);
      if (outcome.became !== 'drained') continue;
      if (outcome.left.has(lane)) for (const lanes of [behind, waiting]) lanes.add(lane);
      else behind.delete(lane);
    }
    if (outcome.became === 'failed') process.trialMs = this.#nowMs + LONGEST_PAUSE_MS;
    else if (drain.kind === 'trial' && outcome.became === 'drained' && had.length > 0) process.trialMs = this.#nowMs;
    for (const lane of [...failing, ...sizes.keys()]) waiting.delete(lane);
  }

  /** Applies a drain: it takes the oldest chunks up to its maximum weight. Returns its outcome. */
  #drain(drain: Drain, lanes: readonly number[]): DrainOutcome {
    if (lanes.some((lane) => this.#broken.has(lane))) return { became: 'failed', lanes, error: 'broken' };
    const open = lanes.filter((lane) => !this.#paused.has(channelOf(lane)));
    const isHeavy = open.some((lane) => (this.#pending.get(lane)?.[0]?.weight ?? 0) >= HEAVY);
    if (isHeavy && !drain.isLarge) return { became: 'large', lanes };
    const left = new Map<number, bigint>();
    let weight = 0;
    for (const lane of open) {
      for (const chunk of [...(this.#pending.get(lane) ?? [])]) {
        if (weight > 0 && weight + chunk.weight > drain.maxWeight) {
          left.set(lane, chunk.batchId - 1n);
          break;
        }
        weight += chunk.weight;
        const chunks = this.#pending.get(lane)!;
        chunks.shift();
        if (chunks.length === 0) this.#pending.delete(lane);
      }
    }
    return { became: 'drained', lanes, left, weight };
  }
}

function newProcess(slots: number): Process {
  return {
    scheduler: new Scheduler<number>({ slots, gapMs: GAP_MS }),
    slots,
    nextSharedMs: 0,
    runs: new Set(),
    open: new Set(),
    waiting: new Set(),
    failing: new Set(),
    behind: new Set(),
    sizes: new Map(),
    locked: new Set(),
    owing: new Set(),
    waits: new Map(),
    trialMs: 0,
    passed: { alone: 0, large: 0, trial: 0 },
    apart: { alone: new Map(), large: new Map(), trial: new Map() },
  };
}

/** Returns the lanes that drains of a kind drain, waiting or not. */
function lanesOfKind({ failing, sizes }: Process, kind: Apart): Set<number> {
  if (kind === 'trial') return failing;
  const size = kind === 'large' ? 'large' : 'suspect';
  return new Set(sizes.keys().filter((lane) => sizes.get(lane) === size && !failing.has(lane)));
}

const LANES = Array.from({ length: CHANNELS * LANES_PER_CHANNEL }, (_, index) => {
  return LANES_OF_CHANNEL * (index % CHANNELS) + Math.floor(index / CHANNELS);
});

/** A step of a schedule, as a command of fast-check. */
class Step implements fc.Command<object, World> {
  readonly #name: string;
  readonly #act: (world: World) => void;

  constructor(name: string, act: (world: World) => void) {
    this.#name = name;
    this.#act = act;
  }

  check = () => true;
  run = (_: object, world: World) => this.#act(world);
  toString = () => this.#name;
}

const aProcess = fc.nat(PROCESSES - 1);
const aLane = fc.constantFrom(...LANES);
const aWeight = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 1, max: 20 }) },
  { weight: 1, arbitrary: fc.constantFrom(150, 2_000, HEAVY) },
);
const pass = fc
  .oneof({ weight: 9, arbitrary: fc.integer({ min: 1, max: 300 }) }, { weight: 1, arbitrary: fc.constant(15_000) })
  .map((ms) => new Step(`pass ${ms} ms`, (world) => world.pass(ms)));
const accept = fc
  .tuple(aProcess, fc.uniqueArray(aLane, { minLength: 1, maxLength: 4 }), aWeight, fc.constantFrom(1, 1, 3, 20))
  .map(
    ([nth, lanes, weight, times]) =>
      new Step(`${times} x accept ${weight} in ${lanes} by ${nth}`, (world) => {
        for (let time = 0; time < times; time++) world.accept(nth, lanes, weight);
      }),
  );

/** The property that several processes with shared lanes keep the scheduler's guarantees in any schedule. */
export const schedules = fc.property(
  fc.integer({ min: 1, max: 4 }),
  fc.commands(
    [
      accept,
      accept,
      accept,
      pass,
      pass,
      fc.constantFrom(5, 50, 2_000).map((ms) => new Step(`drains take ${ms} ms`, (world) => world.slow(ms))),
      aLane.map((lane) => new Step(`hold ${lane}`, (world) => world.hold(lane))),
      aLane.map((lane) => new Step(`break ${lane}`, (world) => world.break(lane))),
      fc
        .tuple(fc.nat(CHANNELS - 1), aProcess)
        .map(
          ([channel, nth]) => new Step(`pause ${channel}, or resume by ${nth}`, (world) => world.pause(channel, nth)),
        ),
      aProcess.map((nth) => new Step(`kill ${nth}`, (world) => world.kill(nth))),
    ],
    { maxCommands: 20 },
  ),
  (slots, steps) => {
    const world = new World(slots);
    fc.modelRun(() => ({ model: {}, real: world }), steps);
    world.finish();
  },
);
