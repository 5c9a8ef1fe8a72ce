/** Numbers that look random and follow from a seed, so that a run can be had again. */
export class Random {
  #state: number;

  /** `seed` is any whole number; `stream` another whole number, for a run of its own within a seed. */
  constructor(seed: number, stream = 0) {
    this.#state = (seed ^ Math.imul(stream + 1, 0x9e3779b1)) >>> 0;
  }

  /** At least 0 and less than 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number of at least 0 and less than `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  isOneIn(count: number): boolean {
    return this.below(count) === 0;
  }

  oneOf<Item>(items: readonly Item[]): Item {
    if (items.length === 0) throw new Error('Nothing to choose from');
    return items[this.below(items.length)]!;
  }

  /** `length` random characters of `alphabet`. */
  word(length: number, alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789'): string {
    return Array.from({ length }, () => alphabet[this.below(alphabet.length)]).join('');
  }
}
