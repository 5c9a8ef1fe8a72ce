import type { CallOf, Part, Read, Sent } from '../operations/operation.ts';
import { fillPath } from '../routes.ts';
import { applicationsOperations } from './applications.ts';
import { assetsOperations } from './assets.ts';
import { batchesOperations } from './batches.ts';
import { channelsOperations } from './channels.ts';
import { enterprisesOperations } from './enterprises.ts';
import { CONSOLE_API_ROOT, type ConsoleOperation } from './operation.ts';
import { operatorsOperations } from './operators.ts';
import { ordersOperations } from './orders.ts';
import { overviewOperations } from './overview.ts';
import { previewOperations } from './preview.ts';
import { sessionOperations } from './session.ts';
import { webhooksOperations } from './webhooks.ts';

export * from './applications.ts';
export * from './assets.ts';
export * from './batches.ts';
export { type ConsoleCause, ConsoleRefusal, consoleCauses } from './causes.ts';
export * from './channels.ts';
export * from './enterprises.ts';
export {
  CONSOLE_API_ROOT,
  CONSOLE_ROOT,
  type ConsoleOperation,
  includesRole,
  OperatorRole,
} from './operation.ts';
export * from './operators.ts';
export * from './orders.ts';
export * from './overview.ts';
export * from './preview.ts';
export { Me, OperatorName } from './session.ts';
export * from './webhooks.ts';

/** All operations of the console, by id: their paths, roles and schemas. */
export const consoleOperations = {
  ...sessionOperations,
  ...overviewOperations,
  ...batchesOperations,
  ...ordersOperations,
  ...assetsOperations,
  ...enterprisesOperations,
  ...previewOperations,
  ...applicationsOperations,
  ...channelsOperations,
  ...webhooksOperations,
  ...operatorsOperations,
};

type Operations = typeof consoleOperations;
export type ConsoleOperationId = keyof Operations;

/** The parsed request of an operation. */
export type ConsoleRequest<Id extends ConsoleOperationId> = CallOf<Operations[Id]>;

/** The request of an operation as the browser sends it, without the parts that the operation does not have. */
export type ConsoleCall<Id extends ConsoleOperationId> = {
  [Key in 'params' | 'query' | 'body' as Part<Operations[Id], Key> extends undefined ? never : Key]: Sent<
    Part<Operations[Id], Key>
  >;
};

/** The `data` of an operation's answer. */
export type ConsoleData<Id extends ConsoleOperationId> = Read<Part<Operations[Id], 'data'>>;

/** Returns an operation with the general type. */
export function findConsoleOperation(id: ConsoleOperationId): ConsoleOperation {
  return consoleOperations[id];
}

/** Returns the path of a call on the host, with its parameters filled in and escaped. */
export function consolePath(id: ConsoleOperationId, params: Record<string, string> = {}): string {
  return CONSOLE_API_ROOT + fillPath(findConsoleOperation(id).path, params);
}
