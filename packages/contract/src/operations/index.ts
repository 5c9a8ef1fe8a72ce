import type { z } from 'zod';
import { memberOperations } from './member.ts';
import { openOperations } from './open.ts';
import type { Operation } from './operation.ts';
import { orderOperations } from './order.ts';
import { traceOperations } from './traces.ts';
import { webhookOperations } from './webhooks.ts';

export {
  credentials,
  FORM_TYPE,
  MAX_BATCH_BYTES,
  MAX_BODY_BYTES,
  ME_ROOT,
  type Operation,
  ORDER_ROOT,
} from './operation.ts';

/** Every operation of the service by its operationId: the one place that names its path, its schemas and its words. */
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

type Part<Id extends OperationId, Key extends keyof Operation> =
  Operations[Id] extends Record<Key, infer Schema> ? Schema : undefined;
type Read<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;
type Sent<Schema> = Schema extends z.ZodType ? z.input<Schema> : undefined;

/** What the service reads of a call: undefined where the operation has no such part. */
export interface OperationRequest<Id extends OperationId> {
  params: Read<Part<Id, 'params'>>;
  query: Read<Part<Id, 'query'>>;
  body: Read<Part<Id, 'body'>>;
}

/** The bodies that an operation can be answered with, by HTTP status. */
export type OperationAnswers<Id extends OperationId> = {
  [Status in keyof Operations[Id]['answers']]: Read<Operations[Id]['answers'][Status]>;
};

/** What clients send as the body of a call. */
export type SentBody<Id extends OperationId> = Sent<Part<Id, 'body'>>;

type PathParameters<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameters<Rest>
  : never;
/** The parameters in the path of an operation. */
export type OperationParams<Id extends OperationId> = Record<PathParameters<Operations[Id]['path']>, string>;

/** An operation of the table, without what only its own types know. */
export function findOperation(id: OperationId): Operation {
  return operations[id];
}

/** The summary of an operation as it is published: with its name in the interface, if it has one. */
export function buildSummary({ name, summary }: Operation): string {
  return name === undefined ? summary : `${name}: ${summary}`;
}

/** The path of a call from the root of the host, with its parameters filled in and escaped. */
export function buildPath<Id extends OperationId>(id: Id, params: OperationParams<Id>): string {
  const values: Record<string, string> = params;
  return operations[id].path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
}
