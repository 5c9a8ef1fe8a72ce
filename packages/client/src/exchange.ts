import type { Fetch, FetchAnswer } from './options.ts';

/** A timer with more would end at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** No answer, or only a part of one, arrived. */
export class NoAnswer extends Error {
  readonly isTimeout: boolean;
  readonly source: unknown;

  constructor(isTimeout: boolean, source: unknown) {
    super('no answer');
    this.isTimeout = isTimeout;
    this.source = source;
  }
}

/**
 * One request and its answer. Its time runs until the answer is read or closed, and begins again with each part of a
 * stream. Everything throws NoAnswer, or the reason of the caller's signal.
 */
export class Exchange {
  readonly #timeoutMs: number;
  readonly #signal: AbortSignal | undefined;
  readonly #ending = new AbortController();
  #isTimeout = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #answer: FetchAnswer | undefined;

  constructor(timeoutMs: number, signal: AbortSignal | undefined) {
    this.#timeoutMs = timeoutMs;
    this.#signal = signal;
    if (signal?.aborted) this.#abort();
    signal?.addEventListener('abort', this.#abort, { once: true });
  }

  /** Sends the request, and returns its answer when its body begins. */
  async send(fetch: Fetch, url: string, init: Omit<Parameters<Fetch>[1], 'signal' | 'redirect'>): Promise<FetchAnswer> {
    this.#startTimer();
    // A redirected POST would become a GET, and the secret would go elsewhere.
    const sent = () => fetch(url, { ...init, redirect: 'manual', signal: this.#ending.signal });
    this.#answer = await this.#orNoAnswer(sent);
    return this.#answer;
  }

  /** Reads the whole answer, and closes the exchange. */
  async text(): Promise<string> {
    const text = await this.#orNoAnswer(() => this.#answer!.text());
    this.#release();
    return text;
  }

  /** Reads the answer as it arrives. Close the exchange afterwards. */
  async *chunks(): AsyncGenerator<string> {
    // An export has a byte order mark, for spreadsheets.
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    const parts = partsOf(this.#answer!.body);
    while (true) {
      this.#startTimer();
      const { done, value } = await this.#orNoAnswer(() => parts.next());
      clearTimeout(this.#timer);
      if (done) return;
      yield decoder.decode(value, { stream: true });
    }
  }

  /** Ends the exchange, whether the answer has been read or not. */
  close(): void {
    this.#release();
    this.#ending.abort();
  }

  readonly #abort = () => this.#ending.abort(this.#signal?.reason);

  #startTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        this.#isTimeout = true;
        this.#ending.abort();
      },
      Math.min(this.#timeoutMs, MAX_TIMER_MS),
    );
  }

  #release(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#abort);
  }

  async #orNoAnswer<Value>(step: () => Promise<Value>): Promise<Value> {
    try {
      return await step();
    } catch (error) {
      this.#release();
      if (this.#signal?.aborted) throw this.#signal.reason;
      throw new NoAnswer(this.#isTimeout, error);
    }
  }
}

/** Reads a body part by part, also in browsers whose streams can't be iterated. */
async function* partsOf(body: FetchAnswer['body']): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  if (Symbol.asyncIterator in body) return yield* body;
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
}
