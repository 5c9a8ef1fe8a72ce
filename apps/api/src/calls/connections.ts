import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type Cause, failure, Refusal } from '@lockstep/contract';
import type { Logger } from '@lockstep/platform';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { HttpMetrics } from '../metrics.ts';

/**
 * The most connections of a process, accepted or in the backlog. Node.js defaults to a backlog of 511, which makes a
 * busy process look dead to a proxy that opens more at once. The kernel's `somaxconn` limits it too.
 */
export const MOST_CONNECTIONS = 4_000;
const WARN_EVERY_MS = 60_000;

/**
 * What Node.js accepts and how long it waits. Idle connections cost little, ten seconds are plenty for the head of a
 * request, and no proxy keeps idle connections for longer than a minute.
 */
export const CONNECTION_OPTIONS = {
  http: {
    // Hooks refuse these with the envelope. Joined duplicates are invalid values.
    requireHostHeader: false,
    joinDuplicateHeaders: true,
    headersTimeout: 10_000,
    // How often Node.js checks for requests that have timed out.
    connectionsCheckingInterval: 1_000,
  },
  // For a whole request with its body.
  requestTimeout: 30_000,
  keepAliveTimeout: 72_000,
  // For a connection without traffic, such as one whose client does not read its answer.
  connectionTimeout: 120_000,
};

/**
 * Security headers of every answer, in case a browser receives it: no content sniffing, no caching, no framing. Public
 * answers override them.
 */
const SAFE_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** The host in a request target, as a client sends it to a proxy (RFC 9112). The handlers work with paths. */
const TARGET_HOST = /^https?:\/\/[^/?]*/i;

/** How long a connection can still send its first byte after the server begins to close: a request may be in flight. */
const FIRST_BYTE_MS = 1_000;
/** How often a closing server ends answered connections. Its answers since say that it closes. */
const END_IDLE_EVERY_MS = 100;
/** How long it waits for clients that still send, or read their answers: longer than for bodies. */
const CLOSING_MS = 20_000;

/** The last call of each connection. Answers are sent in order, so it is answered last. */
const lastCalls = new WeakMap<Socket, { request: IncomingMessage; response: ServerResponse }>();
/** The refusals of calls whose body was cut off because it was not HTTP or too slow. */
const cutShort = new WeakMap<IncomingMessage, Refusal>();
/** The connections that are closed because they carry something else than requests. */
const refused = new WeakSet<Socket>();

/** Where answers to bytes that are not a request are logged and counted. */
interface Records {
  log: Logger;
  metrics: HttpMetrics;
}

/** Makes a server answer on every connection where Node.js would only drop it, and bounds the connections. */
export function guardConnections(server: FastifyInstance, records: Records): void {
  const { server: http } = server;
  http.maxConnections = MOST_CONNECTIONS;
  http.prependListener('request', (request, response) => {
    const { socket } = request;
    lastCalls.set(socket, { request, response });
    // Runs before the listener of Node.js, which would close the connection by destroySoon.
    response.prependOnceListener('finish', () => {
      if (request.complete || socket.destroyed) return;
      linger(socket);
      request.once('end', () => socket.destroy());
    });
    for (const [name, value] of Object.entries(SAFE_HEADERS)) response.setHeader(name, value);
    request.url = request.url?.replace(TARGET_HOST, '') || '/';
  });
  // Hooks meet or refuse what a request expects.
  for (const event of ['checkContinue', 'checkExpectation']) {
    http.on(event, (...call: unknown[]) => http.emit('request', ...call));
  }
  http.on('connect', ({ method = 'none' }, socket) => {
    // Node.js has removed its own listeners.
    socket.on('error', () => socket.destroy()).resume();
    refuseBytes(records, socket as Socket, 'method_not_allowed', method);
  });
  // The request was pipelined behind a call whose answer closes the connection, so it cannot be answered.
  server.addHook('onRequest', async ({ raw }, reply) => {
    if (raw.socket.writableEnded) reply.hijack();
  });
  countDropped(http, records);
  endWhenClosing(server);
}

/** Counts and logs connections beyond the limit. Node.js closes them at once, without a request to answer. */
function countDropped(http: Server, { log, metrics }: Records): void {
  let warnedMs = Number.NEGATIVE_INFINITY;
  http.on('drop', () => {
    metrics.httpConnectionsRefused.inc();
    if (performance.now() - warnedMs < WARN_EVERY_MS) return;
    warnedMs = performance.now();
    log.warn({ maxConnections: MOST_CONNECTIONS }, 'connection limit reached; refusing more');
  });
}

/**
 * Makes a closing server end every connection that has nothing more to send. Node.js (24) ends connections only at the
 * moment of closing, even those that are still sending an answer or getting another call, and never those on which
 * nothing was sent, such as browsers open in advance. After a while, it ends all but those whose call is not answered
 * yet.
 */
function endWhenClosing(server: FastifyInstance): void {
  const { server: http } = server;
  const open = new Set<Socket>();
  http.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  const isSending = (socket: Socket) => {
    const { response } = lastCalls.get(socket) ?? {};
    return response?.writableEnded === true && !response.writableFinished;
  };
  const endIdle = http.closeIdleConnections.bind(http);
  http.closeIdleConnections = () => {};
  const endAfter = (ms: number, isOver: (socket: Socket) => boolean) =>
    setTimeout(() => {
      for (const socket of open) if (isOver(socket)) socket.destroy();
    }, ms).unref();
  server.addHook('preClose', async () => {
    const timer = setInterval(() => [...open].some(isSending) || endIdle(), END_IDLE_EVERY_MS);
    http.once('close', () => clearInterval(timer));
    endAfter(FIRST_BYTE_MS, ({ bytesRead }) => bytesRead === 0);
    endAfter(CLOSING_MS, (socket) => lastCalls.get(socket)?.response.headersSent !== false);
  });
}

/** How long a client can still send after its answer (rules 1): without a byte, and in all. */
const SILENCE_MS = 5_000;
const LINGER_MS = 30_000;

/** Whether part of a request has not arrived yet. Its answer then closes the connection (rules 1). */
export function isUnfinished({ complete, headers }: IncomingMessage): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = headers;
  return !complete && (length !== '0' || coding !== undefined);
}

/**
 * Sends these last bytes, ends the connection, and drops what the client still sends, like lingering_close of nginx. If
 * the service closed the connection while the client still writes, the client would get a reset, and most clients would
 * not read the answer.
 */
function linger(socket: Socket, last = ''): void {
  socket.destroySoon = () => socket.end();
  socket.end(last);
  const destroy = () => socket.destroy();
  socket.setTimeout(SILENCE_MS, destroy);
  const timer = setTimeout(destroy, LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
}

/** Returns the cause for an error of Node.js about bytes that are not a request; undefined if the connection ended. */
function causeOf(code = ''): Cause | undefined {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout';
  if (code === 'HPE_HEADER_OVERFLOW') return 'headers_too_large';
  return code.startsWith('HPE_') ? 'http_malformed' : undefined;
}

/** Handles the event `clientError`: bytes that are not a request, a timeout, or an ended connection. */
export function refuseUnreadable(records: Records, error: Error & { code?: string }, socket: Socket): void {
  const cause = causeOf(error.code);
  const isSilent = socket.bytesRead === 0;
  if (cause !== undefined && !isSilent) refuseBytes(records, socket, cause, 'none');
  else {
    if (!isSilent && !lastCalls.has(socket)) records.log.info({ reason: error.code }, 'client connection lost');
    socket.destroy();
  }
}

/**
 * Refuses what a connection carries instead of a request (rules 1). If it is the body of a call, the call is refused;
 * otherwise the answer follows those of earlier calls on the connection.
 */
function refuseBytes(records: Records, socket: Socket, cause: Cause, method: string): void {
  // Every further chunk of such bytes calls this again.
  if (refused.has(socket)) return;
  refused.add(socket);
  const { request, response } = lastCalls.get(socket) ?? {};
  if (request?.complete === false) {
    const refusal = new Refusal(cause);
    cutShort.set(request, refusal);
    if (request.listenerCount('error') > 0) request.emit('error', refusal);
  } else if (response?.writableFinished === false) {
    response.once('close', () => answer(records, socket, cause, method));
  } else answer(records, socket, cause, method);
}

/** Answers directly on the socket, with the envelope, a log line and metrics. */
function answer({ log, metrics }: Records, socket: Socket, cause: Cause, method: string): void {
  if (!socket.writable) return;
  const body = failure(new Refusal(cause), 'order');
  const { code } = body;
  const json = JSON.stringify(body);
  const requestId = randomUUID();
  const headers = {
    ...SAFE_HEADERS,
    'x-request-id': requestId,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(json),
    connection: 'close',
    // No method supports tunnels.
    ...(cause === 'method_not_allowed' && { allow: '' }),
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  linger(socket, `HTTP/1.1 ${code} ${STATUS_CODES[code]}\r\n${head.join('\r\n')}\r\n\r\n${json}`);
  // The start time is unknown.
  const seconds = 0;
  metrics.httpSeconds.observe({ method, route: 'none', code }, seconds);
  log.info({ requestId, method, route: 'none', status: Number(code), code, cause, seconds }, 'call');
}

/** Throws the refusal of a call whose body was cut off because it was not HTTP or too slow. */
export function requireWhole(request: IncomingMessage): void {
  const refusal = cutShort.get(request);
  if (refusal !== undefined) throw refusal;
}

/**
 * A host with or without a port, or nothing. Two hosts, joined by a comma and a space, do not match (RFC 9112 section
 * 3.2).
 */
const HOST = /^[\w.~%!$&'()*+,;=[\]:-]*$/;
const CONTINUE = /^100-continue$/i;

/** Returns the cause to refuse a request that breaks a rule of HTTP; undefined if it breaks none. */
export function brokenRule({ raw: { headers, httpVersion } }: FastifyRequest): Cause | undefined {
  const { host = httpVersion === '1.0' ? '' : undefined, expect = '100-continue' } = headers;
  if (httpVersion !== '1.0' && !CONTINUE.test(expect)) return 'expectation_unsupported';
  return host === undefined || !HOST.test(host) ? 'http_malformed' : undefined;
}

/**
 * Sends 100 Continue to clients that wait for it. Only if the call can proceed, so that a client without credentials
 * does not upload in vain. Register it after the hooks that refuse calls before their bodies are read.
 */
export function continueCalls(server: FastifyInstance): void {
  server.addHook('preParsing', async ({ raw, routeOptions }, reply) => {
    const { expect = '', 'content-length': length = 0 } = raw.headers;
    const isAwaited = raw.httpVersion !== '1.0' && CONTINUE.test(expect);
    if (isAwaited && Number(length) <= routeOptions.bodyLimit) reply.raw.writeContinue();
  });
}
