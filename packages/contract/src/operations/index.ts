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

/** Every operation of the service by its operationId: its path, its schemas and its words. */
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

/** What the service reads of a call. */
export type OperationRequest<Id extends OperationId> = CallOf<Operations[Id]>;

/** The bodies that an operation can be answered with, by HTTP status. */
export type OperationAnswers<Id extends OperationId> = {
  [Status in keyof Operations[Id]['answers']]: Read<Operations[Id]['answers'][Status]>;
};

/** What clients send as the body of a call. */
export type SentBody<Id extends OperationId> = Sent<Part<Operations[Id], 'body'>>;

/** An operation of the table, without what only its own types know. */
export function findOperation(id: OperationId): Operation {
  return operations[id];
}

/** The summary of an operation as it is published: with its name in the interface, if it has one. */
export function buildSummary({ name, summary }: Operation): string {
  return name === undefined ? summary : `${name}: ${summary}`;
}
