import { failure, findOperation, type Module, Refusal } from '@lockstep/contract';
import { isOverload, WrongCursor } from '@lockstep/platform';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ClientLeft } from './calls/bodies.ts';
import { noteCode } from './calls/calls.ts';
import { isUnfinished } from './calls/connections.ts';
import { recordRefusal } from './calls/refused.ts';

export const BUSINESS_EXCEPTION = 299;
const RETRY_AFTER_SECONDS = 1;
/** The codes that are also the HTTP status: those of requests that reach no operation (rules 1). */
const HTTP_CODES = new Set(['400', '404', '405', '408', '417', '431']);

/** The refusals for Fastify errors that a client can cause. */
const FRAMEWORK_REFUSALS: Record<string, () => Refusal> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => new Refusal('content_type_unsupported', 'application/json'),
  FST_ERR_BAD_URL: () => new Refusal('operation_not_found'),
  FST_ERR_MAX_PARAM_LENGTH: () => new Refusal('operation_not_found'),
};

/** Returns the module whose codes a refusal uses. Calls outside both modules use those of the order module. */
function findModule({ routeOptions }: FastifyRequest): Module {
  const { operationId } = routeOptions.config;
  const isMember = operationId !== undefined && findOperation(operationId).module === 'member';
  return isMember ? 'member' : 'order';
}

/**
 * Answers a call that threw (rules 1): a Refusal with its code, cause and message; anything else with code 500 and
 * Retry-After. Only the log has the details of a fault.
 */
export function answerFailure(
  error: Error & { code?: unknown },
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  // Fastify closes the connection after any error of a body parser, even for invalid JSON that arrived completely.
  if (!isUnfinished(request.raw)) reply.removeHeader('connection');
  const isCutShort = request.raw.destroyed && !request.raw.complete;
  // A call whose client has left is no overload.
  const isAbandoned = reply.raw.destroyed && isOverload(error);
  if (isCutShort || isAbandoned || error instanceof ClientLeft) return endLeftCall(request, reply);
  const refusal = error instanceof Refusal ? error : (findKnown(error) ?? FRAMEWORK_REFUSALS[String(error.code)]?.());
  if (refusal === undefined) request.log.error({ err: error }, 'call failed');
  else if (isOverload(error)) noteOverload(error, request);
  return refuseCall(request, reply, refusal ?? new Refusal('service_unavailable'));
}

/** Answers 404 if the file server refuses a path, such as one that leaves its directory. */
export function answerFileFailure(
  error: Error & { statusCode?: number },
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { statusCode = 500 } = error;
  if (statusCode >= 500) return answerFailure(error, request, reply);
  return refuseCall(request, reply, new Refusal('operation_not_found'));
}

/** Ends a call whose client has disconnected. Proxies use 499 for that too. */
function endLeftCall(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  noteCode(request, '499');
  return reply.code(499).send();
}

/** Logs why a call was refused as overload. Omits the stack: there can be many, and none is a bug. */
export function noteOverload(error: Error, request: FastifyRequest): void {
  request.log.warn({ reason: error.message }, 'call timed out');
}

/**
 * Returns the refusal for an error that is not a fault: a call that timed out or found its queue full, and an invalid
 * cursor. Returns undefined for any other error.
 */
function findKnown(error: unknown): Refusal | undefined {
  if (error instanceof WrongCursor) return new Refusal('field_invalid', 'cursor', 'cursor');
  return isOverload(error) ? new Refusal('overloaded') : undefined;
}

/** Answers a call with the envelope of a refusal (rules 1). */
export function refuseCall(request: FastifyRequest, reply: FastifyReply, refusal: Refusal): FastifyReply {
  const body = failure(refusal, findModule(request));
  noteCode(request, body.code, refusal.reason);
  recordRefusal(request, body);
  // The rest of the request may never arrive.
  if (body.code === '408') reply.header('connection', 'close');
  if (body.code === '500') reply.header('retry-after', String(refusal.retryAfterSeconds ?? RETRY_AFTER_SECONDS));
  const status = HTTP_CODES.has(body.code) ? Number(body.code) : statusOf(request, body.code);
  return reply.code(status).header('x-request-id', request.id).type('application/json; charset=utf-8').send(body);
}

/**
 * Returns the HTTP status of a refusal: that of the interface, or for the console one that browsers treat as an error.
 */
function statusOf({ routeOptions }: FastifyRequest, code: string): number {
  if (routeOptions.config.consoleOperationId === undefined) return BUSINESS_EXCEPTION;
  return code === '500' ? 503 : 400;
}

/** A registered route. */
interface Route {
  url: string;
  methods: string[];
  /** Whether it handles every path that no other route handles. Such a route does not make a path exist. */
  isFallback: boolean;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    isFallback?: boolean;
  }
  interface FastifyInstance {
    /** Every registered route, including those that are not operations. */
    routes: readonly Route[];
  }
}

/** Answers requests that reach no operation: 405 if the path has other methods, else 404 (rules 1). */
export function answerNotFound(server: FastifyInstance): void {
  const routes: (Route & { pattern: URLPattern })[] = [];
  server.addHook('onRoute', ({ url, method, config: { isFallback = false } = {} }) => {
    routes.push({ url, methods: [method].flat(), pattern: new URLPattern({ pathname: url }), isFallback });
  });
  server.decorate('routes', routes);
  const answer = (request: FastifyRequest, reply: FastifyReply) => {
    const pathname = request.url.split('?', 1)[0] ?? '/';
    const allowed = routes
      .filter(({ pattern, isFallback }) => !isFallback && pattern.test({ pathname }))
      .flatMap(({ methods }) => methods);
    // The path and method have a route, so a file is missing.
    if (allowed.length === 0 || allowed.includes(request.method)) {
      return refuseCall(request, reply, new Refusal('operation_not_found'));
    }
    reply.header('allow', [...new Set(allowed)].join(', '));
    return refuseCall(request, reply, new Refusal('method_not_allowed'));
  };
  // Answers before the body is read.
  server.addHook('onRequest', async (request, reply) => {
    if (request.is404) {
      answer(request, reply);
      return reply;
    }
  });
  server.setNotFoundHandler(answer);
}
