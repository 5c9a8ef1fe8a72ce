import type { Readable } from 'node:stream';
import { MAX_BODY_BYTES, success } from '@lockstep/contract';
import { CONSOLE_API_ROOT, type ConsoleOperationId, findConsoleOperation } from '@lockstep/contract/console';
import type { Operator } from '@lockstep/operators';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ConsoleHandlers } from './handlers.ts';
import { operatorOf } from './who-acts.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation of the console that a route serves. */
    consoleOperationId?: ConsoleOperationId;
  }
}

type AnyHandler = (request: FastifyRequest, operator: Operator, reply: FastifyReply) => Promise<unknown>;

/** Registers the routes of operations of the console, as the contract's table describes them. */
export function addConsoleOperations(server: FastifyInstance, handlers: ConsoleHandlers): void {
  for (const [id, handler] of Object.entries(handlers) as [ConsoleOperationId, AnyHandler][]) {
    const { method, path, role, params, query, body, maxBodyBytes, isDownload } = findConsoleOperation(id);
    server.route({
      method,
      url: CONSOLE_API_ROOT + path.replace(/\{(\w+)\}/g, ':$1'),
      bodyLimit: maxBodyBytes ?? MAX_BODY_BYTES,
      config: { consoleOperationId: id },
      // Channels never call these: the published description leaves them out.
      schema: { hide: true, ...(params && { params }), ...(query && { querystring: query }), ...(body && { body }) },
      handler: async (request, reply) => {
        const operator = role === 'anybody' ? NOBODY : operatorOf(request);
        const data = await handler(request, operator, reply);
        return isDownload ? (data as Readable) : success(data);
      },
    });
  }
}

/** Stands for whoever calls an operation that anybody may call. */
const NOBODY: Operator = { operatorId: '0', name: '', role: 'viewer', requestId: '' };
