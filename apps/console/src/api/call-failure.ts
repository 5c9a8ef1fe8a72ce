/** A call that the service refused or that did not reach it. */
export class CallFailure extends Error {
  /** The HTTP status; 0 if there was no response. */
  readonly status: number;
  /** The contract's cause; null if the response did not come from the service. */
  override readonly cause: string | null;
  /** Identifies the call in the service's log; null if there was no response. */
  readonly requestId: string | null;
  /** The invalid fields; empty if the call was refused for another reason. */
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
