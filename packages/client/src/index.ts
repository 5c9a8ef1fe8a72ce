export type { Api, Arguments, DataOf, EntryOf, ListArguments, ListId, RequestOf } from './api.ts';
export type * from './contract.ts';
export { LockstepError, type NoAnswerCause } from './error.ts';
export { type BatchKey, Lockstep, type Orders } from './lockstep.ts';
export type {
  CallOptions,
  Fetch,
  FetchAnswer,
  LockstepOptions,
  Logger,
  RequestEvent,
  ResponseEvent,
  User,
} from './options.ts';
