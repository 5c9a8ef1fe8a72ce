import type { IncomingMessage } from 'node:http';
import { type Cause, Refusal } from '@lockstep/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { refuseCall } from './failures.ts';
import { findBodyRefusal } from './unreadable-requests.ts';

/**
 * A host with or without a port, or nothing. Two hosts, joined by a comma and a blank, do not match (RFC 9112 section
 * 3.2).
 */
const HOST = /^[\w.~%!$&'()*+,;=[\]:-]*$/;

const announced = new WeakSet<IncomingMessage>();
const expectations = new WeakSet<IncomingMessage>();

/** Notes a request that sends its body only when told to (Expect: 100-continue). */
export function announceBody(request: IncomingMessage): void {
  announced.add(request);
}

/** Notes a request with any other Expect header. */
export function noteExpectation(request: IncomingMessage): void {
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
