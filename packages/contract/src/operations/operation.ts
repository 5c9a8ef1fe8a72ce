import { z } from 'zod';
import { Nonce } from '../access.ts';
import type { Module } from '../causes.ts';
import { DoneBody, DoneWithNullBody, FailureBody, successBody } from '../envelope.ts';
import type { CalledOperation } from '../operation-parts.ts';

export const FORM_TYPE = 'application/x-www-form-urlencoded';

/** An operation of the service: its route, request and answers. */
export interface Operation extends CalledOperation {
  /** Its name in the interface, O1 to M10. Absent if the interface has no such operation. */
  name?: string;
  /** Which `credentials` it needs. An `open` operation checks credentials itself. */
  module: Module | 'open';
  query?: z.ZodObject;
  /** The media type of the body, if not JSON. */
  mediaType?: string;
  /** The bodies of the answers, by HTTP status. */
  answers: Record<number, z.ZodType>;
  summary: string;
  description: string;
}

/** The security schemes of each module (rules 2). Each inner list is one way to send the credentials. */
export const credentials = {
  order: [['application']],
  member: [['application', 'clientToken', 'userToken']],
  open: [['client'], []],
} as const satisfies Record<Operation['module'], readonly (readonly string[])[]>;

const NonceQuery = z.object({ g_nonce: Nonce });

/** Returns the operations of a module, with g_nonce added to the query of each (rules 3). */
export function ofModule<M extends Module, Table extends Record<string, Omit<Operation, 'module'>>>(
  module: M,
  table: Table,
) {
  const entries = Object.entries(table).map(([id, operation]) => {
    return [id, { ...operation, module, query: operation.query?.safeExtend(NonceQuery.shape) ?? NonceQuery }];
  });
  return Object.fromEntries(entries) as {
    [Id in keyof Table]: Table[Id] & {
      module: M;
      query: Table[Id] extends { query: infer Own } ? Own : z.ZodObject<Record<never, never>>;
    };
  };
}

/** Formats a number for a description, such as 10,000. */
export const formatCount = (count: number) => count.toLocaleString('en-US');

const REFUSED =
  'The call was refused, or failed because of a fault. HTTP clients treat this status as a success, so check `code`.';
const refused = FailureBody.describe(REFUSED);

/** Returns the answers of an operation: 200 with `data`, 299 with the cause. */
export function answers<Data extends z.ZodType>(data: Data) {
  return answersOf(successBody(data));
}

/** Like `answers`, for a success body with more than `data`. */
export function answersOf<Success extends z.ZodType>(success: Success) {
  return { 200: success.describe('Success.'), 299: refused };
}

/** The answers of operations that return nothing; in the member center `data` is then null. */
export const doneAnswers = { 200: DoneBody.describe('Success.'), 299: refused };
export const doneWithNullAnswers = { 200: DoneWithNullBody.describe('Success.'), 299: refused };

/** Returns the failure body of an operation whose refusals have further fields. */
export function refusedWith<Failure extends z.ZodType>(failure: Failure, words: string): Failure {
  return failure.describe(`${REFUSED} ${words}`);
}
