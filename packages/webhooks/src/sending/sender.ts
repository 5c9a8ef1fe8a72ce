import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { isForbiddenHost } from './addresses.ts';
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
import { lookUpPublic } from './name-lookup.ts';

/** From the look-up of the name to the status line of the answer (rules 6.8). */
const ANSWER_TIMEOUT_MS = 15_000;
/** The 1xx answers that end an attempt. Node neither counts them nor their bytes. */
const MAX_INTERIM_ANSWERS = 3;
/** What an endpoint may send before the headers of its final status end: 1xx answers count too. */
const MAX_HEADER_BYTES = 16_384;
/** What it may send after them, and for how long. The sender ignores it, then closes the connection. */
const MAX_BODY_BYTES = 4_096;
const BODY_TIMEOUT_MS = 1_000;

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
  /** Until the status of the answer. */
  durationMs: number;
  /** How long the process was busy with it: building the request, and parsing the answer. Fractions of milliseconds. */
  busyMs: number;
  /** What happened instead of an answer, for the operator's log only; null with an answer. */
  detail: string | null;
}

/**
 * Sends messages to addresses that others chose. Each gets a connection of its own, to an address that is judged after
 * the name was looked up and before anything is sent; certificates are verified, redirects are not followed, and what
 * comes back is bounded in time and size (rules 6.8).
 */
export class Sender {
  readonly #allowPrivate: boolean;
  // A connection for each message: none stays open at anybody's cost.
  readonly #http = new HttpAgent({ keepAlive: false });
  readonly #https = new HttpsAgent({ keepAlive: false });

  /** `allowPrivate`: whether any address is good, and http, for tests and closed networks. */
  constructor({ allowPrivate }: { allowPrivate: boolean }) {
    this.#allowPrivate = allowPrivate;
  }

  /**
   * Makes one attempt; resolves when its connection is over, whatever became of it. When `signal` aborts before there
   * is an answer, it rejects with the reason: then it is not known whether the message arrived.
   */
  send({ url, headers, body }: Outgoing, signal: AbortSignal): Promise<SendOutcome> {
    const startedTime = new Date();
    const startedMs = performance.now();
    const read = { bytes: 0, busyMs: 0 };
    const conclude = (status: number | null, fault: string | null, detail: string | null = null): SendOutcome => ({
      status,
      fault,
      detail,
      startedTime,
      durationMs: Math.round(performance.now() - startedMs),
      busyMs: read.busyMs,
    });
    const { protocol, hostname } = new URL(url);
    const isTls = protocol === 'https:';
    if (!this.#allowPrivate) {
      // Such as one that was registered while private addresses were allowed.
      if (!isTls) return Promise.resolve(conclude(null, NOT_HTTPS));
      if (isForbiddenHost(hostname)) return Promise.resolve(conclude(null, UNREACHABLE, `${hostname} is not public`));
    }
    return new Promise((resolve, reject) => {
      const finish = (outcome: SendOutcome) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        request.destroy();
        // The parser goes through the rest of its chunk first, which counts.
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
      // Such as an answer that changes the protocol.
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
        void untilOver(response).then(() => finish(outcome));
      });
      request.end(body);
      read.busyMs += performance.now() - startedMs;
    });
  }
}

/**
 * Counts what a socket receives, and how long its other listeners take to parse it. Calls `parsed` after each chunk.
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
 * Ignores an answer's body until it ends, or time is up: an endpoint that sends a short one sees the connection end
 * properly.
 */
async function untilOver(response: IncomingMessage): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, BODY_TIMEOUT_MS);
  response.on('error', () => resolve());
  response.on('close', resolve);
  response.resume();
  await over;
  clearTimeout(timer);
  response.destroy();
}
