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
/** Lanes of each channel that the schedules use. */
const LANES_PER_CHANNEL = 3;
const GAP_MS = 5;
const KINDS = 5;
const HEAVY = 5_000;

/**
 * How many drains a process begins at most while a channel waits for a slot of it. One that is not behind waits for a
 * drain of each other kind. One that is behind waits for a turn of each other channel that is behind, once, and once
 * more for each turn that it owes because a drain took more than its share; in each of these turns for a drain of each
 * kind.
 */
function maxWait({ isBehind, owesTurns, behind }: Wait): number {
  return isBehind ? KINDS * (owesTurns ? MAX_DEBT + 1 : 1) * behind : KINDS - 1;
}

/** Kinds of drains of lanes that wait apart from the others: suspects, those with large work, those that fail. */
const APART = ['alone', 'large', 'trial'] as const;
type Apart = (typeof APART)[number];
/** The longest pause between two trials of lanes that fail. */
const LONGEST_PAUSE_MS = 10_000;

/** How a channel waits. */
interface Wait {
  isBehind: boolean;
  owesTurns: boolean;
  /** How many channels were behind at most. */
  behind: number;
  /** Drains that have begun meanwhile. */
  begun: number;
}

/** How a lane waits apart, or a channel with large work: for the others of its kind. */
interface WaitApart {
  /** How many others there were at most. */
  others: number;
  /** Drains of its kind that have begun meanwhile. */
  begun: number;
}

/** A drain that runs, in virtual time. */
interface Run {
  drain: Drain;
  had: number[];
  endsMs: number;
}

/** A process: a scheduler, and what a test can know of it by what it was asked and what it has begun. */
interface Process {
  scheduler: Scheduler<number>;
  slots: number;
  runs: Set<Run>;
  open: Set<number>;
  /** Lanes that are wanted and neither run nor fail nor are locked elsewhere. */
  waiting: Set<number>;
  failing: Set<number>;
  /** Lanes that were locked elsewhere when they were tried last. */
  locked: Set<number>;
  behind: Set<number>;
  /** Lanes that touch much, or may. */
  sizes: Map<number, 'suspect' | 'large'>;
  /** By kind: drains of other kinds that have begun though one of it could, since the last one of it began. */
  passed: Record<Apart, number>;
  /** By kind: lanes that wait, but of large work channels. */
  apart: Record<Apart, Map<number, WaitApart>>;
  /** From when on failing lanes are tried at the latest. */
  trialMs: number;
  /** Channels of which a drain took more than its share. */
  owing: Set<number>;
  /** By channel that waits for a slot. */
  waits: Map<number, Wait>;
  nextSharedMs: number;
}

/** Processes that share lanes, their locks and what is pending in them. */
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

  /** Has drains that begin from now on take so long. */
  slow(ms: number): void {
    this.#drainMs = ms;
  }

  /** Has a session that is no worker lock a lane, or give it back. */
  hold(lane: number): void {
    if (this.#held.delete(lane)) this.#locks.delete(lane);
    else if (!this.#locks.has(lane)) {
      this.#held.add(lane);
      this.#locks.add(lane);
    }
  }

  /** Has drains of a lane fail, or not any more. */
  break(lane: number): void {
    if (!this.#broken.delete(lane)) this.#broken.add(lane);
  }

  /** Pauses a channel, or resumes it: then a job asks for what is pending. */
  pause(channel: number, nth: number): void {
    if (this.#paused.delete(channel)) this.#sweep(this.#processes[nth]!);
    else this.#paused.add(channel);
  }

  /** Kills a process, and starts another one, which looks for what is pending. */
  kill(nth: number): void {
    const { slots, runs } = this.#processes[nth]!;
    for (const { had } of runs) for (const lane of had) this.#locks.delete(lane);
    this.#processes[nth] = newProcess(slots);
    this.#sweep(this.#processes[nth]!);
  }

  pass(ms: number): void {
    this.#passUntil(this.#nowMs + ms, () => false);
  }

  /** Ends a schedule: whatever fails or is locked, the other lanes are drained; when that is over, all are. */
  finish(): void {
    this.#drainMs = 10;
    const isWell = (lane: number) =>
      !this.#broken.has(lane) && !this.#held.has(lane) && !this.#paused.has(channelOf(lane));
    this.#passUntil(this.#nowMs + 60_000, () => !this.#pending.keys().some(isWell));
    assert.deepEqual(
      [...this.#pending.keys()].filter(isWell),
      [],
      'lanes are forgotten beside others that cannot be drained',
    );
    this.#broken.clear();
    this.#paused.clear();
    for (const lane of this.#held) this.hold(lane);
    this.#sweep(this.#processes[0]!);
    const isBusy = ({ runs, open, scheduler }: Process) =>
      runs.size > 0 || open.size > 0 || LANES.some((lane) => scheduler.isExpected(lane));
    this.#passUntil(this.#nowMs + 120_000, () => this.#pending.size === 0 && !this.#processes.some(isBusy));
    assert.deepEqual([...this.#pending.keys()], [], 'lanes are forgotten');
    for (const process of this.#processes)
      assert.equal(isBusy(process), false, 'a request has no answer, or an idle lane is kept');
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

  /** A process leaves backlogs to those before it. */
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

  /** Checks what a scheduler promises of each drain that it begins. */
  #check(process: Process, drain: Drain): void {
    const { runs, slots, failing, waiting, waits, behind } = process;
    const running = new Set([...runs].flatMap((run) => run.drain.lanes));
    assert.ok(runs.size < slots, 'more drains than slots');
    assert.deepEqual(
      drain.lanes.filter((lane) => running.has(lane)),
      [],
      'a lane twice at once',
    );
    const sick = drain.lanes.filter((lane) => failing.has(lane));
    assert.ok(sick.length === 0 || sick.length === drain.lanes.length, 'failing lanes together with others');
    const drained = new Set(drain.lanes.map(channelOf));
    const channelsBehind = new Set([...behind].map(channelOf));
    // A backlog that another process drains does not wait for this one.
    const left = this.#allow(process).elsewhere.intersection(channelsBehind);
    const ready = waiting.difference(running).difference(process.locked);
    const waitsNow = new Set([...ready].map(channelOf)).difference(left);
    // Drains of what is behind may leave a slot to the others.
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
   * Checks that lanes which wait apart get their turns. While a drain of them can begin, at most one of each other kind
   * begins before it. A suspect and a failing lane wait for at most one drain of their kind for each other lane of it,
   * a channel with large work for one of each other channel with large work.
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
        assert.ok(passed[kind] < KINDS, `a drain that could begin lets too many others pass: ${kind}`);
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

  /** Whether a drain of such lanes could begin if there is a slot. Drains that take long leave one to the others. */
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

  /** What becomes of a drain: it takes what is oldest, up to its weight. */
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

/** The lanes that are drained by drains of a kind, whether they wait or not. */
function lanesOfKind({ failing, sizes }: Process, kind: Apart): Set<number> {
  if (kind === 'trial') return failing;
  const size = kind === 'large' ? 'large' : 'suspect';
  return new Set(sizes.keys().filter((lane) => sizes.get(lane) === size && !failing.has(lane)));
}

const LANES = Array.from({ length: CHANNELS * LANES_PER_CHANNEL }, (_, index) => {
  return LANES_OF_CHANNEL * (index % CHANNELS) + Math.floor(index / CHANNELS);
});

/** Something that happens to a world, for fast-check. */
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

/** A schedule of what happens to several processes that share their lanes. */
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
