import type { z } from 'zod';
import { buildMessage, type Cause, type Module } from '../causes.ts';
import { type FailureBody, failure } from '../envelope.ts';
import type { OperationAnswers, OperationId, SentBody } from '../operations/index.ts';

/** The time of everything in the examples of answers. */
export const TIME = 1_790_000_000_000;

/** Examples by name, as OpenAPI holds them. */
export type Examples<Value> = Record<string, { summary: string; value: Value }>;

/** The examples of an operation; those of its answers by HTTP status. The 200 answer to a body has the body's name. */
export interface ExamplesOf<Id extends OperationId> {
  bodies?: Examples<Written<SentBody<Id>>>;
  answers: { [Status in keyof OperationAnswers<Id>]: Examples<Written<OperationAnswers<Id>[Status]>> };
}

export interface Success<Data> {
  code: 0;
  message: 'success';
  data: Data;
}

type OptionalKeys<Value> = { [Key in keyof Value]: undefined extends Value[Key] ? Key : never }[keyof Value];

/** A value as it is written down: ids are texts. */
export type Written<Value> = Value extends string & z.$brand
  ? string
  : Value extends object
    ? { [Key in keyof Value]: Written<Value[Key]> }
    : Value;

/** What a schema reads, as it may be sent: the fields that may be absent are left out. */
export type Sent<Value> = Value extends string & z.$brand
  ? string
  : Value extends (infer Item)[]
    ? Sent<Item>[]
    : Value extends object
      ? { [Key in Exclude<keyof Value, OptionalKeys<Value>>]: Sent<Value[Key]> } & {
          [Key in OptionalKeys<Value> & keyof Value]?: Sent<Exclude<Value[Key], undefined>>;
        }
      : Value;

const refusedBy =
  (module: Module) =>
  (summary: string, cause: Cause, ...values: (string | number)[]): Examples<FailureBody> => ({
    [cause]: { summary, value: failure(cause, module, buildMessage(cause, ...values)) },
  });

/** A refusal of the order module, named by its cause. */
export const refused = refusedBy('order');
/** A refusal of the member center, named by its cause. */
export const refusedMember = refusedBy('member');
