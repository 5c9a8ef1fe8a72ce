import type { OperationId } from '@lockstep/contract';

/** What the sandbox can do to a call, and what the report says of it. */
export const FAULTS = {
  lost: 'the connection was cut after the call took effect',
  half: 'the connection was cut in the middle of the answer',
  cut: 'the connection was cut before the call reached the service',
  error: 'HTTP 500 of a proxy after the call took effect',
  gateway: 'HTTP 502 of a proxy, with HTML; the call did not reach the service',
  unavailable: 'code 500, service_unavailable, after the call took effect',
  overloaded: 'code 500, overloaded, with Retry-After; the call did not reach the service',
  repeated: 'the call reached the service twice, with one nonce',
  revoked: 'the access token was revoked before the call',
  unknown: 'code 500, outcome_unknown, after the batch took effect',
} as const;

export type Fault = keyof typeof FAULTS;

const OF_CALLS: readonly Fault[] = [
  ...(['lost', 'half', 'cut', 'error', 'gateway', 'unavailable', 'overloaded', 'repeated', 'revoked'] as const),
];
/** The token endpoint has no nonce, and errors of its own. */
const OF_TOKENS: readonly Fault[] = ['lost', 'cut', 'gateway', 'overloaded'];
/** Faults with an answer, after which every repeat is the integration's own, not one of its HTTP library. */
const ANSWERED: readonly Fault[] = ['error', 'gateway', 'unavailable', 'overloaded'];

const FIRST_CHANCE = 0.5;
const SECOND_CHANCE = 0.6;
/** Faults of the same call in a row. The next attempt gets through. */
const MAX_IN_A_ROW = 2;
/** How many calls are remembered as failed. */
const MAX_FAILING = 1_000;
/** A call that was refused because of its token is not refused again when it comes with a new one. */
const REVOKE_EVERY_MS = 20_000;

/**
 * Plans the faults by a seed: for the calls of an operation always the same ones in the same order, each kind before
 * one comes again. A call fails at most twice in a row.
 */
export class FaultPlan {
  readonly #seed: number;
  readonly #ofOperations = new Map<OperationId, { random: () => number; deck: Fault[] }>();
  readonly #failing = new Map<string, number>();
  #lastRevokedMs = Number.NEGATIVE_INFINITY;

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** Returns the fault of the next call of an operation. Null: none. */
  next(id: OperationId, content: string, nowMs: number): Fault | null {
    // The worst comes first, so that a short run has it.
    const state = this.#ofOperations.get(id) ?? { random: randomBy(`${this.#seed} ${id}`), deck: ['lost' as const] };
    this.#ofOperations.set(id, state);
    const row = this.#failing.get(content) ?? 0;
    this.#failing.delete(content);
    if (row >= MAX_IN_A_ROW || state.random() >= (row === 0 ? FIRST_CHANCE : SECOND_CHANCE)) return null;
    this.#failing.set(content, row + 1);
    if (this.#failing.size > MAX_FAILING) this.#failing.delete(this.#failing.keys().next().value!);
    if (row > 0) return pick(id === 'issueToken' ? ['gateway', 'overloaded'] : ANSWERED, state.random);
    if (state.deck.length === 0) state.deck = shuffle(id === 'issueToken' ? OF_TOKENS : OF_CALLS, state.random);
    const fault = state.deck.pop()!;
    if (fault !== 'revoked') return fault;
    if (nowMs - this.#lastRevokedMs < REVOKE_EVERY_MS) return 'gateway';
    this.#lastRevokedMs = nowMs;
    return fault;
  }
}

/** Returns a generator of numbers from 0 to 1 (mulberry32), always the same ones for a text. */
export function randomBy(text: string): () => number {
  let state = [...text].reduce((sum, character) => Math.imul(sum ^ character.codePointAt(0)!, 0x01000193), 0x811c9dc5);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const pick = <Value>(values: readonly Value[], random: () => number) => values[Math.floor(random() * values.length)]!;

/** Returns the values in random order. */
export function shuffle<Value>(values: readonly Value[], random: () => number): Value[] {
  return values
    .map((value) => [random(), value] as const)
    .toSorted(([one], [other]) => one - other)
    .map(([, value]) => value);
}
