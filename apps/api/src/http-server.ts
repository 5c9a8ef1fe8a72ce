import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Logger } from '@lockstep/platform';
import type { FastifyServerOptions } from 'fastify';
import type { HttpMetrics } from './metrics.ts';
import { announceBody, notUnderstood } from './request-checks.ts';
import { SAFE_HEADERS } from './safe-headers.ts';
import { UnreadableRequests } from './unreadable-requests.ts';

/**
 * What a client may hold of a process without a call. Connections that say nothing cost little; ten seconds are plenty
 * for a head; and no proxy keeps idle connections for longer than a minute.
 */
const BOUNDS = {
  connections: 4_000,
  headersTimeoutMs: 10_000,
  keepAliveTimeoutMs: 72_000,
  /** Of a connection on which nothing comes and nothing goes, such as one whose client does not read its answer. */
  silenceTimeoutMs: 120_000,
};
/** How often node looks for what has run out of time. */
const LOOK_EVERY_MS = 1_000;
const WARN_EVERY_MS = 60_000;

const ABSOLUTE_FORM = /^https?:\/\/[^/?]*(?=[/?]|$)/i;

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** How the framework gets node's HTTP server: bounded, and with an answer for what node would drop without one. */
export function httpServer(
  log: Logger,
  metrics: HttpMetrics,
): Pick<FastifyServerOptions<Server>, 'serverFactory' | 'clientErrorHandler'> {
  const unreadable = new UnreadableRequests(log, metrics);
  return {
    clientErrorHandler: (error, socket) => unreadable.onClientError(error, socket),
    serverFactory: (handle: Handler, { requestTimeout }) => {
      const server = createServer(
        {
          // The framework's hooks refuse these, with the envelope; joined, two of a kind are good for nothing.
          requireHostHeader: false,
          joinDuplicateHeaders: true,
          headersTimeout: BOUNDS.headersTimeoutMs,
          keepAliveTimeout: BOUNDS.keepAliveTimeoutMs,
          connectionsCheckingInterval: LOOK_EVERY_MS,
        },
        (request, response) => {
          unreadable.noteCall(request, response);
          for (const [name, value] of Object.entries(SAFE_HEADERS)) response.setHeader(name, value);
          request.url = request.url?.replace(ABSOLUTE_FORM, '');
          handle(request, response);
        },
      );
      server.requestTimeout = requestTimeout as number;
      server.maxConnections = BOUNDS.connections;
      server.setTimeout(BOUNDS.silenceTimeoutMs);
      server.on('connect', (request, socket) => unreadable.onConnect(request, socket as import('node:net').Socket));
      server.on('checkContinue', (request, response) => {
        announceBody(request);
        server.emit('request', request, response);
      });
      server.on('checkExpectation', (request, response) => {
        notUnderstood(request);
        server.emit('request', request, response);
      });
      countDropped(server, log, metrics);
      return server;
    },
  };
}

/** Connections beyond the bound are closed at once: there is no request that could be answered. */
function countDropped(server: Server, log: Logger, metrics: HttpMetrics): void {
  let warnedMs = Number.NEGATIVE_INFINITY;
  server.on('drop', () => {
    metrics.httpConnectionsRefused.inc();
    const nowMs = performance.now();
    if (nowMs - warnedMs < WARN_EVERY_MS) return;
    warnedMs = nowMs;
    log.warn({ maxConnections: BOUNDS.connections }, 'too many connections; more are closed at once');
  });
}
