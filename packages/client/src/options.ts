import type { LockstepError } from './error.ts';

/** The part of `fetch` that the client needs. The global `fetch` has it. */
export type Fetch = (
  url: string,
  init: {
    method: string;
    headers: Record<string, string>;
    // biome-ignore lint/suspicious/noExplicitAny: text or bytes, whose types differ between releases of TypeScript
    body?: any;
    redirect: 'manual';
    signal: AbortSignal;
  },
) => Promise<FetchAnswer>;

/** The part of a `Response` that the client needs. */
export interface FetchAnswer {
  status: number;
  headers: { get(name: string): string | null };
  body: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array> | null;
  text(): Promise<string>;
}

/** Takes lines for people, without secrets. `console` and a pino logger are such loggers. */
export interface Logger {
  debug(line: string): void;
  warn(line: string): void;
}

/** A request that is sent: one for each try. */
export interface RequestEvent {
  /** The operation, such as `createBatchOrder`. */
  operation: string;
  method: string;
  /** Without the query. */
  url: string;
  /** 1 for the first try of a call. */
  attempt: number;
  /** The header of operations that need one to be repeated. */
  idempotencyKey: string | undefined;
}

/** How a request ended. */
export interface ResponseEvent extends RequestEvent {
  /** Time until the answer ended, or until an export began, in milliseconds. */
  durationMs: number;
  /** HTTP status; undefined if no answer arrived. */
  status: number | undefined;
  /** The `x-request-id` of the answer. */
  requestId: string | undefined;
  /** Set if the request failed. */
  error: LockstepError | undefined;
}

/** What every method takes. What a call does not give, the options of the client give. */
export interface CallOptions {
  /** Ends the call, its waits included; the method then throws the reason of the signal. */
  signal?: AbortSignal | undefined;
  /**
   * For each try, from its start to the end of its answer. Default 60,000. In exports: between two parts. A call that
   * waits for an outcome or an event has 30 seconds more.
   */
  timeoutMs?: number | undefined;
  /**
   * How often a call is repeated at most after no answer, a fault or overload. Default 5. The pause is 0.5 s, twice as
   * long each time up to 30 s, at random between half of that and all of it, and at least `Retry-After`. If that is
   * more than 60 s, the call is not repeated. A call whose token is refused is repeated once more, with a new token.
   */
  maxRetries?: number | undefined;
  /** Takes the place of the global `fetch`, for example to use a proxy. */
  fetch?: Fetch | undefined;
  /** Hears of each answer (`debug`) and of each pause before a repeat (`warn`). If it throws, the call goes on. */
  logger?: Logger | undefined;
  /** Is called before each request. If it throws, the call goes on, and the logger hears of it. */
  onRequest?: ((event: RequestEvent) => void) | undefined;
  /** Is called after each request. If it throws, the call goes on, and the logger hears of it. */
  onResponse?: ((event: ResponseEvent) => void) | undefined;
  /**
   * The `Idempotency-Key` of this call: a random value that you stored before. Then you can repeat the call in another
   * process, for 24 hours. Without it, the client makes one where an operation needs it, for its own repeats.
   */
  idempotencyKey?: string | undefined;
}

/** What a client needs. The other options are the defaults of all calls. */
export interface LockstepOptions extends Omit<CallOptions, 'idempotencyKey' | 'signal'> {
  /** `https://host`, with the path prefix of a proxy if there is one. */
  baseUrl: string;
  appKey: string;
  appSecret: string;
}

/** An administrator of an enterprise, who uses the member center. */
export interface User {
  enterpriseGlobalId: string;
  /** The full account name, such as `admin@demoworks`. */
  account: string;
  password: string;
}
