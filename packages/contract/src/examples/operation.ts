import { type Cause, messageOf } from '../causes.ts';
import { type FailureBody, failure } from '../envelope.ts';

/** When things happened in the answers. */
export const TIME = 1_790_000_000_000;

/** Examples by name, as OpenAPI holds them. */
export type Examples<Value> = Record<string, { summary: string; value: Value }>;

/** The examples of an operation; those of its answers by HTTP status. */
export interface OperationExamples<Body = unknown, Answer = unknown> {
  bodies?: Examples<Body>;
  answers: Record<number, Examples<Answer>>;
}

/** The examples of an operation of the order module. The 200 answer to a body has the body's name. */
export interface OrderExamples<Body, Answer> extends OperationExamples<Body> {
  answers: { 200: Examples<Answer>; 299: Examples<FailureBody> };
}

export interface Success<Data> {
  code: 0;
  message: 'success';
  data: Data;
}

/** A refusal, named by its cause. */
export function refused(summary: string, cause: Cause, ...values: (string | number)[]): Examples<FailureBody> {
  return { [cause]: { summary, value: failure(cause, 'order', messageOf(cause, ...values)) } };
}
