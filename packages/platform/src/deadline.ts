/**
 * What was not done because no turn, connection or lock came in time, too much waits already, or nobody waits for it any
 * more. It proves that nothing has changed, and that the same may succeed later.
 */
export class Overload extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Overload';
  }
}

/** When a call must be done, whatever it waits for and however often: one for everything that is done for it. */
export class Deadline {
  readonly #over = new AbortController();
  #endMs: number;
  /** What is left while it is paused. */
  #pausedMs: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(timeoutMs: number) {
    this.#endMs = performance.now() + timeoutMs;
    this.#startTimer();
  }

  /** Not positive once it is over. */
  get remainingMs(): number {
    return this.#pausedMs ?? this.#endMs - performance.now();
  }

  /** Aborts with an Overload when the deadline is over or the call has ended. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** Stops its time for what does not depend on the service: a body that comes slowly. */
  pause(): void {
    this.#pausedMs = this.remainingMs;
    clearTimeout(this.#timer);
  }

  /** Goes on after a pause, with what was left. */
  resume(): void {
    if (this.#pausedMs === undefined || this.signal.aborted) return;
    this.#endMs = performance.now() + this.#pausedMs;
    this.#pausedMs = undefined;
    this.#startTimer();
  }

  /** The call has been answered, or its caller has gone: what still waits for it leaves. */
  end(): void {
    clearTimeout(this.#timer);
    this.#over.abort(new Overload('nobody waits for an answer any more'));
  }

  /** Answers what `waiting` does, unless that takes too long: then it throws an Overload, and `waiting` goes on alone. */
  async race<Result>(waiting: Promise<Result>): Promise<Result> {
    const { promise: over, reject } = Promise.withResolvers<never>();
    const giveUp = () => reject(this.signal.reason);
    if (this.signal.aborted) giveUp();
    this.signal.addEventListener('abort', giveUp, { once: true });
    try {
      return await Promise.race([over, waiting]);
    } finally {
      this.signal.removeEventListener('abort', giveUp);
    }
  }

  #startTimer(): void {
    clearTimeout(this.#timer);
    const abort = () => this.#over.abort(new Overload('the deadline of the call is over'));
    this.#timer = setTimeout(abort, Math.ceil(Math.max(this.remainingMs, 0))).unref();
  }
}
