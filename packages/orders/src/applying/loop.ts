/** The pause after a failed drain before the loop claims again. */
const FAILURE_PAUSE_MS = 100;

/** What became of a drain. */
export type Became = 'worked' | 'idle' | 'failed';

/**
 * Runs the drains of a process. A bell says that orders wait. Then the loop claims lanes and drains them, a number of
 * drains at once, until a claim finds none. One claim runs at a time, and bells that ring meanwhile share the next.
 */
export class DrainLoop {
  readonly #drains: number;
  readonly #drain: (claimed: (mayFindMore: boolean) => void) => Promise<Became>;
  readonly #running = new Set<Promise<void>>();
  #isRung = false;
  #isClaiming = false;
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;

  /** `drain` never rejects. It calls `claimed` when its claim is answered. */
  constructor(drains: number, drain: (claimed: (mayFindMore: boolean) => void) => Promise<Became>) {
    this.#drains = drains;
    this.#drain = drain;
  }

  ring(): void {
    this.#isRung = true;
    this.#start();
  }

  /** Claims nothing more. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** Stops, and waits for the running drains. */
  async close(): Promise<void> {
    this.stop();
    await Promise.all(this.#running);
  }

  #start(): void {
    if (this.#isStopped || !this.#isRung || this.#isClaiming || this.#running.size >= this.#drains) return;
    this.#isRung = false;
    const running = this.#run().finally(() => {
      this.#running.delete(running);
      this.#start();
    });
    this.#running.add(running);
  }

  async #run(): Promise<void> {
    this.#isClaiming = true;
    let isAnswered = false;
    const answered = () => {
      if (!isAnswered) this.#isClaiming = false;
      isAnswered = true;
    };
    const became = await this.#drain((mayFindMore) => {
      answered();
      if (mayFindMore) this.#isRung = true;
      this.#start();
    });
    answered();
    // More orders may wait in its lanes, whose bells found them locked.
    if (became === 'worked') this.#isRung = true;
    if (became === 'failed') this.#timer = setTimeout(() => this.ring(), FAILURE_PAUSE_MS);
  }
}
