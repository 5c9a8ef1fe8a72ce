import { success } from '@lockstep/contract';
import {
  CONSOLE_API_ROOT,
  type ConsoleData,
  type ConsoleOperationId,
  ConsoleRefusal,
  type ConsoleRequest,
  findConsoleOperation,
} from '@lockstep/contract/console';
import { operatorIn } from '@lockstep/contract/operator';
import type { Operator } from '@lockstep/operators';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type AnyHandler, addRoute, type Handler } from '../calls/operation-routes.ts';
import { operatorOf } from './who-acts.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The console operation that a route serves. */
    consoleOperationId?: ConsoleOperationId;
  }
}

/** Registers the routes of console operations as the contract describes them. */
export function addConsoleOperations(server: FastifyInstance, handlers: ConsoleHandlers): void {
  for (const [id, handler] of Object.entries(handlers) as [ConsoleOperationId, AnyHandler<Operator>][]) {
    const operation = findConsoleOperation(id);
    const findSender = (request: FastifyRequest) =>
      operation.role === 'anybody' ? WITHOUT_LOGIN : operatorOf(request);
    addRoute(server, operation, {
      id,
      root: CONSOLE_API_ROOT,
      config: { consoleOperationId: id },
      data: () => operation.data,
      party: (request) => `operator ${findSender(request).operatorId}`,
      answer: async (request, reply) => {
        const data = await handler(request, findSender(request), reply);
        return operation.isDownload ? data : success(data ?? null);
      },
    });
  }
}

/** The caller of an operation that needs no login. */
const WITHOUT_LOGIN: Operator = { operatorId: '0', name: '', role: 'viewer', requestId: '', ...operatorIn([]) };

/** A handler for every console operation. Returns the `data` of the answer, nothing for null, or a file in pieces. */
export type AllConsoleHandlers = {
  [Id in ConsoleOperationId]: Handler<
    ConsoleRequest<Id>,
    Operator,
    ConsoleData<Id> extends null ? void : ConsoleData<Id>
  >;
};

/** Returns what was found. Throws a ConsoleRefusal: not_found. */
export function existing<Found>(kind: string, key: string, found: Found | null | undefined): Found {
  if (found === undefined || found === null) throw new ConsoleRefusal('not_found', kind, key);
  return found;
}

/** Some handlers of the console. */
export type ConsoleHandlers = Partial<AllConsoleHandlers>;
