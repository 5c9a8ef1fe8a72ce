import type { Readable } from 'node:stream';
import type { Caller } from '@lockstep/access';
import {
  type CalledOperation,
  type CallOf,
  findOperation,
  MAX_BODY_BYTES,
  type MemberOperationId,
  type OperationAnswers,
  type OperationId,
  type OperationRequest,
  type OrderOperationId,
  parse,
  parseBody,
  parseQuery,
} from '@lockstep/contract';
import type { Actor } from '@lockstep/members';
import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchemaCompiler,
  RouteHandlerMethod,
} from 'fastify';
import type { z } from 'zod';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation that a route serves; absent for health, metrics and documentation. */
    operationId?: OperationId;
  }
}

/**
 * Carries out an operation. Returns the body of the answer as a value, as JSON text, or as a stream of JSON. `sender`
 * is the caller.
 */
export type Handler<Request extends CallOf<unknown>, Sender, Answer> = (
  request: FastifyRequest<{ Params: Request['params']; Querystring: Request['query']; Body: Request['body'] }>,
  sender: Sender,
  reply: FastifyReply,
) => Promise<Answer | string | Readable>;

/** A handler for each of these operations. */
export type Handlers<Ids extends OperationId, Sender> = {
  [Id in Ids]: Handler<OperationRequest<Id>, Sender, OperationAnswers<Id>[keyof OperationAnswers<Id>]>;
};

/** Some handlers of the order module, and of the member center. */
export type OrderHandlers = Partial<Handlers<OrderOperationId, Caller>>;
export type MemberHandlers = Partial<Handlers<MemberOperationId, Actor>>;

/**
 * Registers the routes of operations as the contract describes them. `findSender` returns the caller whom the hooks of
 * the plugin have authenticated.
 */
export function addOperations<Ids extends OperationId, Sender>(
  server: FastifyInstance,
  handlers: Handlers<Ids, Sender>,
  findSender: (request: FastifyRequest) => Sender,
): void {
  for (const [id, handler] of Object.entries(handlers) as [Ids, AnyHandler<Sender>][]) {
    addRoute(server, findOperation(id), {
      config: { operationId: id },
      handler: (request, reply) => handler(request, findSender(request), reply),
    });
  }
}

/** A handler of any operation. */
export type AnyHandler<Sender> = (request: FastifyRequest, sender: Sender, reply: FastifyReply) => Promise<unknown>;

interface RouteParts {
  /** A prefix for the path. */
  root?: string;
  config: FastifyContextConfig;
  handler: RouteHandlerMethod;
}

/** Registers the route of one operation as the contract describes it. Every operation is registered here. */
export function addRoute(
  server: FastifyInstance,
  { method, path, params, query, body, maxBodyBytes = MAX_BODY_BYTES }: CalledOperation,
  { root = '', config, handler }: RouteParts,
): void {
  server.route({
    method,
    url: root + path.replace(/\{(\w+)\}/g, ':$1'),
    bodyLimit: maxBodyBytes,
    config,
    schema: { ...(params && { params }), ...(query && { querystring: query }), ...(body && { body }) },
    handler,
  });
}

/**
 * Checks a part of a call against its schema. Refuses it with the causes of the contract; in a body or a query,
 * misspelled names too.
 */
export const checks: FastifySchemaCompiler<z.ZodType> = ({ schema, httpPart = '' }) => {
  const read = { body: parseBody, querystring: parseQuery }[httpPart] ?? parse;
  return (data: unknown) => {
    try {
      return { value: read(schema, data) };
    } catch (error) {
      return { error: error as Error };
    }
  };
};

/** Like `checks`, but leaves the body to a handler that checks it itself. */
export const checksAllButBody: FastifySchemaCompiler<z.ZodType> = (part) =>
  part.httpPart === 'body' ? (data: unknown) => ({ value: data }) : checks(part);
