import { FairQueue, type QueueView, type ViewedQueue } from '@lockstep/platform';

/** Calls of boards that a process answers at once, so that boards take neither its connections nor its memory. */
const CALLS_AT_ONCE = 3;
const MAX_WAITING = 20;

/**
 * Runs what boards ask of the queue, a few things at once. A look that is given up because it takes too long keeps its place
 * until it has really ended: a slow queue does not get ever more to do.
 */
export class BoardTurns {
  readonly #queueView: QueueView;
  readonly #turns = new FairQueue({ atOnce: CALLS_AT_ONCE, maxWaiting: () => MAX_WAITING });

  constructor(queueView: QueueView) {
    this.#queueView = queueView;
  }

  /**
   * Works with the queue when it is the operator's turn.
   * @throws Overload when too much waits already; the reason of `signal` when that aborts before the turn comes; what
   * QueueView.use throws
   */
  async run<Result>(
    operatorId: string,
    signal: AbortSignal,
    work: (queue: ViewedQueue) => Promise<Result>,
  ): Promise<Result> {
    const leave = await this.#turns.enter({ kind: 'board', party: operatorId }, signal);
    let ended: Promise<unknown> = Promise.resolve();
    try {
      return await this.#queueView.use((queue) => {
        const working = work(queue);
        ended = working;
        return working;
      });
    } finally {
      void ended.then(leave, leave);
    }
  }
}
