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
  #endMs: number;
  /** The time that is left; set while it is paused. */
  #pausedMs: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Why nothing waits any more. */
  #over: string | undefined;
  /** Created when somebody asks for the signal: most calls need none, and it costs more than all the rest. */
  #controller: AbortController | undefined;
  /** What `race` rejects. */
  readonly #racing = new Set<(reason: Overload) => void>();

  constructor(timeoutMs: number) {
    this.#endMs = performance.now() + timeoutMs;
    this.#startTimer();
  }

  /** The time that is left: zero or less when the deadline is over. */
  get remainingMs(): number {
    return this.#pausedMs ?? this.#endMs - performance.now();
  }

  /** Whether it has passed, or the call has ended. */
  get isOver(): boolean {
    return this.#over !== undefined || this.remainingMs <= 0;
  }

  /** Aborts with an Overload when the deadline is over or the call has ended. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#over !== undefined) this.#controller.abort(new Overload(this.#over));
    }
    return this.#controller.signal;
  }

  /** Stops the clock while the service waits for its client: for a body that comes slowly. */
  pause(): void {
    this.#pausedMs = this.remainingMs;
    clearTimeout(this.#timer);
  }

  /** Starts the clock again after a pause, with the time that was left. */
  resume(): void {
    if (this.#pausedMs === undefined || this.#over !== undefined) return;
    this.#endMs = performance.now() + this.#pausedMs;
    this.#pausedMs = undefined;
    this.#startTimer();
  }

  /** Ends what still waits for this call: it has been answered, or its caller has gone. */
  end(): void {
    clearTimeout(this.#timer);
    this.#stop('nobody waits for an answer any more');
  }

  /** Returns what `waiting` resolves to. At the deadline it throws an Overload instead, and `waiting` goes on alone. */
  race<Result>(waiting: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#over === undefined) this.#racing.add(reject);
      else reject(new Overload(this.#over));
      // In this order: what has its answer races no more when its call ends.
      waiting.finally(() => this.#racing.delete(reject)).then(resolve, reject);
    });
  }

  #stop(why: string): void {
    if (this.#over !== undefined) return;
    this.#over = why;
    if (this.#controller === undefined && this.#racing.size === 0) return;
    const reason = new Overload(why);
    this.#controller?.abort(reason);
    for (const reject of this.#racing) reject(reason);
  }

  #startTimer(): void {
    clearTimeout(this.#timer);
    const stop = () => this.#stop('the deadline of the call is over');
    this.#timer = setTimeout(stop, Math.ceil(Math.max(this.remainingMs, 0))).unref();
  }
}
