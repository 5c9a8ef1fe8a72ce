import { type Deployment, type Shape, withDeployment } from '../deployment.ts';
import { prepareLoad } from '../load/load.ts';
import type { Sender } from '../load/senders.ts';
import { startMeter } from '../report/costs.ts';
import { type Bench, type Figures, type Measure, scaled } from './measure.ts';

/** How to send batches, and how many orders a full run sends. */
export interface Sending {
  mode: 'async' | 'sync';
  ordersPerBatch: number;
  callers: number;
  orders: number;
}

/** Orders of a full run, enough for several seconds. */
const ORDERS: Record<number, number> = { 1: 4_000, 10: 16_000, 100: 40_000, 1000: 60_000, 2000: 80_000 };

/** From the first HTTP call until the last order is applied. */
export const orderMeasures: Measure[] = [
  ...[1, 10, 100, 1_000, 2_000].map((size) => measure(async(size, 8))),
  ...[1, 10].map((size) => measure(async(size, 64))),
  measure({ ...async(1, 8), mode: 'sync', orders: 2_000 }),
  measure({ ...async(1, 64), mode: 'sync', orders: 3_000 }),
  measure({ ...async(100, 8), mode: 'sync', orders: 30_000 }),
  measure(async(100, 8), { queue: 'postgres' }, '-postgres'),
  ...[2, 3, 4].map((workers) => measure(async(100, 8), { workers }, `-workers${workers}`)),
];

export function async(ordersPerBatch: number, callers: number): Sending {
  return { mode: 'async', ordersPerBatch, callers, orders: ORDERS[ordersPerBatch]! };
}

function measure(sending: Sending, shape: Shape = {}, suffix = ''): Measure {
  return {
    name: `${sending.mode}-${sending.ordersPerBatch}x${sending.callers}${suffix}`,
    of: 'service',
    run: (bench, edition) =>
      withDeployment(bench, edition, shape, (deployment) => measureOrders(bench, deployment, sending)),
  };
}

/** Measures orders a second until applied, and the processor time that an order takes in each process. */
export async function measureOrders(
  bench: Bench,
  deployment: Deployment,
  { mode, ordersPerBatch, callers, orders }: Sending,
  sender?: Sender,
): Promise<Figures> {
  await warmUp(bench, deployment, mode, Math.min(ordersPerBatch, 100));
  const batches = scaled(bench, orders / ordersPerBatch, Math.min(callers, 8));
  const work = deployment.batches(batches, ordersPerBatch, mode, { kind: 'callers', callers }, sender);
  const load = await prepareLoad(work);
  const readCosts = await startMeter(bench.machine, { API: [deployment.api], worker: deployment.workers });
  const sent = await load.run();
  const appliedMs = mode === 'sync' ? sent.endedMs : await deployment.untilApplied();
  const count = batches * ordersPerBatch;
  const costs = await readCosts(count, sent.processorMicros);
  await deployment.assertApplied(work.requests.tag, count);
  return { 'orders/s': count / ((appliedMs - sent.startedMs) / 1_000), ...costs };
}

/** Sends some batches, so that a new process compiles its code and opens its connections. */
export async function warmUp(
  bench: Bench,
  deployment: Deployment,
  mode: 'async' | 'sync',
  ordersPerBatch: number,
): Promise<void> {
  const batches = scaled(bench, Math.max(40, 1_000 / ordersPerBatch), 8);
  const work = deployment.batches(batches, ordersPerBatch, mode, { kind: 'callers', callers: 8 });
  await (await prepareLoad(work)).run();
  await deployment.untilApplied();
}
