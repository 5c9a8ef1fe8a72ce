/** An answer that stays true as long as its batch has this end. */
interface Remembered {
  end: string;
  answer: string;
}

/** What an entry costs beside its texts, roughly. */
const ENTRY_BYTES = 256;

/**
 * Remembers answers about batches that have ended, as texts: those that were wanted last, as many as fit into `maxBytes`.
 * Whoever shows one has to know from the database that the batch still has this end.
 */
export class RememberedAnswers {
  readonly #maxBytes: number;
  /** The one that was wanted last is the last one. */
  readonly #answers = new Map<string, Remembered>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The bytes that all entries take, at two for each character. */
  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): Remembered | undefined {
    const remembered = this.#answers.get(key);
    if (remembered === undefined) return undefined;
    this.#answers.delete(key);
    this.#answers.set(key, remembered);
    return remembered;
  }

  set(key: string, remembered: Remembered): void {
    this.forget(key);
    const bytes = sizeOf(key, remembered);
    if (bytes > this.#maxBytes) return;
    this.#answers.set(key, remembered);
    this.#bytes += bytes;
    for (const oldest of this.#answers.keys()) {
      if (this.#bytes <= this.#maxBytes) return;
      this.forget(oldest);
    }
  }

  forget(key: string): void {
    const remembered = this.#answers.get(key);
    if (remembered === undefined) return;
    this.#answers.delete(key);
    this.#bytes -= sizeOf(key, remembered);
  }
}

function sizeOf(key: string, { end, answer }: Remembered): number {
  return ENTRY_BYTES + 2 * (key.length + end.length + answer.length);
}
