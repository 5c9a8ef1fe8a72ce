import type { ConsoleData, ConsoleOperationId, ConsoleRequest } from '@lockstep/contract/console';
import type { Operator } from '@lockstep/operators';
import type { Handler } from '../operation-routes.ts';

/** A handler for every operation of the console. It returns the `data` of an answer, or a file in pieces. */
export type AllConsoleHandlers = {
  [Id in ConsoleOperationId]: Handler<ConsoleRequest<Id>, Operator, ConsoleData<Id>>;
};

/** Some of the handlers of the console. */
export type ConsoleHandlers = Partial<AllConsoleHandlers>;
