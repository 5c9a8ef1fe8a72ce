import { Refusal } from '@lockstep/contract';

const MEBIBYTE = 1024 * 1024;
/** The most bytes of a process, and of one party. */
const MAX_BYTES = 64 * MEBIBYTE;
const MAX_BYTES_OF_PARTY = 32 * MEBIBYTE;

/**
 * Counts the bytes that a process holds for its calls: of bodies until they are answered, and of long answers until
 * clients have read them. A party, such as an application, takes no more than its share.
 */
export class BytesInFlight {
  readonly #ofParty = new Map<string, number>();
  #all = 0;

  /** Throws a Refusal if they do not fit: overloaded. */
  take(party: string, bytes: number): void {
    const ofParty = (this.#ofParty.get(party) ?? 0) + bytes;
    if (this.#all + bytes > MAX_BYTES || ofParty > MAX_BYTES_OF_PARTY) throw new Refusal('overloaded');
    this.#ofParty.set(party, ofParty);
    this.#all += bytes;
  }

  release(party: string, bytes: number): void {
    this.#all -= bytes;
    const left = (this.#ofParty.get(party) ?? 0) - bytes;
    if (left === 0) this.#ofParty.delete(party);
    else this.#ofParty.set(party, left);
  }
}
