import type { OperationId } from '@lockstep/contract';
import { type Call, digest, type Fault, nameTask } from './record.ts';

const OF_CALLS: readonly Fault[] = [
  ...(['lost', 'half', 'cut', 'error', 'gateway', 'unavailable', 'overloaded', 'repeated', 'revoked'] as const),
];
/** The token endpoint has no nonce, and errors of its own. */
const OF_TOKENS: readonly Fault[] = ['lost', 'cut', 'gateway', 'overloaded'];
/** Faults with an answer, after which every repeat is the integration's own, not one of its HTTP library. */
const ANSWERED: readonly Fault[] = ['error', 'gateway', 'unavailable', 'overloaded'];

const FIRST_CHANCE = 0.5;
const SECOND_CHANCE = 0.6;
/** Faults of a task in a row. The next attempt gets through. */
const MAX_IN_A_ROW = 2;
/** How many calls get through after that, if any task may make the same call, so that each of them does soon. */
const SHARED_PASSES = 20;
/** How many tasks are remembered. */
const MAX_TASKS = 1_000;
/** A call that was refused because of its token is not refused again when it comes with a new one. */
const REVOKE_EVERY_MS = 20_000;

/**
 * Plans the faults by a seed: for the calls of an operation always the same ones in the same order, each kind before
 * one comes again. The same task fails at most twice in a row.
 */
export class FaultPlan {
  readonly #seed: number;
  readonly #ofOperations = new Map<OperationId, { random: () => number; deck: Fault[] }>();
  /** Of a task, how often in a row it has failed; negative: how many of its calls get through next. */
  readonly #rows = new Map<string, number>();
  #lastRevokedMs = Number.NEGATIVE_INFINITY;

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** Returns the fault of the next call of an operation. Null: none. */
  next(call: Pick<Call, 'id' | 'content' | 'key' | 'time'>): Fault | null {
    const { id, content, time } = call;
    // A lost answer and a refusal come first, so that a short run has them.
    const state = this.#ofOperations.get(id) ?? {
      random: randomBy(`${this.#seed} ${id}`),
      deck: ['overloaded', 'lost'],
    };
    this.#ofOperations.set(id, state);
    const task = nameTask(call);
    const row = this.#rows.get(task ?? content) ?? 0;
    const isFault = row >= 0 && row < MAX_IN_A_ROW && state.random() < (row === 0 ? FIRST_CHANCE : SECOND_CHANCE);
    const passes = row > 0 && task === null ? -SHARED_PASSES : Math.min(row + 1, 0);
    this.#rows.delete(task ?? content);
    if (isFault || passes < 0) this.#rows.set(task ?? content, isFault ? row + 1 : passes);
    if (this.#rows.size > MAX_TASKS) this.#rows.delete(this.#rows.keys().next().value!);
    if (!isFault) return null;
    if (row > 0) return pick(id === 'issueToken' ? ['gateway', 'overloaded'] : ANSWERED, state.random);
    if (state.deck.length === 0) state.deck = shuffle(id === 'issueToken' ? OF_TOKENS : OF_CALLS, state.random);
    const fault = state.deck.pop()!;
    if (fault !== 'revoked') return fault;
    if (time - this.#lastRevokedMs < REVOKE_EVERY_MS) return 'gateway';
    this.#lastRevokedMs = time;
    return fault;
  }
}

/** Returns a generator of numbers from 0 to 1, always the same ones for a text. */
function randomBy(text: string): () => number {
  let count = 0;
  return () => Number.parseInt(digest(`${text} ${++count}`).slice(0, 8), 16) / 2 ** 32;
}

const pick = <Value>(values: readonly Value[], random: () => number) => values[Math.floor(random() * values.length)]!;

/** Returns the values in random order. */
function shuffle<Value>(values: readonly Value[], random: () => number): Value[] {
  return values
    .map((value) => [random(), value] as const)
    .toSorted(([one], [other]) => one - other)
    .map(([, value]) => value);
}
