import { HEAP_OF_512_MIB, readMebibytes } from '../../harness/processes/service-process.ts';
import { type Deployment, type Sender, startDeployment, warmUp } from '../deployment.ts';
import { type Batches, nowMs, runLoad } from '../load.ts';
import { type Bench, type Figures, type Measure, scaled } from '../measure.ts';

/** How to send batches, and how many orders a full run sends. */
export type Sending = Omit<Batches, 'count'> & { orders: number };

export const SINGLES: Sending = { mode: 'async', size: 1, pace: { callers: 64 }, orders: 4_000 };
export const HUNDREDS: Sending = { mode: 'async', size: 100, pace: { callers: 8 }, orders: 40_000 };
const CALLS_AT_ONCE = 16;
const BACKLOG_ORDERS = 60_000;

/** What orders cost, from the first call until the last order is applied, or in a backlog. */
export const orderMeasures: Measure[] = [
  measureSending(SINGLES),
  measureSending(HUNDREDS),
  measureSending({ ...SINGLES, mode: 'sync' }),
  measureSending({ ...HUNDREDS, mode: 'sync' }),
  { name: 'backlog-workers1', run: (bench) => measureBacklog(bench, 1) },
  { name: 'backlog-workers4', run: (bench) => measureBacklog(bench, 4) },
  { name: 'memory', run: measureMemory },
];

function measureSending(sending: Sending): Measure {
  return {
    name: `${sending.mode}-${sending.size}x${sending.pace.callers}`,
    async run(bench) {
      await using deployment = await startDeployment(bench);
      await warmUp(bench, deployment, sending.mode, sending.size);
      return await measureOrders(bench, deployment, sending);
    },
  };
}

/** Returns how many batches this run sends. */
export function countOf(bench: Bench, { size, pace, orders }: Sending): number {
  return scaled(bench, orders / size, Math.min(pace.callers, 8));
}

/** Measures orders a second until applied, and what an order costs. */
export async function measureOrders(bench: Bench, deployment: Deployment, sending: Sending): Promise<Figures> {
  const load = deployment.batches({ ...sending, count: countOf(bench, sending) });
  const readCosts = await bench.machine.startMeter({ API: [deployment.api], worker: deployment.workers });
  const { startedMs, micros } = await runLoad(load);
  const seconds = ((await deployment.untilApplied(load.tag)) - startedMs) / 1_000;
  const costs = await readCosts(load.orders);
  await deployment.assertApplied(load.tag, load.orders);
  return { 'orders/s': load.orders / seconds, ...costs, 'load µs': micros / load.orders };
}

/** Accepts orders while the workers are suspended, then drains them. */
async function measureBacklog(bench: Bench, workers: number): Promise<Figures> {
  await using deployment = await startDeployment(bench, { workers });
  // A worker's code is compiled after a few thousand orders, so warm up once for each worker.
  for (let nth = 0; nth < workers; nth++) await warmUp(bench, deployment, 'async', HUNDREDS.size);
  const { tag, orders, acceptedRate, drain } = await acceptWhileSuspended(bench, deployment, BACKLOG_ORDERS);
  const readCosts = await bench.machine.startMeter({ worker: deployment.workers });
  const { rate } = await drain();
  const costs = await readCosts(orders);
  await deployment.assertApplied(tag, orders);
  return { 'accepted/s': acceptedRate, 'drained/s': rate, ...costs };
}

/**
 * Has batches of 100 accepted while the workers are suspended; stopping them would add their start to the drain. The
 * returned `drain` resumes them and waits until these orders are applied.
 */
export async function acceptWhileSuspended(bench: Bench, deployment: Deployment, orders: number, sender?: Sender) {
  const count = scaled(bench, orders / HUNDREDS.size, 3 * HUNDREDS.pace.callers);
  const load = deployment.batches({ ...HUNDREDS, count }, sender);
  for (const worker of deployment.workers) worker.pause();
  const { rate } = await runLoad(load);
  return {
    ...load,
    acceptedRate: rate * HUNDREDS.size,
    async drain() {
      const startedMs = nowMs();
      for (const worker of deployment.workers) worker.resume();
      const seconds = ((await deployment.untilApplied(load.tag)) - startedMs) / 1_000;
      return { seconds, rate: load.orders / seconds };
    },
  };
}

/** Peak resident memory of each process with the heap that it gets in 512 MiB, at 16 calls of 2,000 orders at once. */
async function measureMemory(bench: Bench): Promise<Figures> {
  await using deployment = await startDeployment(bench, { nodeOptions: HEAP_OF_512_MIB });
  const size = scaled(bench, 2_000);
  const pace = { callers: CALLS_AT_ONCE };
  const applied = await measureOrders(bench, deployment, { mode: 'async', size, pace, orders: CALLS_AT_ONCE * size });
  const [api, worker] = [deployment.api, ...deployment.workers].map(({ pid }) => readMebibytes(pid, 'VmHWM'));
  return { 'API MiB': api!, 'worker MiB': worker!, ...applied };
}
