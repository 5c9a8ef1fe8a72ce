import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { failure, Refusal } from '@lockstep/contract';
import type { Logger } from '@lockstep/platform';
import type { HttpMetrics } from './metrics.ts';

/**
 * Security headers of every answer, in case a browser receives it: no content sniffing, no caching, no framing. Public
 * answers override them.
 */
export const SAFE_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** What a client can still send after its answer, and for how long (rules 1). */
interface Bounds {
  bytes: number;
  /** Time without a byte. */
  silenceMs: number;
  /** Time since the answer. */
  totalMs: number;
  /** Replaces `totalMs` while the server closes. */
  closingMs: number;
}

const BOUNDS: Bounds = { bytes: 64 * 1024 * 1024, silenceMs: 5_000, totalMs: 30_000, closingMs: 5_000 };

/** Whether part of a request has not arrived yet. Its answer then closes the connection (rules 1). */
export function isUnfinished({ complete, headers }: IncomingMessage): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = headers;
  return !complete && (length !== '0' || coding !== undefined);
}

/**
 * Reads and drops what clients send after their answer, like lingering_close of nginx. If the service closed the
 * connection while the client still writes, the client would get a reset, and most clients would not read the answer.
 */
export class Lingering {
  readonly #bounds: Bounds;
  readonly #rests = new Map<Socket, Rest>();
  #isClosing = false;

  constructor(bounds = BOUNDS) {
    this.#bounds = bounds;
  }

  /**
   * If an answer is sent before the whole request has arrived, drops the rest and then closes the connection. Call it
   * before anything answers.
   */
  watch(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    // Runs before the listener of Node.js, which would close the connection by destroySoon.
    response.prependOnceListener('finish', () => {
      if (request.complete || socket.destroyed) return;
      socket.destroySoon = () => socket.end();
      // Tells the client that nothing follows the answer; the client can keep writing.
      socket.end();
      this.#drop(socket, request);
      request.once('end', () => socket.destroy());
    });
  }

  /** Sends these last bytes and ends the connection. Drops what the client sends until it ends the connection too. */
  end(socket: Socket, text = ''): void {
    socket.end(text);
    this.#drop(socket, socket);
  }

  /** Shortens the time limits of all clients, so that the server can close. */
  close(): void {
    this.#isClosing = true;
    for (const rest of this.#rests.values()) rest.endAfter(this.#bounds.closingMs);
  }

  #drop(socket: Socket, source: Readable): void {
    this.#rests.get(socket)?.stop();
    const { totalMs, closingMs } = this.#bounds;
    const rest = new Rest(socket, source, this.#bounds, () => this.#rests.delete(socket));
    rest.endAfter(this.#isClosing ? closingMs : totalMs);
    this.#rests.set(socket, rest);
  }
}

/** Drops what one client sends after its answer, within limits. */
class Rest {
  readonly #socket: Socket;
  readonly #source: Readable;
  readonly #maxBytes: number;
  readonly #onStop: () => void;
  readonly #silence: NodeJS.Timeout;
  #total: NodeJS.Timeout | undefined;
  #bytes = 0;

  constructor(socket: Socket, source: Readable, { bytes, silenceMs }: Bounds, onStop: () => void) {
    this.#socket = socket;
    this.#source = source;
    this.#maxBytes = bytes;
    this.#onStop = onStop;
    this.#silence = setTimeout(this.#cut, silenceMs);
    socket.once('close', this.stop);
    source.on('data', this.#onData).resume();
  }

  /** Closes the connection after this time; replaces an earlier call. */
  endAfter(ms: number): void {
    clearTimeout(this.#total);
    this.#total = setTimeout(this.#cut, ms);
  }

  /** Stops dropping. */
  readonly stop = (): void => {
    clearTimeout(this.#silence);
    clearTimeout(this.#total);
    this.#socket.off('close', this.stop);
    this.#source.off('data', this.#onData);
    this.#onStop();
  };

  readonly #cut = (): void => void this.#socket.destroy();

  readonly #onData = (chunk: Buffer): void => {
    this.#silence.refresh();
    this.#bytes += chunk.length;
    if (this.#bytes > this.#maxBytes) this.#cut();
  };
}

/** How long a connection can still send its first byte after the server begins to close: a request may be in flight. */
const GRACE_MS = 1_000;

/**
 * Makes a closing server end connections on which nothing was ever sent. Browsers open some in advance. Node.js only
 * ends connections that have carried a request; the others would keep the server open until they time out. Returns a
 * function to call when closing begins.
 */
export function endSilentConnections(server: Server): () => void {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return () => {
    const timer = setTimeout(() => {
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
    }, GRACE_MS);
    server.once('close', () => clearTimeout(timer));
  };
}

/**
 * The answers to bytes that are not a request, by error code of Node.js. With any other code, the connection has ended.
 */
const CAUSES = {
  ERR_HTTP_REQUEST_TIMEOUT: { reason: 'request_timeout', phrase: '408 Request Timeout' },
  HPE_HEADER_OVERFLOW: { reason: 'headers_too_large', phrase: '431 Request Header Fields Too Large' },
  malformed: { reason: 'http_malformed', phrase: '400 Bad Request' },
  CONNECT: { reason: 'method_not_allowed', phrase: '405 Method Not Allowed' },
} as const;
type Kind = keyof typeof CAUSES;

function classify(code: string | undefined): Kind | undefined {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT' || code === 'HPE_HEADER_OVERFLOW') return code;
  return code?.startsWith('HPE_') ? 'malformed' : undefined;
}

const cutShort = new WeakMap<IncomingMessage, Refusal>();

/**
 * Returns the refusal of a call whose body was cut off because it was not HTTP or too slow; undefined for other calls.
 */
export const findBodyRefusal = (request: IncomingMessage): Refusal | undefined => cutShort.get(request);

/**
 * Answers bytes that are not a request, directly on the socket, with the envelope, a log line and metrics (rules 1).
 * The answer follows those of earlier calls on the connection.
 */
export class UnreadableRequests {
  readonly #log: Logger;
  readonly #metrics: HttpMetrics;
  readonly #lingering: Lingering;
  /** The last call of each connection. Answers are sent in order, so it is answered last. */
  readonly #lastCalls = new WeakMap<Socket, { request: IncomingMessage; response: ServerResponse }>();
  readonly #ending = new WeakSet<Socket>();

  constructor(log: Logger, metrics: HttpMetrics, lingering: Lingering) {
    this.#log = log;
    this.#metrics = metrics;
    this.#lingering = lingering;
  }

  /** Records the call that a connection now carries. */
  noteCall(request: IncomingMessage, response: ServerResponse): void {
    this.#lastCalls.set(request.socket, { request, response });
  }

  /** Handles the event `clientError`: bytes that are not a request, a timeout, or an ended connection. */
  onClientError(error: Error & { code?: string }, socket: Socket): void {
    const kind = classify(error.code);
    const isSilent = socket.bytesRead === 0;
    if (kind === undefined || isSilent) {
      if (!isSilent && !this.#lastCalls.has(socket)) this.#log.info({ reason: error.code }, 'client connection lost');
      socket.destroy();
      return;
    }
    this.#refuse(socket, kind, 'none');
  }

  /** Handles the event `connect`: a request for a tunnel. */
  onConnect(request: IncomingMessage, socket: Socket): void {
    // Node.js has removed its own listeners.
    socket.on('error', () => socket.destroy()).resume();
    this.#refuse(socket, 'CONNECT', request.method ?? 'none');
  }

  #refuse(socket: Socket, kind: Kind, method: string): void {
    // Every further chunk of such bytes calls this again.
    if (this.#ending.has(socket)) return;
    this.#ending.add(socket);
    const last = this.#lastCalls.get(socket);
    const proceed = () => {
      if (last === undefined || last.request.complete) this.#answer(socket, kind, method);
      else this.#end(socket);
    };
    if (last === undefined || last.response.writableFinished) {
      proceed();
      return;
    }
    const { request, response } = last;
    response.once('close', proceed);
    // The body of this call was cut off. The call gets its own answer.
    if (request.complete) return;
    const refusal = new Refusal(CAUSES[kind].reason);
    cutShort.set(request, refusal);
    if (request.listenerCount('error') > 0) request.emit('error', refusal);
  }

  #answer(socket: Socket, kind: Kind, method: string): void {
    if (!socket.writable) return;
    const { reason, phrase } = CAUSES[kind];
    const body = failure(reason, 'order');
    const json = JSON.stringify(body);
    const requestId = randomUUID();
    const headers = {
      ...SAFE_HEADERS,
      'x-request-id': requestId,
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(json),
      connection: 'close',
      // No method supports tunnels.
      ...(kind === 'CONNECT' ? { allow: '' } : {}),
    };
    const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    this.#end(socket, `HTTP/1.1 ${phrase}\r\n${head.join('\r\n')}\r\n\r\n${json}`);
    // The start time is unknown.
    const seconds = 0;
    this.#metrics.httpSeconds.observe({ method, route: 'none', code: body.code }, seconds);
    const status = Number(body.code);
    this.#log.info({ requestId, method, route: 'none', status, code: body.code, cause: body.cause, seconds }, 'call');
  }

  #end(socket: Socket, text = ''): void {
    if (socket.writable) this.#lingering.end(socket, text);
  }
}
