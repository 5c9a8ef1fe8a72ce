import { z } from 'zod';
import { Nonce, type Scope } from '../access.ts';
import type { Module } from '../causes.ts';
import { DoneBody, DoneWithNullBody, FailureBody, successBody } from '../envelope.ts';
import { type Route, routes } from '../routes.ts';

export const FORM_TYPE = 'application/x-www-form-urlencoded';

/** The request of an operation of the interface or the console. */
export interface CalledOperation extends Route {
  params?: z.ZodObject;
  query?: z.ZodType;
  body?: z.ZodType;
  /** Maximum bytes of the body; default MAX_BODY_BYTES. */
  maxBodyBytes?: number;
}

/** A schema of an operation; undefined if the operation has no such part. */
export type Part<Entry, Key extends string> = Entry extends Record<Key, infer Schema> ? Schema : undefined;
/** What a schema parses to, and what clients send. */
export type Read<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;
export type Sent<Schema> = Schema extends z.ZodType ? z.input<Schema> : undefined;

/** The parsed request of an operation; undefined for parts that the operation does not have. */
export interface CallOf<Entry> {
  params: Read<Part<Entry, 'params'>>;
  query: Read<Part<Entry, 'query'>>;
  body: Read<Part<Entry, 'body'>>;
}

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

/** The security schemes of each module, with their scopes (rules 2). Each entry is one way to send the credentials. */
export const credentials: Record<Operation['module'], readonly Readonly<Record<string, readonly Scope[]>>[]> = {
  order: [{ application: ['auth_order'] }],
  member: [{ application: ['auth_me'], clientToken: [], userToken: [] }],
  open: [{ client: [] }, {}],
};

const NonceQuery = z.object({ g_nonce: Nonce });

/** Returns the operations of a module, each with its route, and with g_nonce added to its query (rules 3). */
export function ofModule<
  M extends Module,
  Table extends { [Id in keyof typeof routes]?: Omit<Operation, 'module' | keyof Route> },
>(module: M, table: Table) {
  const entries = (Object.keys(table) as (keyof typeof routes)[]).map((id) => {
    const query = table[id]!.query?.safeExtend(NonceQuery.shape) ?? NonceQuery;
    return [id, { ...routes[id], ...table[id], module, query }];
  });
  return Object.fromEntries(entries) as {
    [Id in keyof Table]: Table[Id] &
      Route & {
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
