import type { ApplicationId, BatchId, BatchResultQuery } from '@lockstep/contract';
import { type Database, type Deadline, Group, readNotification, run } from '@lockstep/platform';
import { COMPLETIONS_CHANNEL } from '../feed/numbering.ts';
import type { ResultReader } from '../results/reader.ts';

/** How often a process polls for all its waiting calls, in case a notification was lost. */
const LOOK_AGAIN_MS = 1_000;
const LOOKS = { maxRunning: 1, maxInputs: 5_000 };

/**
 * Lets calls wait until a batch is completed (rules 6.4). A Listener passes on the notifications. Each waiting call
 * costs one timer, and one look at the batch when it starts to wait.
 */
export class BatchWatch {
  readonly channel = COMPLETIONS_CHANNEL;
  readonly #looks: Group<BatchId, boolean>;
  readonly #waiting = new Map<BatchId, Set<() => void>>();
  #lookAgain: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(db: Database) {
    this.#looks = new Group({ ...LOOKS, run: (batchIds: BatchId[]) => areCompleted(db, batchIds) });
  }

  /**
   * Resolves when the batch is completed, at `deadlineMs` (a time of performance.now), when `signal` aborts, or when
   * this process shuts down, whichever comes first.
   */
  waitForCompletion(batchId: BatchId, deadlineMs: number, signal: AbortSignal): Promise<void> {
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
      // The batch may have been completed before this call began to listen.
      void this.#look(batchId);
      this.#lookAgain ??= setTimeout(() => void this.#lookForLost(), LOOK_AGAIN_MS);
    });
  }

  /** Whether the process is shutting down, so that no call should wait any longer. */
  get isClosed(): boolean {
    return this.#closed;
  }

  /** Wakes all waiting calls and lets no more calls wait. */
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

  /** Ignores errors: the next poll finds the same batches. */
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

async function areCompleted(db: Database, batchIds: readonly BatchId[]): Promise<boolean[]> {
  const rows = await run<{ id: BatchId }>(db, {
    name: 'find_completed_batches',
    text: 'select id from batch where id = any ((select $1::bigint[])::bigint[]) and completed_time is not null',
    values: [batchIds],
  });
  const completed = new Set(rows.map(({ id }) => id));
  return batchIds.map((batchId) => completed.has(batchId));
}

/**
 * Returns the result of a batch as the JSON text of the answer (rules 6.4). Waits until the batch is completed,
 * `waitSeconds` have passed or the client has disconnected. While it waits, it holds no connection and sends no
 * statement.
 *
 * Throws a Refusal (batch_not_found) or an Overload.
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
    const { batchId, isCompleted, answer } = await deadline.race(results.read(applicationId, query, deadline));
    if (isCompleted || watch.isClosed || performance.now() >= endMs) return answer;
    await watch.waitForCompletion(batchId, endMs, deadline.signal);
    if (deadline.signal.aborted) return answer;
  }
}
