/** Pseudorandom numbers from a seed, so that a run can be repeated. */
export class Random {
  #state: number;

  /** `seed` and `stream` are integers. Each stream of a seed is a separate sequence. */
  constructor(seed: number, stream = 0) {
    this.#state = (seed ^ Math.imul(stream + 1, 0x9e3779b1)) >>> 0;
  }

  /** Returns a number from 0 up to but excluding 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns an integer from 0 up to but excluding `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  isOneIn(count: number): boolean {
    return this.below(count) === 0;
  }

  oneOf<Item>(items: readonly Item[]): Item {
    if (items.length === 0) throw new Error('No items to choose from');
    return items[this.below(items.length)]!;
  }

  /** Returns `length` random characters of `alphabet`. */
  word(length: number, alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789'): string {
    return Array.from({ length }, () => alphabet[this.below(alphabet.length)]).join('');
  }
}
