import type {
  FailureBody,
  FeedEvent,
  MemberOperationId,
  OperationAnswers,
  OperationParams,
  OperationRequest,
  OrderOperationId,
  SentBody,
} from '@lockstep/contract';
import { causes, type Retry, retryOf } from '@lockstep/contract/causes';

// What the client knows of the contract. In the published package, the module that build/declarations.ts writes takes
// the place of this one: the same names and types, without zod. The routes are published as they are.
export type { MemberOperationId, OrderOperationId } from '@lockstep/contract';
export { fillPath, followerOf, repeatOf, routes } from '@lockstep/contract/routes';

/** When the same call can succeed after a refusal, by cause (rules 1.2). */
export const retries = Object.fromEntries(
  (Object.keys(causes) as (keyof typeof causes)[]).map((cause) => [cause, retryOf(cause)]),
) as Readonly<Record<string, Retry | undefined>>;

type CalledId = OrderOperationId | MemberOperationId;
/** The user of a client has one enterprise; the client sends the appKey and nonces. */
type Params<Id extends CalledId> = Id extends MemberOperationId
  ? Omit<OperationParams<Id>, 'enterpriseGlobalId'>
  : OperationParams<Id>;
type Query<Id extends CalledId> = {
  [Name in keyof NonNullable<OperationRequest<Id>['query']> as Own<Name>]?: string | number | boolean | undefined;
};
type Own<Name> = string extends Name ? never : Exclude<Name, 'g_nonce' | 'appKey'>;
type Body<Id extends CalledId> = OperationAnswers<Id> extends { 200: infer Answer } ? Answer : never;

/** What the operations take and return, by operationId. */
export type Operations = {
  [Id in CalledId]: {
    request: (keyof Params<Id> extends never ? { params?: never } : { params: Params<Id> }) & {
      query?: Query<Id>;
    } & (SentBody<Id> extends undefined ? { body?: never } : { body: SentBody<Id> });
    data: Body<Id> extends { data: infer Data } ? Data : undefined;
  };
};

export type Cause = FailureBody['cause'];
export type Fault = NonNullable<FailureBody['faults']>[number];
export type BatchOrder = SentBody<'createBatchOrder'>;
export type Event = FeedEvent;
/** The body of a webhook's message, or of a test of it (rules 6.8). */
export type Message = WithTimestamp<FeedEvent | { id: string; type: 'webhook.test'; time: number; data: object }>;
type WithTimestamp<Sent> = Sent extends unknown ? Sent & { timestamp: string } : never;
