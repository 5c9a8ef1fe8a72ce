import { success } from '@lockstep/contract';
import {
  CONSOLE_API_ROOT,
  type ConsoleData,
  type ConsoleOperationId,
  type ConsoleRequest,
  findConsoleOperation,
} from '@lockstep/contract/console';
import type { Operator } from '@lockstep/operators';
import type { FastifyInstance } from 'fastify';
import { type AnyHandler, addRoute, type Handler } from '../calls/operation-routes.ts';
import { operatorOf } from './who-acts.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation of the console that a route serves. */
    consoleOperationId?: ConsoleOperationId;
  }
}

/** Registers the routes of operations of the console, as the contract's table describes them. */
export function addConsoleOperations(server: FastifyInstance, handlers: ConsoleHandlers): void {
  for (const [id, handler] of Object.entries(handlers) as [ConsoleOperationId, AnyHandler<Operator>][]) {
    const operation = findConsoleOperation(id);
    addRoute(server, operation, {
      root: CONSOLE_API_ROOT,
      config: { consoleOperationId: id },
      // Channels never call these: the published description leaves them out.
      description: { hide: true },
      handler: async (request, reply) => {
        const operator = operation.role === 'anybody' ? NOBODY : operatorOf(request);
        const data = await handler(request, operator, reply);
        return operation.isDownload ? data : success(data);
      },
    });
  }
}

/** Stands for whoever calls an operation that anybody may call. */
const NOBODY: Operator = { operatorId: '0', name: '', role: 'viewer', requestId: '' };

/** A handler for every operation of the console. It returns the `data` of an answer, or a file in pieces. */
export type AllConsoleHandlers = {
  [Id in ConsoleOperationId]: Handler<ConsoleRequest<Id>, Operator, ConsoleData<Id>>;
};

/** Some of the handlers of the console. */
export type ConsoleHandlers = Partial<AllConsoleHandlers>;
