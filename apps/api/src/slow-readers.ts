import type { ServerResponse } from 'node:http';

/** How long a client may take to read an answer: a grace time in all, and more for every byte. */
const GRACE_MS = 60_000;
const MIN_BYTES_PER_SECOND = 256 * 1024;

/** The time that a client has to read an answer, which is written in pieces. What the service takes does not count. */
export class ReadingTime {
  readonly #response: ServerResponse;
  #leftMs = GRACE_MS;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  /**
   * Waits until the connection has taken all that was written to it, or is closed. What was written last had about so
   * many bytes. It closes the connection of a client that takes too long, so that it does not hold for ever what its
   * call holds.
   */
  async untilTaken(bytes: number): Promise<void> {
    this.#leftMs += (1_000 * bytes) / MIN_BYTES_PER_SECOND;
    const response = this.#response;
    if (!response.writableNeedDrain) return;
    const startedMs = performance.now();
    const { promise: taken, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(() => response.destroy(), this.#leftMs);
    response.once('drain', resolve).once('close', resolve);
    await taken;
    clearTimeout(timer);
    response.off('drain', resolve).off('close', resolve);
    this.#leftMs -= performance.now() - startedMs;
  }
}
