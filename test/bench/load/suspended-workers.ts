import type { Deployment } from '../deployment.ts';
import { type Bench, scaled } from '../measures/measure.ts';
import { prepareLoad } from './load.ts';
import type { Sender } from './senders.ts';

const ORDERS_PER_BATCH = 100;
const CALLERS = 8;
/** Most orders that one load generator holds in memory. */
const ORDERS_OF_LOAD = 100_000;

/**
 * Has batches of 100 accepted while the workers are suspended. Stopping them would add their start to the drain. The
 * returned function resumes them, and returns when the drain began and ended, in milliseconds since 1970.
 */
export async function acceptWhileSuspended(
  bench: Bench,
  deployment: Deployment,
  orders: number,
  sender?: Sender,
): Promise<{ orders: number; drain: () => Promise<{ startedMs: number; drainedMs: number }> }> {
  const batches = scaled(bench, orders / ORDERS_PER_BATCH, 3 * CALLERS);
  const batchesOfLoad = ORDERS_OF_LOAD / ORDERS_PER_BATCH;
  let tag = '';
  for (const worker of deployment.workers) worker.pause();
  for (let sent = 0; sent < batches; sent += batchesOfLoad) {
    const pace = { kind: 'callers', callers: CALLERS } as const;
    const count = Math.min(batchesOfLoad, batches - sent);
    const work = deployment.batches(count, ORDERS_PER_BATCH, 'async', pace, sender);
    await (await prepareLoad(work)).run();
    tag = work.requests.tag;
  }
  return {
    orders: batches * ORDERS_PER_BATCH,
    drain: async () => {
      const startedMs = performance.timeOrigin + performance.now();
      for (const worker of deployment.workers) worker.resume();
      return { startedMs, drainedMs: await deployment.untilApplied(tag) };
    },
  };
}
