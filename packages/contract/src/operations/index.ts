import type { CallOf, Part, Read, Sent } from '../operation-parts.ts';
import { memberOperations } from './member.ts';
import { openOperations } from './open.ts';
import type { Operation } from './operation.ts';
import { orderOperations } from './order.ts';
import { traceOperations } from './traces.ts';
import { webhookOperations } from './webhooks.ts';

export {
  credentials,
  FORM_TYPE,
  type Operation,
} from './operation.ts';

/** All operations of the service, by operationId. */
export const operations = {
  ...openOperations,
  ...orderOperations,
  ...traceOperations,
  ...webhookOperations,
  ...memberOperations,
};

type Operations = typeof operations;
export type OperationId = keyof Operations;
export type OrderOperationId =
  | keyof typeof orderOperations
  | keyof typeof traceOperations
  | keyof typeof webhookOperations;
export type MemberOperationId = keyof typeof memberOperations;

/** The parsed request of an operation. */
export type OperationRequest<Id extends OperationId> = CallOf<Operations[Id]>;

/** The bodies of the answers of an operation, by HTTP status. */
export type OperationAnswers<Id extends OperationId> = {
  [Status in keyof Operations[Id]['answers']]: Read<Operations[Id]['answers'][Status]>;
};

/** The request body of an operation, as clients send it. */
export type SentBody<Id extends OperationId> = Sent<Part<Operations[Id], 'body'>>;

/** Returns an operation with the general type. */
export function findOperation(id: OperationId): Operation {
  return operations[id];
}

/** Returns the published summary of an operation: with its name in the interface, if it has one. */
export function buildSummary({ name, summary }: Operation): string {
  return name === undefined ? summary : `${name}: ${summary}`;
}
