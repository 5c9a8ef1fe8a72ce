import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Cause, Refusal } from '@lockstep/contract';
import type { Logger } from '@lockstep/platform';
import type { FastifyInstance, FastifyRequest, FastifyServerOptions } from 'fastify';
import type { Lingering } from './connections/lingering.ts';
import { findBodyRefusal, SAFE_HEADERS, UnreadableRequests } from './connections/unreadable-requests.ts';
import { refuseCall } from './failures.ts';
import type { HttpMetrics } from './metrics.ts';

/**
 * Connections that a process has at most, open or not taken yet: node would let 511 wait to be taken, and to a proxy
 * that sends more at once while the process is busy it would look dead. The kernel's `somaxconn` bounds it, too.
 */
export const MOST_CONNECTIONS = 4_000;

/**
 * Limits for connections that carry no call. Idle ones cost little; ten seconds are plenty for the head of a request;
 * and no proxy keeps idle connections for longer than a minute.
 */
const BOUNDS = {
  headersTimeoutMs: 10_000,
  keepAliveTimeoutMs: 72_000,
  /** For a connection on which nothing moves, such as one whose client does not read its answer. */
  silenceTimeoutMs: 120_000,
};
/** How often node looks for connections that have timed out. */
const LOOK_EVERY_MS = 1_000;
const WARN_EVERY_MS = 60_000;

/**
 * The host in a request target, as a client sends it to a proxy (RFC 9112). Everything behind this works with paths.
 */
const TARGET_HOST = /^https?:\/\/[^/?]*/i;

type NodeHandler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Creates node's HTTP server for the framework: with limits, and with answers where node would just drop the
 * connection.
 */
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
          // The framework's hooks refuse these with the envelope. Joined duplicates are invalid values.
          requireHostHeader: false,
          joinDuplicateHeaders: true,
          headersTimeout: BOUNDS.headersTimeoutMs,
          keepAliveTimeout: BOUNDS.keepAliveTimeoutMs,
          connectionsCheckingInterval: LOOK_EVERY_MS,
        },
        (request, response) => {
          // It came behind the call whose answer closes the connection, and could not be answered.
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

/** Counts and logs connections beyond the limit, which node closes at once: there is no request to answer. */
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
 * A host with or without a port, or nothing. Two hosts, joined by a comma and a blank, do not match (RFC 9112 section
 * 3.2).
 */
const HOST = /^[\w.~%!$&'()*+,;=[\]:-]*$/;

const announced = new WeakSet<IncomingMessage>();
const expectations = new WeakSet<IncomingMessage>();

/** Notes a request that sends its body only when told to (Expect: 100-continue). */
function announceBody(request: IncomingMessage): void {
  announced.add(request);
}

/** Notes a request with any other Expect header. */
function noteExpectation(request: IncomingMessage): void {
  expectations.add(request);
}

/**
 * Refuses requests that are HTTP but break its rules. Asks for an announced body only when the call may go on, so that
 * a client without credentials does not send it in vain. Register it behind the hooks that refuse calls for their
 * bodies.
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
