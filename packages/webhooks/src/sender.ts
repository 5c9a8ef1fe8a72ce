import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { RequestFilteringHttpsAgent } from 'request-filtering-agent';
import { DENIED_ADDRESSES } from './addresses.ts';
import { lookUpByDns } from './name-lookup.ts';
import { explainError, explainStatus, NOT_HTTPS, TIMED_OUT } from './send-faults.ts';

/** From the look-up of the name to the status line of the answer (rules 6.8). */
const ANSWER_TIMEOUT_MS = 15_000;
/** What is read of an answer's body, and for how long: nobody looks at it. Then the connection ends. */
const MAX_BODY_BYTES = 4_096;
const BODY_TIMEOUT_MS = 1_000;
const MAX_HEADER_BYTES = 16_384;

/** What is sent: the exact bytes, and where. */
export interface Outgoing {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** What became of an attempt. `fault` is null for a 2xx only; `status` is null without an answer in time. */
export interface SendOutcome {
  status: number | null;
  fault: string | null;
  startedTime: Date;
  durationMs: number;
}

/**
 * Sends messages to addresses that others chose. Each gets a connection of its own, to an address that is judged after
 * the name was looked up and before anything is sent; certificates are verified, redirects are not followed, and what
 * comes back is bounded in time and size (rules 6.8).
 */
export class Sender {
  /** Null where https is a must. */
  readonly #http: HttpAgent | null;
  readonly #https: HttpsAgent;
  readonly #lookup: LookupFunction | undefined;

  /** `allowPrivate`: whether any address is good, for tests and closed networks. */
  constructor({ allowPrivate }: { allowPrivate: boolean }) {
    const filter = {
      allowPrivateIPAddress: false,
      allowMetaIPAddress: false,
      denyIPAddressList: DENIED_ADDRESSES,
      // A connection for each message: none stays open at anybody's cost.
      keepAlive: false,
    };
    this.#http = allowPrivate ? new HttpAgent({ keepAlive: false }) : null;
    this.#https = allowPrivate ? new HttpsAgent({ keepAlive: false }) : new RequestFilteringHttpsAgent(filter);
    this.#lookup = allowPrivate ? undefined : lookUpByDns;
  }

  /**
   * Makes one attempt; resolves when its connection is over, whatever became of it. When `signal` aborts before there is
   * an answer, it rejects with the reason: then it is not known whether the message arrived.
   */
  send({ url, headers, body }: Outgoing, signal: AbortSignal): Promise<SendOutcome> {
    const startedTime = new Date();
    const startedMs = performance.now();
    const conclude = (status: number | null, fault: string | null): SendOutcome => ({
      status,
      fault,
      startedTime,
      durationMs: Math.round(performance.now() - startedMs),
    });
    const isTls = url.slice(0, 6).toLowerCase() === 'https:';
    // Such as one that was registered while private addresses were allowed.
    const agent = isTls ? this.#https : this.#http;
    if (agent === null) return Promise.resolve(conclude(null, NOT_HTTPS));
    return new Promise((resolve, reject) => {
      const finish = (outcome: SendOutcome) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        request.destroy();
        resolve(outcome);
      };
      const request = (isTls ? requestHttps : requestHttp)(url, {
        method: 'POST',
        agent,
        headers: { ...headers, 'content-length': Buffer.byteLength(body) },
        maxHeaderSize: MAX_HEADER_BYTES,
        ...(this.#lookup && { lookup: this.#lookup }),
      });
      const timer = setTimeout(() => finish(conclude(null, TIMED_OUT)), ANSWER_TIMEOUT_MS);
      const abort = () => {
        clearTimeout(timer);
        request.destroy();
        reject(signal.reason);
      };
      if (signal.aborted) abort();
      signal.addEventListener('abort', abort, { once: true });
      request.on('error', (error) => finish(conclude(null, explainError(error))));
      // Such as an answer that changes the protocol.
      request.on('close', () => finish(conclude(null, explainError({ code: 'ECONNRESET', message: '' }))));
      request.on('response', (response) => {
        const status = response.statusCode ?? 0;
        const outcome = conclude(status, status >= 200 && status < 300 ? null : explainStatus(status));
        signal.removeEventListener('abort', abort);
        clearTimeout(timer);
        void readLittle(response).then(() => finish(outcome));
      });
      request.end(body);
    });
  }
}

/** Reads the beginning of an answer's body, so that who sends a short one sees the connection end as it should. */
async function readLittle(response: IncomingMessage): Promise<void> {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const timer = setTimeout(end, BODY_TIMEOUT_MS);
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) end();
  });
  response.on('error', () => end());
  response.on('close', end);
  await ended;
  clearTimeout(timer);
  response.destroy();
}
