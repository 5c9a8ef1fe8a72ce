/** A call that the server refused, or that did not reach it. */
export class CallFailure extends Error {
  /** The HTTP status; 0 where there was no answer. */
  readonly status: number;
  /** The stable word of the contract's tables; null where the answer was not ours. */
  override readonly cause: string | null;
  /** Finds the call in the log of the service; null where there was no answer. */
  readonly requestId: string | null;
  /** What was wrong with what was sent, field by field; empty where that is not what it was refused for. */
  readonly faults: readonly { path: string; message: string }[];

  constructor(
    status: number,
    cause: string | null,
    message: string,
    requestId: string | null,
    faults: CallFailure['faults'] = [],
  ) {
    super(message);
    this.name = 'CallFailure';
    this.status = status;
    this.cause = cause;
    this.requestId = requestId;
    this.faults = faults;
  }
}
