import type { BatchId } from '@lockstep/contract';
import { readNotification } from './notify.ts';

/** The NOTIFY channel on which the ids of ended batches come. */
export const ENDS_CHANNEL = 'lockstep_batch_ends';
/** How often a waiting call looks for itself, should a notification be lost. */
const LOOK_AGAIN_MS = 1_000;

/** Lets calls wait for the end of a batch (rules 6.4). A Listener tells it of ends. */
export class BatchWatch {
  readonly channel = ENDS_CHANNEL;
  readonly #waiting = new Map<BatchId, Set<() => void>>();
  #closed = false;

  /**
   * Resolves when the batch ends, when it is time to look again, at `deadlineMs` (a time of performance.now), when
   * `signal` aborts or when this process stops, whichever is first.
   */
  waitForEnd(batchId: BatchId, deadlineMs: number, signal: AbortSignal): Promise<void> {
    if (this.#closed) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        this.#forget(batchId, wake);
        resolve();
      };
      const timer = setTimeout(wake, Math.max(0, Math.min(LOOK_AGAIN_MS, deadlineMs - performance.now())));
      signal.addEventListener('abort', wake);
      const others = this.#waiting.get(batchId);
      if (others === undefined) this.#waiting.set(batchId, new Set([wake]));
      else others.add(wake);
    });
  }

  /** Whether the process stops: nobody should wait any longer. */
  get isClosed(): boolean {
    return this.#closed;
  }

  /** Wakes everybody; nobody waits from now on. */
  close(): void {
    this.#closed = true;
    this.receive('');
  }

  receive(payload: string): void {
    const batchIds = (readNotification(payload) as BatchId[] | null) ?? [...this.#waiting.keys()];
    for (const batchId of batchIds) for (const wake of [...(this.#waiting.get(batchId) ?? [])]) wake();
  }

  #forget(batchId: BatchId, wake: () => void): void {
    const waiting = this.#waiting.get(batchId);
    waiting?.delete(wake);
    if (waiting?.size === 0) this.#waiting.delete(batchId);
  }
}
