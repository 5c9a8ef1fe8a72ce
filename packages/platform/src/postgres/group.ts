import { Overload } from '../concurrency/deadline.ts';
import { isTransient } from './errors.ts';

interface Waiting<Input, Output> {
  input: Input;
  weight: number;
  resolve: (output: Output) => void;
  reject: (error: unknown) => void;
}

export interface GroupOptions<Input, Output> {
  /** Runs the inputs together; the outputs come in the order of the inputs. */
  run: (inputs: Input[]) => Promise<Output[]>;
  /**
   * Whether a failure may lie in one input, so that the inputs run again one by one. If it does not, that only costs
   * time. If absent: whether it is not transient.
   */
  splitsOn?: (error: unknown) => boolean;
  /** How many groups may run at once. What comes meanwhile waits for the next group. */
  maxRunning: number;
  /**
   * Whether a group starts only when the process has read all that has come in by now, so that calls that come together
   * share the first group, too. For short statements, whose fixed cost is most of their cost.
   */
  gathers?: boolean;
  /** The most inputs of one group. */
  maxInputs: number;
  /** What an input weighs, in a unit of the caller; if absent, nothing. */
  weightOf?: (input: Input) => number;
  /** The most weight of one group; a heavier input runs alone. */
  maxWeight?: number;
  /** Inputs of the same key never share a group. */
  keyOf?: (input: Input) => string;
  /**
   * Locks an input needs. Groups that run at once never share one, and no input overtakes one that waits for the same.
   */
  needsOf?: (input: Input) => readonly unknown[];
  /** Who an input is of: parties take turns for the places in a group. If absent, inputs come in their order. */
  partyOf?: (input: Input) => string;
  /** Whether nobody waits for an input any more. It is left out, and its caller gets an Overload. */
  isOver?: (input: Input) => boolean;
}

/**
 * Group commit: calls that come while earlier ones run are run together, so that many callers share one statement and
 * one commit. A lone caller waits for nobody. When a group fails because of what is in it, its inputs run one by one,
 * so that no caller suffers from another's input; when it fails because of something outside of it, all fail at once.
 */
export class Group<Input, Output> {
  readonly #options: GroupOptions<Input, Output>;
  readonly #needed = new Set<unknown>();
  #waiting: Waiting<Input, Output>[] = [];
  #running = 0;
  #starting: NodeJS.Immediate | undefined;

  constructor(options: GroupOptions<Input, Output>) {
    this.#options = options;
  }

  /** Runs `input` together with what else waits, and returns its own output or throws its own failure. */
  run(input: Input): Promise<Output> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ input, weight: this.#options.weightOf?.(input) ?? 0, resolve, reject });
      this.#start();
    });
  }

  #start(): void {
    if (this.#options.gathers !== true) this.#pump();
    else
      this.#starting ??= setImmediate(() => {
        this.#starting = undefined;
        this.#pump();
      });
  }

  #pump(): void {
    while (this.#running < this.#options.maxRunning) {
      const group = this.#takeGroup();
      if (group.length === 0) return;
      const needs = group.flatMap((waiting) => this.#needsOf(waiting));
      for (const need of needs) this.#needed.add(need);
      this.#running++;
      void this.#settle(group).finally(() => {
        for (const need of needs) this.#needed.delete(need);
        this.#running--;
        this.#start();
      });
    }
  }

  #needsOf({ input }: Waiting<Input, Output>): readonly unknown[] {
    return this.#options.needsOf?.(input) ?? [];
  }

  /** What waits, the parties in turn. */
  #inTurns(): Waiting<Input, Output>[] {
    const { partyOf } = this.#options;
    if (partyOf === undefined) return this.#waiting;
    const counts = new Map<string, number>();
    const placed = this.#waiting.map((waiting) => {
      const party = partyOf(waiting.input);
      const turn = counts.get(party) ?? 0;
      counts.set(party, turn + 1);
      return { waiting, turn };
    });
    return placed.sort((a, b) => a.turn - b.turn).map(({ waiting }) => waiting);
  }

  #takeGroup(): Waiting<Input, Output>[] {
    const { maxInputs, maxWeight = Number.POSITIVE_INFINITY, keyOf, isOver } = this.#options;
    const group: Waiting<Input, Output>[] = [];
    const rest: Waiting<Input, Output>[] = [];
    const keys = new Set<string>();
    const needed = new Set(this.#needed);
    let weight = 0;
    for (const waiting of this.#inTurns()) {
      if (isOver?.(waiting.input) === true) {
        waiting.reject(new Overload('nobody waits for it any more'));
        continue;
      }
      const key = keyOf?.(waiting.input);
      const needs = this.#needsOf(waiting);
      const isFree = !needs.some((need) => needed.has(need));
      if (!isFree) for (const need of needs) needed.add(need);
      const fits = group.length < maxInputs && (group.length === 0 || weight + waiting.weight <= maxWeight);
      if (!isFree || !fits || (key !== undefined && keys.has(key))) {
        rest.push(waiting);
        continue;
      }
      if (key !== undefined) keys.add(key);
      weight += waiting.weight;
      group.push(waiting);
    }
    this.#waiting = rest;
    return group;
  }

  async #settle(group: Waiting<Input, Output>[]): Promise<void> {
    const { run, splitsOn = (error) => !isTransient(error) } = this.#options;
    try {
      const outputs = await run(group.map((waiting) => waiting.input));
      for (const [index, waiting] of group.entries()) waiting.resolve(outputs[index] as Output);
    } catch (error) {
      if (group.length > 1 && splitsOn(error)) {
        for (const waiting of group) await this.#settle([waiting]);
      } else for (const waiting of group) waiting.reject(error);
    }
  }
}
