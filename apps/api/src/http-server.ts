import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Cause, Refusal } from '@lockstep/contract';
import type { Logger } from '@lockstep/platform';
import type { FastifyInstance, FastifyRequest, FastifyServerOptions } from 'fastify';
import { findBodyRefusal, type Lingering, SAFE_HEADERS, UnreadableRequests } from './connections.ts';
import { refuseCall } from './failures.ts';
import type { HttpMetrics } from './metrics.ts';

/**
 * The most connections of a process, accepted or in the backlog. Node.js defaults to a backlog of 511, which makes a
 * busy process look dead to a proxy that opens more at once. The kernel's `somaxconn` limits it too.
 */
export const MOST_CONNECTIONS = 4_000;

/**
 * Limits for connections without a call. Idle connections cost little, ten seconds are plenty for the head of a
 * request, and no proxy keeps idle connections for longer than a minute.
 */
const BOUNDS = {
  headersTimeoutMs: 10_000,
  keepAliveTimeoutMs: 72_000,
  /** For a connection without traffic, such as one whose client does not read its answer. */
  silenceTimeoutMs: 120_000,
};
/** How often Node.js checks for connections that have timed out. */
const LOOK_EVERY_MS = 1_000;
const WARN_EVERY_MS = 60_000;

/** The host in a request target, as a client sends it to a proxy (RFC 9112). The handlers work with paths. */
const TARGET_HOST = /^https?:\/\/[^/?]*/i;

type NodeHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Creates the HTTP server for Fastify, with limits, and with answers where Node.js would only drop the connection. */
export function httpServer(
  log: Logger,
  metrics: HttpMetrics,
  lingering: Lingering,
): Pick<FastifyServerOptions<Server>, 'serverFactory' | 'clientErrorHandler'> {
  const unreadable = new UnreadableRequests(log, metrics, lingering);
  return {
    clientErrorHandler: (error, socket) => unreadable.onClientError(error, socket),
    serverFactory: (handle: NodeHandler, { requestTimeout }) => {
      const server = createServer(
        {
          // Hooks refuse these with the envelope. Joined duplicates are invalid values.
          requireHostHeader: false,
          joinDuplicateHeaders: true,
          headersTimeout: BOUNDS.headersTimeoutMs,
          keepAliveTimeout: BOUNDS.keepAliveTimeoutMs,
          connectionsCheckingInterval: LOOK_EVERY_MS,
        },
        (request, response) => {
          // The request was pipelined behind a call whose answer closes the connection, so it cannot be answered.
          if (request.socket.writableEnded) return;
          lingering.watch(request, response);
          unreadable.noteCall(request, response);
          for (const [name, value] of Object.entries(SAFE_HEADERS)) response.setHeader(name, value);
          request.url = request.url?.replace(TARGET_HOST, '') || '/';
          handle(request, response);
        },
      );
      server.requestTimeout = requestTimeout as number;
      server.maxConnections = MOST_CONNECTIONS;
      server.setTimeout(BOUNDS.silenceTimeoutMs);
      server.on('connect', (request, socket) => unreadable.onConnect(request, socket as import('node:net').Socket));
      server.on('checkContinue', (request, response) => {
        announceBody(request);
        server.emit('request', request, response);
      });
      server.on('checkExpectation', (request, response) => {
        noteExpectation(request);
        server.emit('request', request, response);
      });
      countDropped(server, log, metrics);
      return server;
    },
  };
}

/** Counts and logs connections beyond the limit. Node.js closes them at once, without a request to answer. */
function countDropped(server: Server, log: Logger, metrics: HttpMetrics): void {
  let warnedMs = Number.NEGATIVE_INFINITY;
  server.on('drop', () => {
    metrics.httpConnectionsRefused.inc();
    const nowMs = performance.now();
    if (nowMs - warnedMs < WARN_EVERY_MS) return;
    warnedMs = nowMs;
    log.warn({ maxConnections: MOST_CONNECTIONS }, 'connection limit reached; refusing more');
  });
}

/**
 * A host with or without a port, or nothing. Two hosts, joined by a comma and a space, do not match (RFC 9112 section
 * 3.2).
 */
const HOST = /^[\w.~%!$&'()*+,;=[\]:-]*$/;

const announced = new WeakSet<IncomingMessage>();
const expectations = new WeakSet<IncomingMessage>();

/** Marks a request that sends its body only after a 100 Continue. */
function announceBody(request: IncomingMessage): void {
  announced.add(request);
}

/** Marks a request with any other Expect header. */
function noteExpectation(request: IncomingMessage): void {
  expectations.add(request);
}

/**
 * Refuses requests that break the rules of HTTP. Sends 100 Continue only if the call can proceed, so that a client
 * without credentials does not upload in vain. Register it after the hooks that refuse calls before their bodies are
 * read.
 */
export function checkRequests(server: FastifyInstance): void {
  server.addHook('onRequest', async (request, reply) => {
    const cause = brokenRule(request);
    if (cause === undefined) return;
    reply.header('connection', 'close');
    refuseCall(request, reply, new Refusal(cause));
    return reply;
  });
  server.addHook('preParsing', async (request, reply) => {
    const { raw, routeOptions, headers } = request;
    const refusal = findBodyRefusal(raw);
    if (refusal !== undefined) {
      refuseCall(request, reply, refusal);
      return;
    }
    const isTooLarge = Number(headers['content-length'] ?? 0) > routeOptions.bodyLimit;
    if (announced.delete(raw) && !isTooLarge) reply.raw.writeContinue();
  });
}

function brokenRule({ raw }: FastifyRequest): Cause | undefined {
  if (expectations.has(raw)) return 'expectation_unsupported';
  const { host = raw.httpVersion === '1.0' ? '' : undefined } = raw.headers;
  return host === undefined || !HOST.test(host) ? 'http_malformed' : undefined;
}
