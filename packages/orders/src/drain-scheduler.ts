import type { Drained } from './drain.ts';

interface Waiter {
  /** Lanes that are not yet drained up to the batch. */
  lanes: Set<number>;
  throughBatchId: bigint;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * Makes drains single-flight: in this process at most one drain of a lane runs, and everyone who wants the lane
 * meanwhile shares the next one. A free slot takes every wanted lane that is not being drained, so one transaction
 * carries a whole batch, and under load the orders of many.
 */
export class DrainScheduler {
  readonly #drain: (lanes: number[]) => Promise<Drained>;
  #freeSlots: number;
  readonly #wanted = new Set<number>();
  readonly #running = new Set<number>();
  #waiters = new Set<Waiter>();
  readonly #drains = new Set<Promise<void>>();
  #closed = false;

  constructor(options: { slots: number; drain: (lanes: number[]) => Promise<Drained> }) {
    this.#drain = options.drain;
    this.#freeSlots = options.slots;
  }

  /**
   * Resolves when each of the lanes was drained, by drains that began after this call, up to the batch or until it
   * was empty. Rejects with the failure of such a drain.
   */
  request(lanes: Iterable<number>, throughBatchId: bigint): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter = { lanes: new Set(lanes), throughBatchId, resolve, reject };
      if (waiter.lanes.size === 0) return resolve();
      this.#waiters.add(waiter);
      for (const lane of waiter.lanes) this.#wanted.add(lane);
      this.#startDrains();
    });
  }

  /** Starts no more drains and waits for those that run. What is left over stays pending for another worker. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#drains);
  }

  #startDrains(): void {
    if (this.#closed) return;
    while (this.#freeSlots > 0) {
      const ready = [...this.#wanted].filter((lane) => !this.#running.has(lane));
      if (ready.length === 0) return;
      const drain = this.#run(ready).finally(() => this.#drains.delete(drain));
      this.#drains.add(drain);
    }
  }

  async #run(lanes: number[]): Promise<void> {
    const waiters = [...this.#waiters];
    this.#freeSlots--;
    for (const lane of lanes) {
      this.#wanted.delete(lane);
      this.#running.add(lane);
    }
    try {
      const drained = await this.#drain(lanes);
      for (const waiter of waiters) this.#satisfy(waiter, lanes, drained);
      if (drained.throughBatchId !== null) for (const lane of lanes) this.#wanted.add(lane);
    } catch (error) {
      for (const waiter of waiters) {
        if (lanes.some((lane) => waiter.lanes.has(lane)) && this.#waiters.delete(waiter)) waiter.reject(error);
      }
    } finally {
      this.#freeSlots++;
      for (const lane of lanes) this.#running.delete(lane);
    }
    this.#startDrains();
  }

  #satisfy(waiter: Waiter, lanes: number[], drained: Drained): void {
    if (drained.throughBatchId !== null && drained.throughBatchId < waiter.throughBatchId) return;
    for (const lane of lanes) waiter.lanes.delete(lane);
    if (waiter.lanes.size === 0 && this.#waiters.delete(waiter)) waiter.resolve();
  }
}
