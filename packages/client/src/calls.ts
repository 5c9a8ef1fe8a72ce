import { fillPath, repeatOf, retries, routes } from './contract.ts';
import { type Failure, LockstepError, type NoAnswerCause } from './error.ts';
import { Exchange, NoAnswer } from './exchange.ts';
import type { CallOptions, FetchAnswer, Logger, RequestEvent } from './options.ts';
import { injectTrace } from './trace.ts';

type RouteId = keyof typeof routes;

/** A call of an operation, ready to be sent. */
export interface Call {
  operation: RouteId;
  params?: Record<string, string>;
  query?: Readonly<Record<string, unknown>>;
  /** Sent unchanged at each try. */
  body?: string | Uint8Array | undefined;
  headers?: Readonly<Record<string, string>>;
}

/** Where calls go, and with which tokens. */
export interface Connection {
  baseUrl: string;
  appKey: string;
  options: CallOptions;
  /** Returns the headers with the tokens; undefined if the operation needs none. */
  logIn?(signal: AbortSignal | undefined): Promise<Record<string, string>>;
  /** Forgets the tokens that were sent in these headers. */
  forget?(headers: Record<string, string>): void;
}

/** The body of a successful answer. Only a list has other fields beside its data. */
export type Answer = { data?: unknown } & Record<string, unknown>;

export const DEFAULT_TIMEOUT_MS = 60_000;
export const DEFAULT_MAX_RETRIES = 5;
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;
const MAX_RETRY_AFTER_MS = 60_000;

/**
 * Calls an operation, and repeats the call as CallOptions says. Returns its answer or, if it asks for an export, the
 * exchange in which that arrives.
 * @throws LockstepError, or the reason of the signal
 */
export async function perform(connection: Connection, call: Call, given: CallOptions = {}): Promise<Answer | Exchange> {
  const options = settingsOf(connection, given);
  const { signal, maxRetries = DEFAULT_MAX_RETRIES } = options;
  const idempotencyKey =
    options.idempotencyKey ?? (repeatOf(call.operation) === 'key' ? crypto.randomUUID() : undefined);
  const pauses = new Pauses(options);
  for (let hasRenewed = false, attempt = 1, failures = 0; ; attempt++) {
    signal?.throwIfAborted();
    const tokens = await connection.logIn?.(signal);
    const headers = { ...tokens, ...call.headers, ...(idempotencyKey && { 'idempotency-key': idempotencyKey }) };
    const tried = await tryOnce(connection, { ...call, headers }, options, { attempt, idempotencyKey });
    if (!(tried instanceof LockstepError)) return tried;
    const error = tried;
    if (retries[error.cause] === 'new_token' && tokens !== undefined && !hasRenewed) {
      hasRenewed = true;
      connection.forget?.(tokens);
    } else if (!error.isRetryable || failures >= maxRetries || error.retryAfterMs > MAX_RETRY_AFTER_MS) {
      throw error;
    } else {
      failures += 1;
      await pauses.wait(error, `${failures} of ${maxRetries}`);
    }
  }
}

/** The pauses before repeats: each twice as long as the one before, at random between half of that and all of it. */
export class Pauses {
  readonly #options: CallOptions;
  #mostMs = FIRST_PAUSE_MS;

  constructor(options: CallOptions) {
    this.#options = options;
  }

  async wait(error: LockstepError, which: string): Promise<void> {
    const pauseMs = Math.max(error.retryAfterMs, (this.#mostMs * (1 + Math.random())) / 2);
    this.#mostMs = Math.min(2 * this.#mostMs, MAX_PAUSE_MS);
    const { logger, signal } = this.#options;
    const why = `${error.operation} failed (${error.cause})`;
    tell(logger, () => logger?.warn(`${why}; repeating it in ${(pauseMs / 1_000).toFixed(1)} s (${which})`));
    await sleep(pauseMs, signal);
  }
}

/** Tells those who watch a call. If they throw, the call goes on: an order must not seem to fail because of them. */
function tell(logger: Logger | undefined, watch: () => unknown): void {
  const watching = (async () => await watch())();
  watching.catch((error) => logger?.warn(`a listener failed: ${error}`)).catch(() => {});
}

/** The operations that also need the appKey in the query. */
const WITH_APP_KEY: readonly RouteId[] = ['createBatchOrder', 'previewBatchOrder'];

async function tryOnce(
  { baseUrl, appKey }: Connection,
  { operation, params = {}, query = {}, body, headers }: Call,
  { fetch = globalThis.fetch as never, timeoutMs = DEFAULT_TIMEOUT_MS, signal, ...options }: CallOptions,
  which: Pick<RequestEvent, 'attempt' | 'idempotencyKey'>,
): Promise<Answer | Exchange | LockstepError> {
  const { method, path } = routes[operation];
  const url = `${baseUrl}${fillPath(path, params)}`;
  const search = new URLSearchParams({ g_nonce: crypto.randomUUID() });
  if (WITH_APP_KEY.includes(operation)) search.set('appKey', appKey);
  for (const [name, value] of Object.entries(query)) if (value != null) search.set(name, String(value));
  const type = operation === 'issueToken' ? 'application/x-www-form-urlencoded' : 'application/json';
  const sent = {
    method,
    headers: { ...headers, ...injectTrace(), ...(body !== undefined && { 'content-type': type }) },
  };

  const event = { operation, method, url, ...which };
  tell(options.logger, () => options.onRequest?.(event));
  const started = performance.now();
  const exchange = new Exchange(timeoutMs, signal);
  let got: FetchAnswer | undefined;
  let error: LockstepError | undefined;
  let answer: Answer | Exchange = exchange;
  try {
    // The token endpoint takes no query.
    const target = operation === 'issueToken' ? url : `${url}?${search}`;
    got = await exchange.send(fetch, target, { ...sent, ...(body !== undefined && { body }) });
    if (!isExport(got, sent.headers)) answer = readAnswer({ operation, url }, got, await exchange.text());
  } catch (thrown) {
    if (thrown instanceof LockstepError) error = thrown;
    else if (thrown instanceof NoAnswer) error = explain({ operation, url }, thrown, got);
    else throw thrown;
  }
  const durationMs = performance.now() - started;
  const requestId = got && requestIdOf(got);
  const outcome = `${got ? `HTTP ${got.status}` : 'no answer'}${error ? ` (${error.cause})` : ''}`;
  const line = `${operation}: ${outcome} after ${Math.round(durationMs)} ms, request ${requestId ?? 'unknown'}`;
  tell(options.logger, () => options.onResponse?.({ ...event, durationMs, status: got?.status, requestId, error }));
  tell(options.logger, () => options.logger?.debug(line));
  return error ?? answer;
}

/** The media types of exports (rules 1.1). */
export const EXPORT_TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const;

function isExport({ status, headers }: FetchAnswer, { accept }: Record<string, string>): boolean {
  return status === 200 && accept !== undefined && headers.get('content-type')?.startsWith(accept) === true;
}

const requestIdOf = ({ headers }: FetchAnswer) => headers.get('x-request-id') ?? undefined;

/** The wait that an answer asks for. A date is ignored: clocks differ. */
function retryAfterOf({ headers }: FetchAnswer): number {
  const seconds = Number(headers.get('retry-after') ?? 0);
  return Number.isFinite(seconds) ? seconds * 1_000 : 0;
}

/** The statuses of proxies after which the same call can succeed. */
const PASSING_STATUSES = [408, 425, 429];

/**
 * Returns the body of a successful answer.
 * @throws LockstepError for all other answers
 */
function readAnswer(of: { operation: RouteId; url: string }, answer: FetchAnswer, text: string): Answer {
  const { status, headers } = answer;
  const known = { ...of, status, requestId: requestIdOf(answer), retryAfterMs: retryAfterOf(answer) };
  const body = parseObject(text);
  const isSuccess = of.operation === 'issueToken' ? status === 200 && body?.access_token : body?.code === 0;
  if (body !== undefined && isSuccess && hasRows(of.operation, body)) return body;
  // Some entries of a call for many were applied; the data says which.
  if (status === 200 && body?.code === '60027') return body;
  if (typeof body?.code === 'string' && typeof body.cause === 'string') {
    const { code, cause, message, args, faults, data } = body as unknown as Failure & { message: string };
    const isKnown = Object.hasOwn(retries, cause);
    const retry = isKnown ? retries[cause] : code === '500' ? 'unclear' : undefined;
    const isRetryable = retry === 'later' || retry === 'unclear';
    throw new LockstepError({ ...known, code, cause, message, args, faults, data, isRetryable });
  }
  if (typeof body?.error === 'string' && of.operation === 'issueToken') {
    const message = String(body.error_description ?? body.error);
    throw new LockstepError({ ...known, code: String(status), cause: body.error, message, isRetryable: status >= 500 });
  }
  // Cut off: empty, or the beginning of a JSON object.
  const isPart = body === undefined && status >= 200 && status < 300 && /^\s*($|\{)/.test(text);
  const isRetryable = isPart || status >= 500 || PASSING_STATUSES.includes(status);
  const message = isPart
    ? `${of.url} answered only in part (HTTP ${status}).`
    : describeForeign(of.url, status, headers);
  throw new LockstepError({ ...known, cause: isPart ? 'answer_incomplete' : 'answer_foreign', message, isRetryable });
}

/** Whether an answer has the rows of its operation, if that is a list. */
function hasRows(operation: RouteId, { data }: Answer): boolean {
  const { list } = routes[operation] as { list?: { rows: readonly string[] } };
  return list === undefined || Array.isArray(data) || list.rows.some((field) => Array.isArray(Object(data)[field]));
}

/** Says what answered instead of Lockstep, and what to do. */
function describeForeign(url: string, status: number, headers: FetchAnswer['headers']): string {
  const location = status >= 300 && status < 400 ? headers.get('location') : null;
  const type = headers.get('content-type') ?? 'no content type';
  const answer = location ? `redirects to ${location} (HTTP ${status})` : `answered HTTP ${status} with ${type}`;
  const advice =
    status >= 500
      ? 'A proxy may be unable to reach Lockstep: try again, or check the proxy.'
      : 'Use the address of Lockstep itself, without the path of an operation.';
  return `${url} ${answer}, which is not an answer of Lockstep's API. ${advice}`;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Turns a missing answer into the error that callers see. */
export function explain(of: { operation: string; url: string }, { isTimeout, source }: NoAnswer, got?: FetchAnswer) {
  const inner = source as { cause?: { code?: string; message?: string }; message?: string } | undefined;
  const why = isTimeout ? 'in time' : `(${inner?.cause?.code ?? inner?.cause?.message ?? inner?.message ?? source})`;
  const known = { ...of, status: got?.status, requestId: got && requestIdOf(got), isRetryable: true, source };
  const cause = isTimeout ? 'timed_out' : 'connection_failed';
  return new LockstepError({ ...known, cause, message: `${of.url} gave no complete answer ${why}.` });
}

/** Returns what an error says of where a call went. */
export function placeOf({ baseUrl }: Connection, operation: RouteId) {
  return { operation, url: `${baseUrl}${routes[operation].path}` };
}

/** The error for an answer with which the client can't go on. */
export function unusable(connection: Connection, operation: RouteId, cause: NoAnswerCause, what: string) {
  const place = placeOf(connection, operation);
  return new LockstepError({ ...place, cause, message: `The answer of ${place.url} ${what}.`, isRetryable: false });
}

/** Waits, unless the signal ends the wait. */
async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await abortable(wait, signal).finally(() => clearTimeout(timer));
}

/** Waits for what other callers may wait for too, unless the signal ends the wait. */
export async function abortable<Value>(value: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  signal?.throwIfAborted();
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
  });
  return await Promise.race([value, aborted]).finally(() => signal?.removeEventListener('abort', abort));
}

/** Returns a body as it is sent: bytes unchanged, anything else as JSON. */
export function encode(body: unknown): Call['body'] {
  return body === undefined || body instanceof Uint8Array ? (body as Call['body']) : JSON.stringify(body);
}

/** Returns the options of a call: its own, without those that are given as undefined, before the client's. */
export function settingsOf({ options }: Connection, given: CallOptions): CallOptions {
  return { ...options, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) };
}
