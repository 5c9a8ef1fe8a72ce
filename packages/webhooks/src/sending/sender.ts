import { constants } from 'node:crypto';
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { isForbiddenHost, lookUpPublic } from './addresses.ts';
import {
  CLOSED,
  explainError,
  explainStatus,
  HEADERS_TOO_LARGE,
  NO_FINAL_STATUS,
  NOT_HTTPS,
  TIMED_OUT,
  UNREACHABLE,
} from './faults.ts';

/** From the start of the DNS look-up to the status line of the response (rules 6.8). */
const ANSWER_TIMEOUT_MS = 15_000;
/** How many 1xx responses end an attempt. Node limits neither their number nor their size. */
const MAX_INTERIM_ANSWERS = 3;
/** How much an endpoint may send before the end of the final headers, 1xx responses included. */
const MAX_HEADER_BYTES = 16_384;
/** How much it may send after them, and for how long. Then the sender closes the connection. */
const MAX_BODY_BYTES = 4_096;
const BODY_TIMEOUT_MS = 1_000;
/** How much of the body is kept to be shown. */
const SHOWN_BYTES = 1_024;

export interface Outgoing {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** The outcome of an attempt. `fault` is null only for a 2xx. `status` is null without a response in time. */
export interface SendOutcome {
  status: number | null;
  fault: string | null;
  /** The first kilobyte of the response's body as text; null if empty. May hold personal data: never log it. */
  answer: string | null;
  /** When it started, by the clock of `performance`. */
  startedMs: number;
  /** Up to the status of the response. */
  durationMs: number;
  /** How long the process was busy building the request and parsing the response, in fractional milliseconds. */
  busyMs: number;
  /** What happened instead of a response, for the operator's log only; otherwise null. */
  detail: string | null;
}

/**
 * Sends messages to addresses chosen by applications. Each message has its own connection. The address is checked after
 * the DNS look-up and before anything is sent; certificates are verified, redirects are not followed, and the response
 * is limited in time and size (rules 6.8).
 */
export class Sender {
  readonly #allowPrivate: boolean;
  // One connection for each message, so that endpoints can't make the worker keep connections open.
  readonly #http = new HttpAgent({ keepAlive: false });
  // Otherwise an endpoint with TLS 1.2 could keep the worker busy with new handshakes until the time-out.
  readonly #https = new HttpsAgent({ keepAlive: false, secureOptions: constants.SSL_OP_NO_RENEGOTIATION });

  /** `allowPrivate`: whether to allow any address and http, for tests and closed networks. */
  constructor({ allowPrivate }: { allowPrivate: boolean }) {
    this.#allowPrivate = allowPrivate;
  }

  /**
   * Makes one attempt. Resolves when its connection is closed, whatever the outcome. If `signal` aborts before there is
   * a response, rejects with its reason: the message may or may not have arrived.
   */
  send({ url, headers, body }: Outgoing, signal: AbortSignal): Promise<SendOutcome> {
    const startedMs = performance.now();
    const read = { bytes: 0, busyMs: 0 };
    const conclude = (status: number | null, fault: string | null, detail: string | null = null): SendOutcome => ({
      status,
      fault,
      detail,
      answer: null,
      startedMs,
      durationMs: Math.round(performance.now() - startedMs),
      busyMs: read.busyMs,
    });
    const { protocol, hostname } = new URL(url);
    const isTls = protocol === 'https:';
    if (!this.#allowPrivate) {
      // For webhooks registered while private addresses were allowed.
      if (!isTls) return Promise.resolve(conclude(null, NOT_HTTPS));
      if (isForbiddenHost(hostname)) return Promise.resolve(conclude(null, UNREACHABLE, `${hostname} is not public`));
    }
    return new Promise((resolve, reject) => {
      const finish = (outcome: SendOutcome) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        request.destroy();
        // The parser finishes its current chunk first, and that time counts.
        setImmediate(() => resolve({ ...outcome, busyMs: read.busyMs }));
      };
      const request = (isTls ? requestHttps : requestHttp)(url, {
        method: 'POST',
        agent: isTls ? this.#https : this.#http,
        headers: { ...headers, 'content-length': Buffer.byteLength(body) },
        maxHeaderSize: MAX_HEADER_BYTES,
        ...(!this.#allowPrivate && { lookup: lookUpPublic }),
      });
      const timer = setTimeout(() => {
        const isConnected = request.socket?.connecting === false;
        finish(conclude(null, isConnected ? TIMED_OUT : UNREACHABLE, 'timed out'));
      }, ANSWER_TIMEOUT_MS);
      const abort = () => {
        clearTimeout(timer);
        request.destroy();
        reject(signal.reason);
      };
      if (signal.aborted) abort();
      signal.addEventListener('abort', abort, { once: true });
      request.on('error', (error) => finish(conclude(null, explainError(error), String(error))));
      // For example, after a response that switches protocols.
      request.on('close', () => finish(conclude(null, CLOSED)));
      let interimAnswers = 0;
      request.on('information', () => {
        if (++interimAnswers === MAX_INTERIM_ANSWERS) finish(conclude(null, NO_FINAL_STATUS));
      });
      let answer: IncomingMessage | undefined;
      request.on('socket', (socket) =>
        countRead(socket, read, () => {
          if (answer !== undefined && read.bytes > MAX_HEADER_BYTES + MAX_BODY_BYTES) answer.destroy();
          if (answer === undefined && read.bytes > MAX_HEADER_BYTES) finish(conclude(null, HEADERS_TOO_LARGE));
        }),
      );
      request.on('response', (response) => {
        answer = response;
        const status = response.statusCode ?? 0;
        const outcome = conclude(status, status >= 200 && status < 300 ? null : explainStatus(status));
        signal.removeEventListener('abort', abort);
        clearTimeout(timer);
        void readBeginning(response).then((answer) => finish({ ...outcome, answer }));
      });
      request.end(body);
      read.busyMs += performance.now() - startedMs;
    });
  }
}

/**
 * Counts the bytes that a socket receives, and the time its other listeners need to parse them. Calls `parsed` after
 * each chunk.
 */
function countRead(socket: Socket, read: { bytes: number; busyMs: number }, parsed: () => void): void {
  let beganMs = 0;
  socket.prependListener('data', () => {
    beganMs = performance.now();
  });
  socket.on('data', (chunk: Buffer) => {
    read.busyMs += performance.now() - beganMs;
    read.bytes += chunk.length;
    parsed();
  });
}

/**
 * Reads the body of a response until it ends or the time is up, so that an endpoint with a short body sees a clean end
 * of the connection. Returns its beginning in one line, without control characters; null if there is none.
 */
async function readBeginning(response: IncomingMessage): Promise<string | null> {
  const shown: Buffer[] = [];
  let bytes = 0;
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, BODY_TIMEOUT_MS);
  response.on('error', () => resolve());
  response.on('close', resolve);
  response.on('data', (chunk: Buffer) => {
    if (bytes < SHOWN_BYTES) shown.push(chunk.subarray(0, SHOWN_BYTES - bytes));
    bytes += chunk.length;
  });
  await over;
  clearTimeout(timer);
  response.destroy();
  // As a stream, it leaves out a character of which only the beginning was read.
  const text = new TextDecoder().decode(Buffer.concat(shown), { stream: true });
  return text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim() || null;
}
