/** Whom something waits for a turn for: a party (an application, an enterprise), and the kind of work that it asks for. */
export interface Owner {
  kind: string;
  party: string;
}

/**
 * What waits, and whose turn is next: each kind in turn, in a kind each party, and of one party whoever came first. So
 * however much one party asks for, another waits for one thing of it at most before its own turn.
 */
export class Turns<Item> {
  /** Kinds and parties that have something waiting, next in turn first. */
  readonly #kinds = new Map<string, Map<string, Item[]>>();

  add({ kind, party }: Owner, item: Item): void {
    const parties = this.#kinds.get(kind) ?? new Map<string, Item[]>();
    const items = parties.get(party) ?? [];
    items.push(item);
    parties.set(party, items);
    this.#kinds.set(kind, parties);
  }

  /** Takes what is next of those owners that may go; one that may not keeps its turn. */
  take(mayGo: (owner: Owner) => boolean): { owner: Owner; item: Item } | undefined {
    for (const [kind, parties] of this.#kinds) {
      for (const [party, items] of parties) {
        const owner = { kind, party };
        if (!mayGo(owner)) continue;
        const item = items.shift()!;
        this.#putLast(owner, parties, items);
        return { owner, item };
      }
    }
    return undefined;
  }

  /** Takes something out that waits for no turn any more. */
  remove({ kind, party }: Owner, item: Item): void {
    const parties = this.#kinds.get(kind);
    const items = parties?.get(party);
    const index = items?.indexOf(item) ?? -1;
    if (index === -1) return;
    items!.splice(index, 1);
    if (items!.length === 0) parties!.delete(party);
    if (parties!.size === 0) this.#kinds.delete(kind);
  }

  /** How much of an owner waits. */
  waitingOf({ kind, party }: Owner): number {
    return this.#kinds.get(kind)?.get(party)?.length ?? 0;
  }

  #putLast({ kind, party }: Owner, parties: Map<string, Item[]>, items: Item[]): void {
    parties.delete(party);
    if (items.length > 0) parties.set(party, items);
    this.#kinds.delete(kind);
    if (parties.size > 0) this.#kinds.set(kind, parties);
  }
}
