import type { ApplicationId, BatchId, BatchResultQuery } from '@lockstep/contract';
import { type Database, type Deadline, Group, readNotification, run } from '@lockstep/platform';
import type { ResultReader } from '../results/reader.ts';

/** The NOTIFY channel on which the ids of ended batches come. */
export const ENDS_CHANNEL = 'lockstep_batch_ends';
/** How often a process looks for itself on behalf of all its calls, should a notification be lost. */
const LOOK_AGAIN_MS = 1_000;
/** Statements that look at once, and batches that one of them looks at. */
const LOOKS = { maxRunning: 1, maxInputs: 5_000 };

/**
 * Lets calls wait for the end of a batch (rules 6.4). A Listener tells it of ends. Whoever waits costs a timer, and one
 * look at the batch when it begins.
 */
export class BatchWatch {
  readonly channel = ENDS_CHANNEL;
  readonly #looks: Group<BatchId, boolean>;
  readonly #waiting = new Map<BatchId, Set<() => void>>();
  #lookAgain: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(db: Database) {
    this.#looks = new Group({ ...LOOKS, run: (batchIds: BatchId[]) => haveEnded(db, batchIds) });
  }

  /**
   * Resolves when the batch has ended, at `deadlineMs` (a time of performance.now), when `signal` aborts or when this
   * process stops, whichever is first.
   */
  waitForEnd(batchId: BatchId, deadlineMs: number, signal: AbortSignal): Promise<void> {
    if (this.#closed || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        this.#forget(batchId, wake);
        resolve();
      };
      const timer = setTimeout(wake, Math.max(0, deadlineMs - performance.now()));
      signal.addEventListener('abort', wake);
      const others = this.#waiting.get(batchId);
      if (others === undefined) this.#waiting.set(batchId, new Set([wake]));
      else others.add(wake);
      // It may have ended before anybody waited for its notification.
      void this.#look(batchId);
      this.#lookAgain ??= setTimeout(() => void this.#lookForLost(), LOOK_AGAIN_MS);
    });
  }

  /** Whether the process stops: nobody should wait any longer. */
  get isClosed(): boolean {
    return this.#closed;
  }

  /** Wakes everybody; nobody waits from now on. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#lookAgain);
    for (const batchId of [...this.#waiting.keys()]) this.#wake(batchId);
  }

  receive(payload: string): void {
    const batchIds = readNotification(payload) as BatchId[] | null;
    if (batchIds === null) void this.#lookAtAll();
    else for (const batchId of batchIds) this.#wake(batchId);
  }

  #wake(batchId: BatchId): void {
    for (const wake of [...(this.#waiting.get(batchId) ?? [])]) wake();
  }

  /** If it fails, the next look finds what this one would have found. */
  async #look(batchId: BatchId): Promise<void> {
    if (await this.#looks.run(batchId).catch(() => false)) this.#wake(batchId);
  }

  async #lookAtAll(): Promise<void> {
    await Promise.all([...this.#waiting.keys()].map((batchId) => this.#look(batchId)));
  }

  async #lookForLost(): Promise<void> {
    await this.#lookAtAll();
    this.#lookAgain = undefined;
    if (!this.#closed && this.#waiting.size > 0) {
      this.#lookAgain = setTimeout(() => void this.#lookForLost(), LOOK_AGAIN_MS);
    }
  }

  #forget(batchId: BatchId, wake: () => void): void {
    const waiting = this.#waiting.get(batchId);
    waiting?.delete(wake);
    if (waiting?.size === 0) this.#waiting.delete(batchId);
  }
}

async function haveEnded(db: Database, batchIds: readonly BatchId[]): Promise<boolean[]> {
  const rows = await run<{ id: BatchId }>(db, {
    name: 'find_ended_batches',
    text: 'select id from batch where id = any ((select $1::bigint[])::bigint[]) and completed_time is not null',
    values: [batchIds],
  });
  const ended = new Set(rows.map(({ id }) => id));
  return batchIds.map((batchId) => ended.has(batchId));
}

/**
 * Waits until a batch is completed, `waitSeconds` are over or the client has gone, and returns what became of it (rules
 * 6.4), as the JSON text of the answer. While it waits it holds no connection and sends no statement.
 *
 * Throws a Refusal: batch_not_found. Throws an Overload.
 */
export async function awaitBatchResult(
  results: ResultReader,
  watch: BatchWatch,
  applicationId: ApplicationId,
  query: BatchResultQuery,
  deadline: Deadline,
): Promise<string> {
  const endMs = performance.now() + query.waitSeconds * 1_000;
  for (;;) {
    const { batchId, hasEnded, answer } = await deadline.race(results.read(applicationId, query, deadline));
    if (hasEnded || watch.isClosed || performance.now() >= endMs) return answer;
    await watch.waitForEnd(batchId, endMs, deadline.signal);
    // Nobody reads the answer any more.
    if (deadline.signal.aborted) return answer;
  }
}
