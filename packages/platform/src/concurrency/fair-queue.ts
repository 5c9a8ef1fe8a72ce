import { Overload } from './deadline.ts';

interface FairQueueBounds {
  /** The most tasks that run at once. */
  atOnce: number;
  /** The most tasks of one party that run at once; by default `atOnce`. */
  atOnceOfParty?: number;
  /** The most tasks of one party that wait. */
  maxWaiting: number;
}

interface Task {
  party: string;
  needs: readonly unknown[];
  start: () => void;
}

/**
 * Runs a bounded number of tasks at once and queues a bounded number of each party. Parties, such as applications, take
 * turns, so a task waits for at most one task of each other party and those before it of its own. A task that is
 * aborted while it waits leaves at once and never starts. A task that has started keeps its slot until it really ends.
 */
export class FairQueue {
  readonly #bounds: FairQueueBounds;
  /** The queued tasks by party; the party whose turn is next comes first. */
  readonly #waiting = new Map<string, Task[]>();
  readonly #running = new Set<Task>();

  constructor(bounds: FairQueueBounds) {
    this.#bounds = bounds;
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
    const { promise: turn, resolve: start, reject } = Promise.withResolvers<void>();
    const task = { party, needs, start };
    const leave = () => {
      const others = this.#othersOf(task);
      if (others.length > 0) this.#waiting.set(party, others);
      else this.#waiting.delete(party);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', leave);
    this.#waiting.set(party, [...(this.#waiting.get(party) ?? []), task]);
    this.#startWaiting();
    try {
      await turn;
      return await work();
    } finally {
      signal?.removeEventListener('abort', leave);
      this.#running.delete(task);
      this.#startWaiting();
    }
  }

  #startWaiting(): void {
    while (this.#running.size < this.#bounds.atOnce) {
      const task = this.#findNext();
      if (task === undefined) return;
      const others = this.#othersOf(task);
      // The party's next turn comes after those of all others.
      this.#waiting.delete(task.party);
      if (others.length > 0) this.#waiting.set(task.party, others);
      this.#running.add(task);
      task.start();
    }
  }

  #findNext(): Task | undefined {
    const { atOnceOfParty = Number.POSITIVE_INFINITY } = this.#bounds;
    const running = [...this.#running];
    const needed = new Set(running.flatMap(({ needs }) => needs));
    for (const [party, tasks] of this.#waiting) {
      if (running.filter((each) => each.party === party).length >= atOnceOfParty) continue;
      for (const task of tasks) {
        if (!task.needs.some((need) => needed.has(need))) return task;
        // It keeps its place: no later task takes the resources that it needs.
        for (const need of task.needs) needed.add(need);
      }
    }
    return undefined;
  }

  /** Returns the other queued tasks of the party of a task. */
  #othersOf(task: Task): Task[] {
    return (this.#waiting.get(task.party) ?? []).filter((each) => each !== task);
  }
}
