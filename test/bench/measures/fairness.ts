import { setTimeout as delay } from 'node:timers/promises';
import { dataOf } from '../../harness/api.ts';
import { batchOf, newAssetNum, newBuy } from '../../harness/orders/orders.ts';
import { syncOf } from '../../harness/orders/sync-batches.ts';
import { createSender, type Deployment, type Sender, startDeployment, warmUp } from '../deployment.ts';
import { type Bench, type Figures, type Measure, quantile, quantiles, scaled } from '../measure.ts';
import { acceptWhileSuspended } from './orders.ts';

const ORDERS = 100_000;
const CUSTOMERS = 500;
const NEIGHBORS_CUSTOMERS = 20;
const IDLE_MS = 10_000;
const WARM_UP_MS = 1_000;
/** Calls begin at this interval, whether or not earlier ones have been answered. Kinds take turns. */
const CALL_EVERY_MS = 25;
/** Drains of more orders count as drains of the backlog. */
const MOST_ORDERS_OF_NEIGHBOR = 20;

const CALL_KINDS = ['batch', 'sync', 'poll', 'preview'] as const;
type CallKind = (typeof CALL_KINDS)[number];
/** Calls of an application with little traffic. Each lasts until its result is available. */
type Calls = Record<CallKind, () => Promise<unknown>>;

/** What a backlog of a channel means for another channel with little traffic, and for its own sync calls. */
export const fairnessMeasures: Measure[] = [
  { name: 'fairness', run: measureNeighbor },
  { name: 'sync-own-backlog', run: measureOwn },
];

async function prepareCalls({ caller, customers }: Sender): Promise<Calls> {
  let sent = 0;
  const order = () => newBuy(customers[sent++ % customers.length]!, [newAssetNum()]);
  const completed = batchOf(order());
  await caller.process(completed);
  const query = { channelCode: completed.channelCode, channelOrderId: completed.channelOrderId };
  return {
    batch: () => caller.process(batchOf(order(), order())),
    sync: () => caller.carryOut(order()),
    poll: async () => dataOf(await caller.ask('getBatchResult', { query })),
    preview: () => caller.preview(batchOf(order())),
  };
}

async function measureNeighbor(bench: Bench): Promise<Figures> {
  await using deployment = await startDeployment(bench, { workers: 2 });
  const sender = await createSender(deployment, 'bench', scaled(bench, CUSTOMERS, NEIGHBORS_CUSTOMERS));
  const small = await prepareCalls(await createSender(deployment, 'test', NEIGHBORS_CUSTOMERS));
  await warmUp(bench, deployment, 'async', 100);
  await callMeanwhile(small, () => delay(scaled(bench, WARM_UP_MS, 200)));
  const { times: idle } = await callMeanwhile(small, () => delay(scaled(bench, IDLE_MS, 1_000)));
  // Drained without neighbors, half before and half after, so that a change of the machine's speed affects both.
  const aloneBefore = await (await acceptWhileSuspended(bench, deployment, ORDERS / 2, sender)).drain();
  const backlog = await acceptWhileSuspended(bench, deployment, ORDERS, sender);
  const readDrains = noteDrains(deployment);
  const { result: beside, times, refused } = await callMeanwhile(small, backlog.drain);
  const drainMs = quantile(readDrains(), 0.5);
  const aloneAfter = await (await acceptWhileSuspended(bench, deployment, ORDERS / 2, sender)).drain();
  const aloneRate = (aloneBefore.rate + aloneAfter.rate) / 2;
  const figures: Figures = {
    'backlog alone orders/s': aloneRate,
    'backlog orders/s': beside.rate,
    'backlog ÷ alone': beside.rate / aloneRate,
    'one drain p50 ms': drainMs,
    refused,
  };
  for (const kind of CALL_KINDS) {
    const [idleP95, p95, longest] = [quantile(idle[kind], 0.95), quantile(times[kind], 0.95), quantile(times[kind], 1)];
    Object.assign(figures, {
      ...quantiles(`${kind} idle`, idle[kind], [0.5, 0.95]),
      ...quantiles(kind, times[kind], [0.5, 0.95, 1]),
      [`${kind} p95 ÷ (3 × idle p95 + one drain)`]: p95 / (3 * idleP95 + drainMs),
      [`${kind} longest ÷ time to drain the backlog`]: longest / (beside.seconds * 1_000),
    });
  }
  return figures;
}

/** Sends a sync call when workers begin to drain their channel's backlog. */
async function measureOwn(bench: Bench): Promise<Figures> {
  await using deployment = await startDeployment(bench, { workers: 2 });
  const sender = await createSender(deployment, 'bench', scaled(bench, CUSTOMERS, NEIGHBORS_CUSTOMERS));
  await warmUp(bench, deployment, 'sync', 10);
  const { drain } = await acceptWhileSuspended(bench, deployment, ORDERS, sender);
  const startedMs = performance.now();
  const draining = drain();
  const batch = { ...syncOf(newBuy(sender.customers[0]!, [newAssetNum()])), channelCode: 'bench' };
  const { body } = await sender.caller.submit(batch);
  const seconds = (performance.now() - startedMs) / 1_000;
  return { 'answered s': seconds, refused: body.code === 0 ? 0 : 1, 'drained s': (await draining).seconds };
}

/**
 * Sends small batches of two orders, sync calls, polls and previews while `work` runs, ten of each kind a second.
 * Returns how long each took. A batch takes from its call until the client knows that it is completed.
 */
async function callMeanwhile<Result>(calls: Calls, work: () => Promise<Result>) {
  const times = Object.fromEntries(CALL_KINDS.map((kind) => [kind, []])) as unknown as Record<CallKind, number[]>;
  let refused = 0;
  const call = async (kind: CallKind) => {
    const startedMs = performance.now();
    await calls[kind]().catch(() => refused++);
    times[kind].push(performance.now() - startedMs);
  };
  const running: Promise<void>[] = [];
  const callNext = () => running.push(call(CALL_KINDS[running.length % CALL_KINDS.length]!));
  const timer = setInterval(callNext, CALL_EVERY_MS);
  const result = await work();
  clearInterval(timer);
  await Promise.all(running);
  return { result, times, refused };
}

/** Returns a function that reads from the workers' logs how long each drain of the backlog took since, in ms. */
function noteDrains({ workers }: Deployment): () => number[] {
  const lengths = workers.map(({ readLog }) => readLog().length);
  return () =>
    workers
      .flatMap(({ readLog }, index) => readLog().slice(lengths[index]).split('\n'))
      .filter((line) => line.includes('"msg":"drained"'))
      .map((line) => JSON.parse(line) as { ms: number; orders: number })
      .flatMap(({ ms, orders }) => (orders > MOST_ORDERS_OF_NEIGHBOR ? [ms] : []));
}
