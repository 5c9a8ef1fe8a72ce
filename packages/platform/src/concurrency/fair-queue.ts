import { Overload } from './deadline.ts';

interface FairQueueBounds {
  /** The maximum that runs at once. */
  atOnce: number;
  /** The maximum of one owner that runs at once; by default `atOnce`. */
  atOnceOfOwner?: number;
  /** The most items of one owner that may wait. */
  maxWaiting: (owner: Owner) => number;
}

/** A queued item, and the resources it needs. */
interface Waiting {
  start: () => void;
  needs: readonly unknown[];
}

/**
 * Runs a bounded number of tasks at once, gives each owner a fair share, and queues a bounded number. A task that is
 * aborted while queued leaves at once and never starts. A task that has started keeps its slot until it really ends.
 */
export class FairQueue {
  readonly #bounds: FairQueueBounds;
  readonly #turns = new FairTurns<Waiting>();
  /** The resources of the running tasks. */
  readonly #inUse = new Set<unknown>();
  readonly #runningByOwner = new Map<string, number>();
  #running = 0;

  constructor(bounds: FairQueueBounds) {
    this.#bounds = bounds;
  }

  /** Throws an Overload if the owner cannot queue `count` more. */
  requireRoom(owner: Owner, count: number): void {
    if (this.#turns.countWaiting(owner) + count <= this.#bounds.maxWaiting(owner)) return;
    throw new Overload(`too many queued: ${owner.kind}`);
  }

  /**
   * Runs a task when its turn comes, and returns its result. `needs`: resources that no two running tasks share. Throws
   * Overload if too much is queued; the reason of `signal` if it aborts first.
   */
  async run<Result>(
    owner: Owner,
    signal: AbortSignal | undefined,
    work: () => Promise<Result>,
    needs: readonly unknown[] = [],
  ): Promise<Result> {
    const leave = await this.enter(owner, signal, needs);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /** Waits for a slot and takes it. Returns a function that releases it, at most once. Throws like run. */
  async enter(owner: Owner, signal: AbortSignal | undefined, needs: readonly unknown[] = []): Promise<() => void> {
    this.requireRoom(owner, 1);
    await this.#waitForTurn(owner, signal, needs);
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      this.#count(owner, -1);
      for (const need of needs) this.#inUse.delete(need);
      this.#startWaiting();
    };
  }

  /** Waits for a slot and holds it until `signal` aborts. Throws like run. */
  async hold(owner: Owner, signal: AbortSignal): Promise<void> {
    const leave = await this.enter(owner, signal);
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
  }

  async #waitForTurn(owner: Owner, signal: AbortSignal | undefined, needs: readonly unknown[]): Promise<void> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const start = () => {
      signal?.removeEventListener('abort', leave);
      resolve();
    };
    const waiting = { start, needs };
    const leave = () => {
      this.#turns.remove(owner, waiting);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', leave, { once: true });
    this.#turns.add(owner, waiting);
    this.#startWaiting();
    await promise;
  }

  #startWaiting(): void {
    const { atOnce, atOnceOfOwner = atOnce } = this.#bounds;
    while (this.#running < atOnce) {
      const inUse = new Set(this.#inUse);
      const next = this.#turns.take((owner, { needs }) => {
        if ((this.#runningByOwner.get(keyOf(owner)) ?? 0) >= atOnceOfOwner) return false;
        const isFree = !needs.some((need) => inUse.has(need));
        // The item keeps its position: no later item takes the resources it needs.
        if (!isFree) for (const need of needs) inUse.add(need);
        return isFree;
      });
      if (next === undefined) return;
      this.#count(next.owner, 1);
      for (const need of next.item.needs) this.#inUse.add(need);
      next.item.start();
    }
  }

  #count(owner: Owner, change: 1 | -1): void {
    this.#running += change;
    const key = keyOf(owner);
    const running = (this.#runningByOwner.get(key) ?? 0) + change;
    if (running === 0) this.#runningByOwner.delete(key);
    else this.#runningByOwner.set(key, running);
  }
}

const keyOf = ({ kind, party }: Owner) => `${kind} ${party}`;

/** The owner of a queued item: a party, and the kind of work. */
export interface Owner {
  kind: string;
  party: string;
}

/**
 * A queue that takes kinds round robin, the parties of a kind round robin, and the items of a party first in, first
 * out. So a party waits for at most one item of each other party.
 */
export class FairTurns<Item> {
  /** The kinds and parties with queued items, next first. */
  readonly #kinds = new Map<string, Map<string, Item[]>>();

  add({ kind, party }: Owner, item: Item): void {
    const parties = this.#kinds.get(kind) ?? new Map<string, Item[]>();
    const items = parties.get(party) ?? [];
    items.push(item);
    parties.set(party, items);
    this.#kinds.set(kind, parties);
  }

  /** Removes and returns the next item that may go. An owner whose items may not go keeps its turn. */
  take(mayGo: (owner: Owner, item: Item) => boolean): { owner: Owner; item: Item } | undefined {
    for (const [kind, parties] of this.#kinds) {
      for (const [party, items] of parties) {
        const owner = { kind, party };
        const place = items.findIndex((item) => mayGo(owner, item));
        if (place === -1) continue;
        const [item] = items.splice(place, 1) as [Item];
        this.#putLast(owner, parties, items);
        return { owner, item };
      }
    }
    return undefined;
  }

  /** Removes a queued item. */
  remove({ kind, party }: Owner, item: Item): void {
    const parties = this.#kinds.get(kind);
    const items = parties?.get(party);
    const index = items?.indexOf(item) ?? -1;
    if (index === -1) return;
    items!.splice(index, 1);
    if (items!.length === 0) parties!.delete(party);
    if (parties!.size === 0) this.#kinds.delete(kind);
  }

  /** Returns how many items an owner has queued. */
  countWaiting({ kind, party }: Owner): number {
    return this.#kinds.get(kind)?.get(party)?.length ?? 0;
  }

  #putLast({ kind, party }: Owner, parties: Map<string, Item[]>, items: Item[]): void {
    parties.delete(party);
    if (items.length > 0) parties.set(party, items);
    this.#kinds.delete(kind);
    if (parties.size > 0) this.#kinds.set(kind, parties);
  }
}
