import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Logger } from '@lockstep/platform';
import type { FastifyServerOptions } from 'fastify';
import type { Lingering } from './lingering.ts';
import type { HttpMetrics } from './metrics.ts';
import { announceBody, noteExpectation } from './request-checks.ts';
import { SAFE_HEADERS } from './safe-headers.ts';
import { UnreadableRequests } from './unreadable-requests.ts';

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
    log.warn({ maxConnections: MOST_CONNECTIONS }, 'too many connections; more are closed at once');
  });
}
