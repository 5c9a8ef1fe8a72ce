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
