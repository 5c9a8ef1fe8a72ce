import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { type Deployment, withDeployment } from '../deployment.ts';
import { CALL_KINDS, callMeanwhile, prepareNeighbor } from '../load/neighbor-calls.ts';
import { createBoundSender, createO2Sender, type Sender } from '../load/senders.ts';
import { acceptWhileSuspended } from '../load/suspended-workers.ts';
import { startMeter } from '../report/costs.ts';
import { type Bench, type Figures, type Measure, quantile, scaled } from './measure.ts';
import { warmUp } from './orders.ts';

const ORDERS = 100_000;
const LARGE_ORDERS = 1_000_000;
/** Drained without neighbors, half before and half after, so that a change of the machine's speed affects both. */
const ALONE_ORDERS = 100_000;
const IDLE_MS = 10_000;
const WARM_UP_MS = 1_000;
const CUSTOMERS = 500;
const NEIGHBORS_CUSTOMERS = 20;
/** Drains of more orders count as drains of the backlog. */
const MOST_ORDERS_OF_NEIGHBOR = 20;

/**
 * How a backlog of one application affects the calls of another with little traffic, and vice versa. In `fairness`,
 * each is bound to its own channel. In `fairness-o2`, neither is bound, and O2 gives both customers of the channels
 * `crm` and `industry`.
 */
export const fairnessMeasures: Measure[] = [
  fairness('fairness', async (deployment, customers) => [
    await createBoundSender(deployment, 'bench', customers),
    await createBoundSender(deployment, 'test', NEIGHBORS_CUSTOMERS),
  ]),
  fairness('fairness-o2', async (deployment, customers) => [
    await createO2Sender(deployment, customers),
    await createO2Sender(deployment, NEIGHBORS_CUSTOMERS),
  ]),
];

function fairness(
  name: string,
  createSenders: (deployment: Deployment, customers: number) => Promise<[Sender, Sender]>,
): Measure {
  return {
    name,
    of: 'service',
    run: (bench, edition) =>
      withDeployment(bench, edition, { workers: 2 }, async (deployment) =>
        measure(bench, deployment, ...(await createSenders(deployment, scaled(bench, CUSTOMERS, NEIGHBORS_CUSTOMERS)))),
      ),
  };
}

async function measure(bench: Bench, deployment: Deployment, sender: Sender, small: Sender): Promise<Figures> {
  await warmUp(bench, deployment, 'async', 100);
  const neighbor = await prepareNeighbor(small);
  await callMeanwhile(neighbor, () => delay(scaled(bench, WARM_UP_MS, 200)));
  const readShare = await meterShare(bench, deployment);
  const { calls: idle } = await callMeanwhile(neighbor, () => delay(scaled(bench, IDLE_MS, 1_000)));
  const neighborShare = await readShare();
  const accept = (orders: number) => acceptWhileSuspended(bench, deployment, orders, sender);
  const aloneBefore = await timeDrain(await accept(ALONE_ORDERS / 2));
  const backlog = await accept(bench.large ? LARGE_ORDERS : ORDERS);
  const readDrains = noteDrains(deployment);
  const { result: beside, calls } = await callMeanwhile(neighbor, () => timeDrain(backlog));
  const drains = readDrains();
  const aloneAfter = await timeDrain(await accept(ALONE_ORDERS / 2));
  const aloneRate = (aloneBefore.orders + aloneAfter.orders) / (aloneBefore.seconds + aloneAfter.seconds);
  const besideRate = beside.orders / beside.seconds;
  const drainMs = quantile(
    drains.map(({ ms }) => ms),
    0.5,
  );
  const figures: Figures = {
    'backlog alone orders/s': aloneRate,
    'backlog orders/s': besideRate,
    'backlog ÷ alone': besideRate / aloneRate,
    "neighbor's share of the cores": neighborShare,
    'backlog ÷ alone on the cores left by the neighbor': besideRate / (aloneRate * (1 - neighborShare)),
    'one drain p50 ms': drainMs,
    'one drain longest ms': Math.max(0, ...drains.map(({ ms }) => ms)),
    'one drain p50 orders': quantile(
      drains.map(({ orders }) => orders),
      0.5,
    ),
  };
  for (const kind of CALL_KINDS) {
    const { times, refused } = calls[kind];
    const [idleP50, idleP95] = [quantile(idle[kind].times, 0.5), quantile(idle[kind].times, 0.95)];
    const [p50, p95, longest] = [quantile(times, 0.5), quantile(times, 0.95), quantile(times, 1)];
    Object.assign(figures, {
      [`${kind} idle p50 ms`]: idleP50,
      [`${kind} idle p95 ms`]: idleP95,
      [`${kind} p50 ms`]: p50,
      [`${kind} p95 ms`]: p95,
      [`${kind} longest ms`]: longest,
      [`${kind} p50 ÷ idle`]: p50 / idleP50,
      [`${kind} p95 ÷ idle`]: p95 / idleP95,
      [`${kind} p95 ÷ (3 × idle p95 + one drain)`]: p95 / (3 * idleP95 + drainMs),
      [`${kind} longest ÷ time to drain the backlog`]: longest / (beside.seconds * 1_000),
      [`${kind} refused`]: refused,
    });
  }
  return figures;
}

/**
 * Returns a function that returns the share of the machine's processors that the service and its callers have used
 * since.
 */
async function meterShare({ machine }: Bench, { api, workers }: Deployment): Promise<() => Promise<number>> {
  const startedMs = performance.now();
  const ownBefore = process.cpuUsage();
  const readCosts = await startMeter(machine, { API: [api], worker: workers });
  return async () => {
    const { user, system } = process.cpuUsage(ownBefore);
    const { 'WAL bytes': _, ...micros } = await readCosts(1, user + system);
    const used = Object.values(micros).reduce((sum, each) => sum + each);
    return used / ((performance.now() - startedMs) * 1_000 * availableParallelism());
  };
}

async function timeDrain({ orders, drain }: Awaited<ReturnType<typeof acceptWhileSuspended>>) {
  const { startedMs, drainedMs } = await drain();
  return { orders, seconds: (drainedMs - startedMs) / 1_000 };
}

/** Returns a function that reads, from the workers' logs, the backlog drains since. */
function noteDrains({ workers }: Deployment): () => { ms: number; orders: number }[] {
  const lengths = workers.map(({ log }) => log.length);
  return () =>
    workers
      .flatMap(({ log }, index) => log.slice(lengths[index]).split('\n'))
      .filter((line) => line.includes('"msg":"drained"'))
      .map((line) => JSON.parse(line))
      .filter(({ orders }) => orders > MOST_ORDERS_OF_NEIGHBOR);
}
