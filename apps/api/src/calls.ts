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
  server.addHook('onResponse', async (request: FastifyRequest, reply: FastifyReply) => {
    const { method } = request;
    const route = request.routeOptions.url ?? 'none';
    const code = businessCodes.get(request) ?? (reply.statusCode === 200 ? '0' : String(reply.statusCode));
    const seconds = reply.elapsedTime / 1_000;
    metrics.httpSeconds.observe({ method, route, code }, seconds);
    request.log.info({ method, route, status: reply.statusCode, code, seconds }, 'call');
  });
}
