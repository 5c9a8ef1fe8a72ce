/**
 * The work was not done: no slot, connection or lock was free in time, too much work is queued, or the caller left.
 * Nothing has changed, and a retry may succeed.
 */
export class Overload extends Error {
  override readonly name = 'Overload';
}

/** The message of an Overload when the deadline has passed. */
export const DEADLINE_EXCEEDED = 'the call exceeded its deadline';

/** The deadline of a call. Everything that is done for the call shares it. */
export class Deadline {
  #endMs: number;
  /** The remaining time; set while the clock is paused. */
  #pausedMs: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #controller = new AbortController();

  constructor(timeoutMs: number) {
    this.#endMs = performance.now() + timeoutMs;
    this.#startTimer();
  }

  /** The remaining time in milliseconds; zero or less after the deadline. */
  get remainingMs(): number {
    return this.#pausedMs ?? this.#endMs - performance.now();
  }

  /** Whether the deadline has passed or the call has ended. */
  get isOver(): boolean {
    return this.signal.aborted || this.remainingMs <= 0;
  }

  /** Aborts with an Overload when the deadline passes or the call ends. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Stops the clock while the service waits for its client, for example for a body that arrives slowly. */
  pause(): void {
    this.#pausedMs = this.remainingMs;
    clearTimeout(this.#timer);
  }

  /** Restarts the clock after a pause, with the time that remained. */
  resume(): void {
    if (this.#pausedMs === undefined || this.signal.aborted) return;
    this.#endMs = performance.now() + this.#pausedMs;
    this.#pausedMs = undefined;
    this.#startTimer();
  }

  /** Ends whatever still waits on behalf of this call, because it has been answered or its caller has left. */
  end(): void {
    clearTimeout(this.#timer);
    this.#controller.abort(new Overload('the caller no longer waits'));
  }

  /** Returns the result of `waiting`. At the deadline it throws an Overload instead; `waiting` itself continues. */
  race<Result>(waiting: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const stop = () => reject(this.signal.reason);
      if (this.signal.aborted) stop();
      this.signal.addEventListener('abort', stop);
      // The order matters: a promise that has settled must leave the race before its call ends.
      waiting.finally(() => this.signal.removeEventListener('abort', stop)).then(resolve, reject);
    });
  }

  #startTimer(): void {
    clearTimeout(this.#timer);
    const stop = () => this.#controller.abort(new Overload(DEADLINE_EXCEEDED));
    this.#timer = setTimeout(stop, Math.ceil(Math.max(this.remainingMs, 0))).unref();
  }
}
