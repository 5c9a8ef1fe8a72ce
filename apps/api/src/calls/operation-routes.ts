import type { Readable } from 'node:stream';
import type { Caller } from '@lockstep/access';
import {
  buildSummary,
  type CalledOperation,
  type CallOf,
  credentials,
  findOperation,
  MAX_BODY_BYTES,
  type MemberOperationId,
  type Operation,
  type OperationAnswers,
  type OperationId,
  type OperationRequest,
  type OrderOperationId,
  parse,
  parseBody,
} from '@lockstep/contract';
import type { Actor } from '@lockstep/members';
import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  FastifySchemaCompiler,
  RouteHandlerMethod,
} from 'fastify';
import type { z } from 'zod';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation that a route serves; absent where it serves none (health, metrics, documentation). */
    operationId?: OperationId;
  }
}

/**
 * Carries out an operation and returns its answer: the body, its JSON text, or that in pieces. `sender` says who calls.
 */
export type Handler<Request extends CallOf<unknown>, Sender, Answer> = (
  request: FastifyRequest<{ Params: Request['params']; Querystring: Request['query']; Body: Request['body'] }>,
  sender: Sender,
  reply: FastifyReply,
) => Promise<Answer | string | Readable>;

/** One handler for each of some operations. */
export type Handlers<Ids extends OperationId, Sender> = {
  [Id in Ids]: Handler<OperationRequest<Id>, Sender, OperationAnswers<Id>[keyof OperationAnswers<Id>]>;
};

/** Some of the handlers of the order module, and of the member center. */
export type OrderHandlers = Partial<Handlers<OrderOperationId, Caller>>;
export type MemberHandlers = Partial<Handlers<MemberOperationId, Actor>>;

/** The tags of the modules in the API description. */
export const TAGS: Record<Operation['module'], string> = {
  open: 'Tokens',
  order: 'Order module',
  member: 'Member center',
};

/**
 * Registers the routes of operations as the contract's table describes them. `findSender` returns who calls, as the
 * hooks of the plugin have found out.
 */
export function addOperations<Ids extends OperationId, Sender>(
  server: FastifyInstance,
  handlers: Handlers<Ids, Sender>,
  findSender: (request: FastifyRequest) => Sender,
): void {
  for (const [id, handler] of Object.entries(handlers) as [Ids, AnyHandler<Sender>][]) {
    const operation = findOperation(id);
    addRoute(server, operation, {
      config: { operationId: id },
      description: describe(id, operation),
      handler: (request, reply) => handler(request, findSender(request), reply),
    });
  }
}

/** A handler of a table, without what only its own types know. */
export type AnyHandler<Sender> = (request: FastifyRequest, sender: Sender, reply: FastifyReply) => Promise<unknown>;

interface RouteParts {
  /** What is in front of its path. */
  root?: string;
  config: FastifyContextConfig;
  /** Its part of the published description. */
  description: FastifySchema;
  handler: RouteHandlerMethod;
}

/**
 * Registers the route of an operation as a table of the contract describes it: every operation's is registered here.
 */
export function addRoute(
  server: FastifyInstance,
  { method, path, params, query, body, maxBodyBytes = MAX_BODY_BYTES }: CalledOperation,
  { root = '', config, description, handler }: RouteParts,
): void {
  server.route({
    method,
    url: root + path.replace(/\{(\w+)\}/g, ':$1'),
    bodyLimit: maxBodyBytes,
    config,
    schema: { ...description, ...(params && { params }), ...(query && { querystring: query }), ...(body && { body }) },
    handler,
  });
}

function describe(operationId: OperationId, operation: Operation): FastifySchema {
  const { module, mediaType, answers, description } = operation;
  return {
    tags: [TAGS[module]],
    security: credentials[module].map((schemes) => Object.fromEntries(schemes.map((scheme) => [scheme, []]))),
    operationId,
    summary: buildSummary(operation),
    description,
    ...(mediaType && { consumes: [mediaType] }),
    response: answers,
  };
}

/**
 * Checks a part of a call against its schema; fails with the refusals of the contract. In a body it looks for
 * misspellings too.
 */
export const checks: FastifySchemaCompiler<z.ZodType> =
  ({ schema, httpPart }) =>
  (data: unknown) => {
    try {
      return { value: httpPart === 'body' ? parseBody(schema, data) : parse(schema, data) };
    } catch (error) {
      return { error: error as Error };
    }
  };

/** Checks like `checks`, but leaves the body to a handler that checks it itself. */
export const checksAllButBody: FastifySchemaCompiler<z.ZodType> = (part) =>
  part.httpPart === 'body' ? (data: unknown) => ({ value: data }) : checks(part);
