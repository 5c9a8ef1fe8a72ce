import { Overload } from '../concurrency/deadline.ts';
import { isTransient } from './errors.ts';

interface Waiting<Input, Output> {
  input: Input;
  weight: number;
  resolve: (output: Output) => void;
  reject: (error: unknown) => void;
}

export interface GroupOptions<Input, Output> {
  /** Runs the inputs together. Outputs come in the order of inputs. */
  run: (inputs: Input[]) => Promise<Output[]>;
  /** How many groups may run at once. Later inputs wait for the next group. */
  maxRunning: number;
  /** The most inputs of one group. */
  maxInputs: number;
  /** The weight of an input, in a unit that the caller chooses; 0 by default. */
  weightOf?: (input: Input) => number;
  /** The most weight of one group; a heavier input runs alone. */
  maxWeight?: number;
  /** Inputs of the same key never share a group. */
  keyOf?: (input: Input) => string;
  /**
   * The locks that an input needs. Concurrent groups never share one, and no input overtakes another that waits for the
   * same lock.
   */
  needsOf?: (input: Input) => readonly unknown[];
  /** The party an input belongs to. Parties get fair shares of a group. Without it, inputs are taken in order. */
  partyOf?: (input: Input) => string;
  /** Whether the caller of an input no longer waits. The input is skipped, and the caller gets an Overload. */
  isOver?: (input: Input) => boolean;
}

/**
 * Group commit: inputs that arrive while earlier ones run are run together, so many callers share one statement and one
 * commit. A lone caller never waits. If a group fails because of its content, its inputs run one by one, so that no
 * caller suffers from another's input. If it fails for an outside reason, all fail at once.
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

  /** Runs `input` together with other queued inputs. Returns its own output, or throws its own failure. */
  run(input: Input): Promise<Output> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ input, weight: this.#options.weightOf?.(input) ?? 0, resolve, reject });
      this.#start();
    });
  }

  /** Waits until the process has read all that has arrived: calls that arrive together share the first group, too. */
  #start(): void {
    this.#starting ??= setImmediate(() => {
      this.#starting = undefined;
      this.#startGroups();
    });
  }

  #startGroups(): void {
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

  /** Returns the queued inputs, party by party in turn. */
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
        waiting.reject(new Overload('the caller no longer waits'));
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
    try {
      const outputs = await this.#options.run(group.map((waiting) => waiting.input));
      for (const [index, waiting] of group.entries()) waiting.resolve(outputs[index] as Output);
    } catch (error) {
      if (group.length > 1 && !isTransient(error)) {
        for (const waiting of group) await this.#settle([waiting]);
      } else for (const waiting of group) waiting.reject(error);
    }
  }
}
