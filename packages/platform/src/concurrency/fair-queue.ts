import { Overload } from './deadline.ts';

interface FairQueueBounds {
  /** The most tasks that run at once. */
  atOnce: number;
  /** The most tasks of one party that run at once; by default `atOnce`. */
  atOnceOfParty?: number;
  /** The most tasks of one party that wait. */
  maxWaiting: number;
}

/** A queued task, and the resources that it needs. */
interface Waiting {
  start: () => void;
  needs: readonly unknown[];
}

/**
 * Runs a bounded number of tasks at once and queues a bounded number of each party. Parties, such as applications, take
 * turns, so a task waits for at most one task of each other party and those before it of its own. A task that is
 * aborted while it waits leaves at once and never starts. A task that has started keeps its slot until it really ends.
 */
export class FairQueue {
  readonly #bounds: FairQueueBounds;
  /** The parties with queued tasks, next first. */
  readonly #waiting = new Map<string, Waiting[]>();
  /** How many tasks of each party run. */
  readonly #running = new Map<string, number>();
  #free: number;
  /** The resources of the running tasks. */
  readonly #inUse = new Set<unknown>();

  constructor(bounds: FairQueueBounds) {
    this.#bounds = bounds;
    this.#free = bounds.atOnce;
  }

  /** Throws an Overload if the party cannot queue `count` more. */
  requireRoom(party: string, count: number): void {
    const waiting = this.#waiting.get(party)?.length ?? 0;
    if (waiting + count > this.#bounds.maxWaiting) throw new Overload('too many calls are waiting');
  }

  /**
   * Runs a task when its turn comes, and returns its result. `needs`: resources that no two running tasks share, and
   * that no task takes before an earlier one that waits for them. Throws an Overload if too much is queued; the reason
   * of `signal` if it aborts first.
   */
  async run<Result>(
    party: string,
    signal: AbortSignal | undefined,
    work: () => Promise<Result>,
    needs: readonly unknown[] = [],
  ): Promise<Result> {
    signal?.throwIfAborted();
    this.requireRoom(party, 1);
    await this.#waitForTurn(party, signal, needs);
    try {
      return await work();
    } finally {
      this.#count(party, -1);
      for (const need of needs) this.#inUse.delete(need);
      this.#startWaiting();
    }
  }

  async #waitForTurn(party: string, signal: AbortSignal | undefined, needs: readonly unknown[]): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { start: resolve, needs };
    const leave = () => {
      const queue = (this.#waiting.get(party) ?? []).filter((each) => each !== waiting);
      if (queue.length > 0) this.#waiting.set(party, queue);
      else this.#waiting.delete(party);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', leave);
    const queue = this.#waiting.get(party) ?? [];
    queue.push(waiting);
    this.#waiting.set(party, queue);
    this.#startWaiting();
    await promise.finally(() => signal?.removeEventListener('abort', leave));
  }

  #startWaiting(): void {
    const { atOnce, atOnceOfParty = atOnce } = this.#bounds;
    while (this.#free > 0) {
      const needed = new Set(this.#inUse);
      const mayStart = ({ needs }: Waiting) => {
        const isFree = !needs.some((need) => needed.has(need));
        // It keeps its place: no later task takes the resources that it needs.
        if (!isFree) for (const need of needs) needed.add(need);
        return isFree;
      };
      const next = this.#waiting
        .entries()
        .filter(([party]) => (this.#running.get(party) ?? 0) < atOnceOfParty)
        .map(([party, queue]) => ({ party, queue, place: queue.findIndex(mayStart) }))
        .find(({ place }) => place >= 0);
      if (next === undefined) return;
      const { party, queue, place } = next;
      const [{ start, needs }] = queue.splice(place, 1) as [Waiting];
      // The party's next turn comes after those of all others.
      this.#waiting.delete(party);
      if (queue.length > 0) this.#waiting.set(party, queue);
      this.#count(party, 1);
      for (const need of needs) this.#inUse.add(need);
      start();
    }
  }

  #count(party: string, change: 1 | -1): void {
    this.#free -= change;
    const running = (this.#running.get(party) ?? 0) + change;
    if (running === 0) this.#running.delete(party);
    else this.#running.set(party, running);
  }
}
