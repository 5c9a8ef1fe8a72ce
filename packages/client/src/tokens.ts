import { type Answer, abortable, type Connection, perform } from './calls.ts';

/** The part of a token's life after which it is replaced. */
const USED_PART = 0.9;

/** A token that callers share: it is requested once, however many wait for it, and again before it expires. */
export class Token {
  readonly #connection: Connection;
  readonly #form: Record<string, string>;
  #token = '';
  /** By the clock that only runs forward, so that a wrong date does not matter. */
  #renewMs = Number.NEGATIVE_INFINITY;
  #pending: Promise<string> | undefined;

  constructor(connection: Connection, form: Record<string, string>) {
    this.#connection = connection;
    this.#form = form;
  }

  /** Returns a token. If a caller leaves, the others still get it. */
  async get(signal: AbortSignal | undefined): Promise<string> {
    if (performance.now() < this.#renewMs) return this.#token;
    this.#pending ??= this.#request().finally(() => {
      this.#pending = undefined;
    });
    // Its failure belongs to those who still wait.
    this.#pending.catch(() => {});
    return await abortable(this.#pending, signal);
  }

  /** Forgets the token, unless it has already been replaced. */
  forget(token: string | undefined): void {
    if (token === this.#token) this.#renewMs = Number.NEGATIVE_INFINITY;
  }

  async #request(): Promise<string> {
    const call = { operation: 'issueToken', body: `${new URLSearchParams(this.#form)}` } as const;
    const startedMs = performance.now();
    const answer = (await perform(this.#connection, call)) as Answer;
    const { access_token: token, expires_in: seconds } = answer as {
      access_token: string;
      expires_in: number;
    } & Answer;
    this.#token = token;
    this.#renewMs = startedMs + USED_PART * seconds * 1_000;
    return token;
  }
}
