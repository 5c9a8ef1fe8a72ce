import { z } from 'zod';
import { Nonce } from '../access.ts';
import type { Module } from '../causes.ts';
import { DoneBody, DoneWithNullBody, FailureBody, successBody } from '../envelope.ts';
import type { CalledOperation } from '../operation-parts.ts';

export const FORM_TYPE = 'application/x-www-form-urlencoded';

/** One operation of the service: what clients send, where, and what they get. */
export interface Operation extends CalledOperation {
  /** Its name in the interface, O1 to M10; none where the interface has no such operation. */
  name?: string;
  /** Whose credentials it takes (`credentials`); `open` is outside of both modules and looks at credentials itself. */
  module: Module | 'open';
  query?: z.ZodObject;
  /** The media type of the body; JSON where it is absent. */
  mediaType?: string;
  /** The bodies of answers, by HTTP status. */
  answers: Record<number, z.ZodType>;
  summary: string;
  description: string;
}

/**
 * The credentials that a call carries, as names of schemes; each element of a list is one way to send them (rules 2).
 */
export const credentials = {
  order: [['application']],
  member: [['application', 'clientToken', 'userToken']],
  open: [['client'], []],
} as const satisfies Record<Operation['module'], readonly (readonly string[])[]>;

const NonceQuery = z.object({ g_nonce: Nonce });

/** Makes the table of a module: each of its operations takes a nonce beside its own query (rules 3). */
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

/** A number in a description: 10,000. */
export const formatCount = (count: number) => count.toLocaleString('en-US');

const REFUSED = 'Refused, or a fault: see the code, because HTTP clients take this status for a success.';
const refused = FailureBody.describe(REFUSED);

/** The answers of most operations: 200 with data, 299 with the reason of a refusal. */
export function answers<Data extends z.ZodType>(data: Data) {
  return answersOf(successBody(data));
}

/** The same for a success whose body has more than data. */
export function answersOf<Success extends z.ZodType>(success: Success) {
  return { 200: success.describe('It was carried out.'), 299: refused };
}

/** Answers without data; in the member center `data` is null. */
export const doneAnswers = { 200: DoneBody.describe('It was carried out.'), 299: refused };
export const doneWithNullAnswers = { 200: DoneWithNullBody.describe('It was carried out.'), 299: refused };

/** The failure of an operation whose refusals hold more than others. */
export function refusedWith<Failure extends z.ZodType>(failure: Failure, words: string): Failure {
  return failure.describe(`${REFUSED} ${words}`);
}
