/**
 * Something was not done: no turn, connection or lock came in time, too much waits already, or nobody waits for it any
 * more. Nothing has changed, and the same may succeed later.
 */
export class Overload extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Overload';
  }
}

/** The time at which a call must be done: one deadline for everything that is done for it. */
export class Deadline {
  readonly #over = new AbortController();
  #endMs: number;
  /** The time that is left; set while it is paused. */
  #pausedMs: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(timeoutMs: number) {
    this.#endMs = performance.now() + timeoutMs;
    this.#startTimer();
  }

  /** The time that is left: zero or less when the deadline is over. */
  get remainingMs(): number {
    return this.#pausedMs ?? this.#endMs - performance.now();
  }

  /** Aborts with an Overload when the deadline is over or the call has ended. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** Stops the clock while the service waits for its client: for a body that comes slowly. */
  pause(): void {
    this.#pausedMs = this.remainingMs;
    clearTimeout(this.#timer);
  }

  /** Starts the clock again after a pause, with the time that was left. */
  resume(): void {
    if (this.#pausedMs === undefined || this.signal.aborted) return;
    this.#endMs = performance.now() + this.#pausedMs;
    this.#pausedMs = undefined;
    this.#startTimer();
  }

  /** Ends what still waits for this call: it has been answered, or its caller has gone. */
  end(): void {
    clearTimeout(this.#timer);
    this.#over.abort(new Overload('nobody waits for an answer any more'));
  }

  /** Returns what `waiting` resolves to. At the deadline it throws an Overload instead, and `waiting` goes on alone. */
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
