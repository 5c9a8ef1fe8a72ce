import type { Cause, Fault } from './contract.ts';

/**
 * Why a call has no answer of Lockstep. `connection_failed`: it could not be sent, or the connection broke before the
 * answer ended. `timed_out`: the answer did not end within `timeoutMs`. `answer_incomplete`: the answer is cut off.
 * `answer_foreign`: something else answered, such as a proxy or a login page.
 */
export type NoAnswerCause = 'connection_failed' | 'timed_out' | 'answer_incomplete' | 'answer_foreign';

/** What is known of a failed call. */
export type Failure = Pick<LockstepError, 'operation' | 'url' | 'cause' | 'message' | 'isRetryable'> & {
  [Field in keyof LockstepError]?: LockstepError[Field] | undefined;
};

/**
 * A call failed: Lockstep refused it, or no answer of Lockstep arrived. A refused call changed nothing, unless its code
 * is `500`.
 *
 * @example
 * ```ts
 * try {
 *   await lockstep.orders.submit({ ...batch, orderList: [] });
 * } catch (error) {
 *   if (!(error instanceof LockstepError)) throw error;
 *   // field_invalid orderList
 *   console.log(error.cause, error.faults[0]?.path);
 * }
 * ```
 */
export class LockstepError extends Error {
  override readonly name = 'LockstepError';
  /** The operation that was called, such as `createBatchOrder`. */
  readonly operation!: string;
  /** Where it was called, without the query. */
  readonly url!: string;
  /** Kind of the refusal, such as `13004`; `500` is a fault of the service. Empty if no answer of Lockstep arrived. */
  readonly code: string = '';
  /**
   * Why, as a stable word. Later releases may have others, so handle an unknown one by its `code`. If no token was
   * issued, the error of OAuth 2.0, such as `invalid_client`.
   */
  override readonly cause!: Cause | NoAnswerCause | (string & {});
  /** The values in the message, such as an asset number. */
  readonly args: readonly string[] = [];
  /** The bad fields, or the failed orders of a sync batch: up to 20. */
  readonly faults: readonly Fault[] = [];
  /** `data` of a refusal that has it: what became of each employee or entry of a call for many. */
  readonly data: unknown;
  /** HTTP status of the answer, if any arrived. */
  readonly status: number | undefined;
  /** The `x-request-id` of the answer. Quote it when you contact the operator of the service. */
  readonly requestId: string | undefined;
  /**
   * Whether the same call may succeed later. The client has already tried as often as `maxRetries` says, unless
   * `retryAfterMs` is more than a minute.
   */
  readonly isRetryable!: boolean;
  /** How long the service asks to wait, in milliseconds; 0 if it does not say. */
  readonly retryAfterMs: number = 0;
  /** What `fetch` threw, if no answer arrived. */
  readonly source: unknown;

  /** Only the client creates these. */
  constructor({ message, ...known }: Failure) {
    super(message);
    const given = Object.entries(known).filter(([, value]) => value !== undefined);
    Object.assign(this, Object.fromEntries(given));
  }

  /** What a log in JSON gets: everything but `source`. */
  toJSON(): Record<string, unknown> {
    const { source: _, ...fields } = this;
    return { ...fields, message: this.message };
  }
}
