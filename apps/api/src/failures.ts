import { failure, findOperation, MAX_BODY_BYTES, type Module, Refusal } from '@lockstep/contract';
import { isOverload, WrongCursor } from '@lockstep/platform';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ClientLeft } from './bodies/bodies.ts';
import { noteCode } from './calls/calls.ts';
import { isUnfinished } from './connections/lingering.ts';
import { findBodyRefusal } from './connections/unreadable-requests.ts';

export const BUSINESS_EXCEPTION = 299;
const RETRY_AFTER_SECONDS = 1;
/** The codes that are also the HTTP status: those of calls that are not of an operation (rules 1). */
const HTTP_CODES = new Set(['400', '404', '405', '408', '417', '431']);

/** The refusals for the framework's own errors that a client can cause. */
const FRAMEWORK_REFUSALS: Record<string, () => Refusal> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => new Refusal('content_type_unsupported', 'application/json'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => new Refusal('json_malformed'),
  FST_ERR_CTP_BODY_TOO_LARGE: () => new Refusal('body_too_large', MAX_BODY_BYTES),
  FST_ERR_BAD_URL: () => new Refusal('operation_not_found'),
  FST_ERR_MAX_PARAM_LENGTH: () => new Refusal('operation_not_found'),
};

/** Finds the module whose codes a refusal has. A call of no module has those of the order module. */
function findModule({ routeOptions }: FastifyRequest): Module {
  const { operationId } = routeOptions.config;
  const isMember = operationId !== undefined && findOperation(operationId).module === 'member';
  return isMember ? 'member' : 'order';
}

/**
 * Answers whatever was thrown (rules 1): a refusal with its code, cause and message; anything else with code 500 and a
 * Retry-After. Details of the fault go to the log only.
 */
export function answerFailure(
  error: Error & { code?: unknown },
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  // The framework closes the connection for whatever a body's reader throws, so for wrong JSON that came whole as well.
  if (!isUnfinished(request.raw)) reply.removeHeader('connection');
  const isCutShort = request.raw.destroyed && !request.raw.complete;
  if (isCutShort || error instanceof ClientLeft) return answerNobody(request, reply);
  const refusal =
    error instanceof Refusal
      ? error
      : (findBodyRefusal(request.raw) ?? findKnown(error) ?? FRAMEWORK_REFUSALS[String(error.code)]?.());
  if (refusal === undefined) request.log.error({ err: error }, 'call failed');
  else if (isOverload(error)) noteOverload(error, request);
  return refuseCall(request, reply, refusal ?? new Refusal('service_unavailable'));
}

/** Answers 404 for what the file server refuses, such as a path that leads out of its directory. */
export function answerFileFailure(
  error: Error & { statusCode?: number },
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { statusCode = 500 } = error;
  if (statusCode >= 500) return answerFailure(error, request, reply);
  return refuseCall(request, reply, new Refusal('operation_not_found'));
}

/** Ends a call whose client has left. Proxies call that 499, too. */
function answerNobody(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  noteCode(request, '499');
  return reply.code(499).send();
}

/** Logs why a call was refused as overload, without a stack: there may be many, and none is a fault of the code. */
export function noteOverload(error: Error, request: FastifyRequest): void {
  request.log.warn({ reason: error.message }, 'call timed out');
}

/**
 * Finds the refusal of a call that waited too long, or could not queue because too many do, where a retry may succeed;
 * and of one with a wrong cursor.
 */
function findKnown(error: unknown): Refusal | undefined {
  if (error instanceof WrongCursor) return new Refusal('field_invalid', 'cursor', error.message);
  return isOverload(error) ? new Refusal('overloaded') : undefined;
}

/** Answers a call with the envelope of a refusal (rules 1). */
export function refuseCall(request: FastifyRequest, reply: FastifyReply, refusal: Refusal): FastifyReply {
  const body = failure(refusal.reason, findModule(request), refusal.message, refusal.faults);
  noteCode(request, body.code, refusal.reason);
  // The request has not come in whole, and may never.
  if (body.code === '408') reply.header('connection', 'close');
  if (body.code === '500') reply.header('retry-after', String(refusal.retryAfterSeconds ?? RETRY_AFTER_SECONDS));
  const status = HTTP_CODES.has(body.code) ? Number(body.code) : statusOf(request, body.code);
  return reply.code(status).header('x-request-id', request.id).type('application/json; charset=utf-8').send(body);
}

/** The HTTP status of a refusal: the interface's, or for what the console calls what browsers take for a refusal. */
function statusOf({ routeOptions }: FastifyRequest, code: string): number {
  if (routeOptions.config.consoleOperationId === undefined) return BUSINESS_EXCEPTION;
  return code === '500' ? 503 : 400;
}

/** A route of the server. */
interface Route {
  url: string;
  methods: string[];
  /** Whether it stands for whatever no other route does: a path is not there because of it. */
  isFallback: boolean;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    isFallback?: boolean;
  }
  interface FastifyInstance {
    /** Every registered route, of an operation or not. */
    routes: readonly Route[];
  }
}

/** Answers calls of no operation: 405 if the path has other methods, else 404 (rules 1). */
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
    // A path with this method and still nothing there: a missing file.
    if (allowed.length === 0 || allowed.includes(request.method)) {
      return refuseCall(request, reply, new Refusal('operation_not_found'));
    }
    reply.header('allow', [...new Set(allowed)].join(', '));
    return refuseCall(request, reply, new Refusal('method_not_allowed'));
  };
  // Answer before the body is read: it does not matter.
  server.addHook('onRequest', async (request, reply) => {
    if (request.is404) {
      answer(request, reply);
      return reply;
    }
  });
  server.setNotFoundHandler(answer);
}
