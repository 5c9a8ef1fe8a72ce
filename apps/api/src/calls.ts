import type { Metrics } from '@lockstep/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Server } from './server.ts';

const businessCodes = new WeakMap<FastifyRequest, string>();

/** Notes the business code that a call was answered with, for its log line and its metrics. */
export function noteCode(request: FastifyRequest, code: string): void {
  businessCodes.set(request, code);
}

/** Gives every answer its x-request-id, and every call one log line and one place in the metrics (decisions 1). */
export function observeCalls(server: Server, metrics: Metrics): void {
  server.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  // What is answered while the server closes ends its connection, which would keep the server open otherwise.
  let closing = false;
  server.addHook('preClose', async () => {
    closing = true;
  });
  server.addHook('onSend', async (_request, reply) => {
    if (closing) reply.header('connection', 'close');
  });
  server.addHook('onResponse', async (request, reply) => noteCall(metrics, request, reply));
}

/** Writes a call's log line and counts it. For the few answers that the hooks above do not see. */
export function noteCall(metrics: Metrics, request: FastifyRequest, reply: FastifyReply): void {
  const { method } = request;
  const route = request.routeOptions.url ?? 'none';
  const code = businessCodes.get(request) ?? (reply.statusCode === 200 ? '0' : String(reply.statusCode));
  const seconds = reply.elapsedTime / 1_000;
  metrics.httpSeconds.observe({ method, route, code }, seconds);
  request.log.info({ method, route, status: reply.statusCode, code, seconds }, 'call');
}
