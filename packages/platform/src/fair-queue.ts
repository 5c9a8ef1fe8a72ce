import { Overload } from './deadline.ts';
import { type Owner, Turns } from './turns.ts';

export interface FairQueueBounds {
  /** Work that runs at once. */
  atOnce: number;
  /** Of this, that of one owner; unless told, all of it. */
  atOnceOfOwner?: number;
  /** Work of an owner that waits. */
  maxWaiting: (owner: Owner) => number;
}

/**
 * Lets a bounded number of things run at once, in fair turns (see Turns), and a bounded number wait. What is given up
 * while it waits leaves at once and is never begun; what has begun keeps its place until it has really ended.
 */
export class FairQueue {
  readonly #bounds: FairQueueBounds;
  readonly #turns = new Turns<() => void>();
  readonly #runningOf = new Map<string, number>();
  #running = 0;

  constructor(bounds: FairQueueBounds) {
    this.#bounds = bounds;
  }

  /** Throws an Overload where so many more of an owner may not wait. */
  requireRoom(owner: Owner, count: number): void {
    if (this.#turns.waitingOf(owner) + count <= this.#bounds.maxWaiting(owner)) return;
    throw new Overload(`too much of this kind waits for a turn: ${owner.kind}`);
  }

  /**
   * Runs some work in turn and answers what it does. Throws an Overload where too much waits already, and the reason of
   * `signal` where that aborts before the turn has come.
   */
  async run<Result>(owner: Owner, signal: AbortSignal | undefined, work: () => Promise<Result>): Promise<Result> {
    this.requireRoom(owner, 1);
    await this.#turnOf(owner, signal);
    try {
      return await work();
    } finally {
      this.#count(owner, -1);
      this.#startWaiting();
    }
  }

  async #turnOf(owner: Owner, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const start = () => {
      signal?.removeEventListener('abort', leave);
      resolve();
    };
    const leave = () => {
      this.#turns.remove(owner, start);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', leave, { once: true });
    this.#turns.add(owner, start);
    this.#startWaiting();
    await promise;
  }

  #startWaiting(): void {
    const { atOnce, atOnceOfOwner = atOnce } = this.#bounds;
    while (this.#running < atOnce) {
      const next = this.#turns.take((owner) => (this.#runningOf.get(keyOf(owner)) ?? 0) < atOnceOfOwner);
      if (next === undefined) return;
      this.#count(next.owner, 1);
      next.item();
    }
  }

  #count(owner: Owner, change: 1 | -1): void {
    this.#running += change;
    const key = keyOf(owner);
    const running = (this.#runningOf.get(key) ?? 0) + change;
    if (running === 0) this.#runningOf.delete(key);
    else this.#runningOf.set(key, running);
  }
}

const keyOf = ({ kind, party }: Owner) => `${kind} ${party}`;
