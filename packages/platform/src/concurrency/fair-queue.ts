import { Overload } from './deadline.ts';

interface FairQueueBounds {
  /** How much runs at once. */
  atOnce: number;
  /** How much of one owner runs at once; `atOnce` if absent. */
  atOnceOfOwner?: number;
  /** The most items of one owner that may wait. */
  maxWaiting: (owner: Owner) => number;
}

/** What waits for its turn, and what it needs. */
interface Waiting {
  start: () => void;
  needs: readonly unknown[];
}

/**
 * Runs a bounded number of things at once, in fair turns, and lets a bounded number wait. What is given up while it
 * waits leaves at once and never starts; what has started keeps its place until it has really ended.
 */
export class FairQueue {
  readonly #bounds: FairQueueBounds;
  readonly #turns = new FairTurns<Waiting>();
  /** What the work that runs needs. */
  readonly #inUse = new Set<unknown>();
  readonly #runningByOwner = new Map<string, number>();
  #running = 0;

  constructor(bounds: FairQueueBounds) {
    this.#bounds = bounds;
  }

  /** Throws an Overload when an owner may not have `count` more waiting. */
  requireRoom(owner: Owner, count: number): void {
    if (this.#turns.countWaiting(owner) + count <= this.#bounds.maxWaiting(owner)) return;
    throw new Overload(`too much of this kind waits for a turn: ${owner.kind}`);
  }

  /**
   * Runs some work in turn and returns its result. `needs`: nothing that needs one of these runs at the same time.
   * @throws Overload when too much waits already; the reason of `signal` when that aborts before the turn comes
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

  /**
   * Waits for a turn and takes a place. Returns what gives the place back; calling it again does nothing. Throws as
   * run.
   */
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

  /** Waits for a turn and takes a place until `signal` aborts. Throws as run. */
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
        // It keeps its place: nothing behind it takes what it needs.
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

/**
 * The owner of something that waits: a party, and the kind of work that it asks for.
 */
export interface Owner {
  kind: string;
  party: string;
}

/**
 * What waits, and whose turn is next: the kinds take turns, in a kind the parties take turns, and of one party the
 * first comes first. So a party waits for at most one item of each other party.
 */
export class FairTurns<Item> {
  /** The kinds and parties that have something waiting; the next one in turn comes first. */
  readonly #kinds = new Map<string, Map<string, Item[]>>();

  add({ kind, party }: Owner, item: Item): void {
    const parties = this.#kinds.get(kind) ?? new Map<string, Item[]>();
    const items = parties.get(party) ?? [];
    items.push(item);
    parties.set(party, items);
    this.#kinds.set(kind, parties);
  }

  /** Takes out the next item that may go; an owner of whom none may go keeps its turn. */
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

  /** Takes out an item that waits no longer. */
  remove({ kind, party }: Owner, item: Item): void {
    const parties = this.#kinds.get(kind);
    const items = parties?.get(party);
    const index = items?.indexOf(item) ?? -1;
    if (index === -1) return;
    items!.splice(index, 1);
    if (items!.length === 0) parties!.delete(party);
    if (parties!.size === 0) this.#kinds.delete(kind);
  }

  /** Counts what an owner has waiting. */
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
