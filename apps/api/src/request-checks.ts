import type { IncomingMessage } from 'node:http';
import { type Cause, Refusal } from '@lockstep/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { refuseCall } from './failures.ts';
import { refusalOfBody } from './unreadable-requests.ts';

/** A host and a port, or nothing; two, joined by a comma and a blank, are none (RFC 9112 section 3.2). */
const HOST = /^[\w.~%!$&'()*+,;=[\]:-]*$/;

const announced = new WeakSet<IncomingMessage>();
const expectations = new WeakSet<IncomingMessage>();

/** Notes a request that sends its body when it is told to (Expect: 100-continue). */
export function announceBody(request: IncomingMessage): void {
  announced.add(request);
}

/** Notes a request that expects anything else. */
export function notUnderstood(request: IncomingMessage): void {
  expectations.add(request);
}

/**
 * Refuses requests that are HTTP but break its rules, and asks for a body that was announced only when the call may go
 * on: a stranger's is not sent in vain. Register it behind what refuses calls for their bodies.
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
    const refusal = refusalOfBody(raw);
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
