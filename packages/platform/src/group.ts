import { isDataFault } from './database.ts';

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
   * Whether a failure lies in what the group holds, so that its inputs are run one by one. Unless told, that
   * PostgreSQL refused the data.
   */
  splitsOn?: (error: unknown) => boolean;
  /** Groups that may run at once. What comes meanwhile gathers. */
  maxRunning: number;
  /** Inputs of one group at most. */
  maxInputs: number;
  /** What an input weighs (bytes, say); one without it weighs nothing. */
  weightOf?: (input: Input) => number;
  /** Weight of one group at most; a heavier input goes alone. */
  maxWeight?: number;
  /** Inputs of the same key never share a group. */
  keyOf?: (input: Input) => string;
}

/**
 * Group commit: calls that come while earlier ones run are run together, so that many callers share one statement and
 * one commit. A lone caller waits for nobody. Where a group fails for what is in it, its inputs run one by one, so that
 * no caller suffers for another's input; where it fails for what is outside of it, all fail at once.
 */
export class Group<Input, Output> {
  readonly #options: GroupOptions<Input, Output>;
  #waiting: Waiting<Input, Output>[] = [];
  #running = 0;

  constructor(options: GroupOptions<Input, Output>) {
    this.#options = options;
  }

  /** Runs `input` with whatever else waits, and answers its own output. Rejects with its own failure. */
  run(input: Input): Promise<Output> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ input, weight: this.#options.weightOf?.(input) ?? 0, resolve, reject });
      this.#pump();
    });
  }

  #pump(): void {
    while (this.#running < this.#options.maxRunning && this.#waiting.length > 0) {
      this.#running++;
      void this.#settle(this.#takeGroup()).finally(() => {
        this.#running--;
        this.#pump();
      });
    }
  }

  #takeGroup(): Waiting<Input, Output>[] {
    const { maxInputs, maxWeight = Number.POSITIVE_INFINITY, keyOf } = this.#options;
    const group: Waiting<Input, Output>[] = [];
    const rest: Waiting<Input, Output>[] = [];
    const keys = new Set<string>();
    let weight = 0;
    for (const waiting of this.#waiting) {
      const key = keyOf?.(waiting.input);
      const fits = group.length < maxInputs && (group.length === 0 || weight + waiting.weight <= maxWeight);
      if (!fits || (key !== undefined && keys.has(key))) {
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
    const { run, splitsOn = isDataFault } = this.#options;
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
