import type { Readable } from 'node:stream';
import {
  buildSummary,
  credentials,
  findOperation,
  MAX_BODY_BYTES,
  type Operation,
  type OperationAnswers,
  type OperationId,
  type OperationRequest,
} from '@lockstep/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation that a route serves; absent where it serves none (health, metrics, documentation). */
    operationId?: OperationId;
  }
}

type Call<Id extends OperationId> = FastifyRequest<{
  Params: OperationRequest<Id>['params'];
  Querystring: OperationRequest<Id>['query'];
  Body: OperationRequest<Id>['body'];
}>;

/**
 * Carries out an operation and returns the body of its answer, or its JSON text: whole, or in pieces. `sender` says who
 * calls.
 */
type Handler<Id extends OperationId, Sender> = (
  request: Call<Id>,
  sender: Sender,
  reply: FastifyReply,
) => Promise<OperationAnswers<Id>[keyof OperationAnswers<Id>] | string | Readable>;

/** One handler for each of some operations. */
export type Handlers<Ids extends OperationId, Sender> = { [Id in Ids]: Handler<Id, Sender> };

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
  for (const [id, handler] of Object.entries(handlers) as [Ids, Handler<OperationId, Sender>][]) {
    const operation = findOperation(id);
    const handle: RouteHandlerMethod = (request, reply) =>
      handler(request as Call<OperationId>, findSender(request), reply);
    server.route({
      method: operation.method,
      url: operation.path.replace(/\{(\w+)\}/g, ':$1'),
      bodyLimit: operation.maxBodyBytes ?? MAX_BODY_BYTES,
      config: { operationId: id },
      schema: buildRouteSchema(id, operation),
      handler: handle,
    });
  }
}

/** Builds the schema of a route, which checks calls and describes the operation. */
function buildRouteSchema(operationId: OperationId, operation: Operation) {
  const { module, params, query, body, mediaType, answers, description } = operation;
  return {
    tags: [TAGS[module]],
    security: credentials[module].map((schemes) => Object.fromEntries(schemes.map((scheme) => [scheme, []]))),
    operationId,
    summary: buildSummary(operation),
    description,
    ...(mediaType && { consumes: [mediaType] }),
    ...(params && { params }),
    ...(query && { querystring: query }),
    ...(body && { body }),
    response: answers,
  };
}
