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
} from 'fastify';
import type { z } from 'zod';
import { exportable, nameFile } from './exports.ts';
import { repeatable } from './repeats.ts';

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
    const operation = findOperation(id);
    const answer = (request: FastifyRequest, reply: FastifyReply) => handler(request, findSender(request), reply);
    addRoute(server, operation, {
      id,
      config: { operationId: id },
      data: () => (operation.answers[200] as z.ZodObject<{ data: z.ZodType }>).shape.data,
      answer: repeatable(id, answer, findSender, partyOf),
      party: (request) => partyOf(findSender(request)),
    });
  }
}

/** A handler of any operation. */
export type AnyHandler<Sender> = (request: FastifyRequest, sender: Sender, reply: FastifyReply) => Promise<unknown>;

/** Returns whose share of exports a caller takes: an enterprise's or an application's. */
function partyOf(sender: unknown): string {
  const { enterpriseId, applicationId } = sender as Record<string, string | undefined>;
  return enterpriseId === undefined ? `application ${applicationId}` : `enterprise ${enterpriseId}`;
}

interface RouteParts {
  id: string;
  /** A prefix for the path. */
  root?: string;
  config: FastifyContextConfig;
  /** Returns the schema of the data of a success. */
  data: () => z.ZodType;
  answer: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
  /** Returns whose share of exports a call takes. */
  party: (request: FastifyRequest) => string;
}

/** Registers the route of one operation as the contract describes it. Every operation is registered here. */
export function addRoute(
  server: FastifyInstance,
  { method, path, params, query, body, list, maxBodyBytes = MAX_BODY_BYTES }: CalledOperation,
  { id, root = '', config, data, answer, party }: RouteParts,
): void {
  server.route({
    method,
    url: root + path.replace(/\{(\w+)\}/g, ':$1'),
    bodyLimit: maxBodyBytes,
    config,
    schema: { ...(params && { params }), ...(query && { querystring: query }), ...(body && { body }) },
    ...(list ? exportable(list, data(), nameFile(id), { answer, party }) : { handler: answer }),
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
