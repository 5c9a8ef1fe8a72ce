import type { Readable } from 'node:stream';
import type { ConsoleData, ConsoleOperationId, ConsoleRequest } from '@lockstep/contract/console';
import type { Operator } from '@lockstep/operators';
import type { FastifyReply, FastifyRequest } from 'fastify';

type Call<Id extends ConsoleOperationId> = FastifyRequest<{
  Params: ConsoleRequest<Id>['params'];
  Querystring: ConsoleRequest<Id>['query'];
  Body: ConsoleRequest<Id>['body'];
}>;

/** Carries out an operation of the console for an operator, and returns the `data` of its answer, or a file in pieces. */
type Handler<Id extends ConsoleOperationId> = (
  request: Call<Id>,
  operator: Operator,
  reply: FastifyReply,
) => Promise<ConsoleData<Id> | Readable>;

/** Some of the handlers of the console. */
export type ConsoleHandlers = { [Id in ConsoleOperationId]?: Handler<Id> };

/** A handler for every operation of the console. */
export type AllConsoleHandlers = { [Id in ConsoleOperationId]: Handler<Id> };
