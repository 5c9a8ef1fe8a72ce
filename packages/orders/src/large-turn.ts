import { FairQueue, GivenBack } from '@lockstep/platform';

/** Lets large work of drains run one at a time in a process, so that the memory it takes is bounded. */
export class LargeTurn {
  readonly #turns = new FairQueue({ atOnce: 1, maxWaiting: () => Number.POSITIVE_INFINITY });
  readonly #stopping = new AbortController();
  #count = 0;

  /** Whether somebody has the turn. */
  get isTaken(): boolean {
    return this.#count > 0;
  }

  /**
   * Waits for the turn and runs some work. Throws a GivenBack if `stop` is called before the turn comes, or the reason
   * of `signal` if that aborts.
   */
  async run<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const stop = this.#stopping.signal;
    this.#count++;
    try {
      const owner = { kind: 'large drain', party: 'lanes' };
      return await this.#turns.run(owner, signal === undefined ? stop : AbortSignal.any([stop, signal]), work);
    } finally {
      this.#count--;
    }
  }

  /** Gives nobody a turn any more. */
  stop(): void {
    this.#stopping.abort(new GivenBack());
  }
}
