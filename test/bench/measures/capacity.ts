import { type Deployment, withDeployment } from '../deployment.ts';
import { sampleConnections } from '../load/connections.ts';
import { CountingProxy } from '../load/counting-proxy.ts';
import { prepareLoad, runLoad } from '../load/load.ts';
import { openPool } from '../load/open-pool.ts';
import { startMeter } from '../report/costs.ts';
import type { Edition } from '../report/edition.ts';
import { readPeakMebibytes } from '../report/processor-time.ts';
import { Standby } from '../report/standby.ts';
import { growthOf, readStorage, type TableStorage } from '../report/storage.ts';
import { type Bench, type Figures, scaled } from './measure.ts';
import { type Sending, warmUp } from './orders.ts';
import { measurePolls } from './polls.ts';

const POLLERS = 64;
const SYNC_CALLERS = 64;
const SYNC_BATCHES = 1_000;

/** What an order costs in batches of one size, and by how much it grows each table. */
export interface OrderCosts {
  figures: Figures;
  growth: TableStorage[];
}

/**
 * Measures processor time, WAL, disk space and Redis traffic of an order. It sends as many orders first, so that
 * one-time costs and reused space don't count.
 */
export function measureOrderCosts(bench: Bench, edition: Edition, sending: Sending): Promise<OrderCosts> {
  return withDeployment(bench, edition, {}, async (deployment) => {
    await warmUp(bench, deployment, 'async', Math.min(sending.ordersPerBatch, 100));
    await sendAll(bench, deployment, sending);
    const before = await readVacuumed(bench, deployment);
    await bench.machine.settle();
    const readCosts = await startMeter(bench.machine, { API: [deployment.api], worker: deployment.workers });
    const usedBefore = await bench.machine.readUsage();
    const { orders, sentBytes, seconds } = await sendAll(bench, deployment, sending);
    const used = await bench.machine.readUsage();
    const { 'load µs': _, ...costs } = await readCosts(orders);
    const growth = growthOf(before, await readVacuumed(bench, deployment), orders);
    return {
      figures: {
        'orders/s': orders / seconds,
        ...costs,
        'WAL full pages': (used.walFullPages - usedBefore.walFullPages) / orders,
        'HTTP bytes': sentBytes / orders,
        'Redis commands': (used.redisCommands - usedBefore.redisCommands) / orders,
        'Redis bytes': (used.redisBytes - usedBefore.redisBytes) / orders,
        'stored bytes': sumOf(growth),
      },
      growth,
    };
  });
}

/** Measures the bytes that an order sends between the processes and PostgreSQL, in both directions. */
export async function measureDatabaseTraffic(bench: Bench, edition: Edition, sending: Sending): Promise<Figures> {
  const databaseUrl = await bench.machine.createDatabase(edition.template);
  const proxy = await CountingProxy.start(Number(new URL(databaseUrl).port));
  try {
    const reachedAt = (url: string) => proxy.reachedAt(url);
    return await withDeployment(bench, edition, { databaseUrl, reachedAt }, async (deployment) => {
      await warmUp(bench, deployment, 'async', Math.min(sending.ordersPerBatch, 100));
      const before = proxy.bytes;
      const { orders } = await sendAll(bench, deployment, sending);
      return { 'PostgreSQL bytes': (proxy.bytes - before) / orders };
    });
  } finally {
    proxy.stop();
    await bench.machine.dropDatabase(databaseUrl);
  }
}

/** Measures the processor time of a streaming standby for an order. */
export async function measureReplay(bench: Bench, edition: Edition, sending: Sending): Promise<Figures> {
  const standby = await Standby.start(bench.machine);
  try {
    return await withDeployment(bench, edition, {}, async (deployment) => {
      await warmUp(bench, deployment, 'async', Math.min(sending.ordersPerBatch, 100));
      await standby.untilCaughtUp();
      const before = standby.readMicros();
      const { orders } = await sendAll(bench, deployment, sending);
      await standby.untilCaughtUp();
      return { 'standby µs': (standby.readMicros() - before) / orders };
    });
  } finally {
    await standby.remove();
  }
}

/** Measures the PostgreSQL connections and memory of each process under calls of every kind, and the cost of a poll. */
export function measureProcesses(bench: Bench, edition: Edition): Promise<Figures> {
  return withDeployment(bench, edition, {}, async (deployment) => {
    const [worker] = deployment.workers;
    const endSampling = sampleConnections(deployment.db, [deployment.api.pid, worker!.pid]);
    const callers = { kind: 'callers', callers: SYNC_CALLERS } as const;
    const syncBatches = scaled(bench, SYNC_BATCHES, SYNC_CALLERS);
    await Promise.all([
      runLoad(deployment.batches(syncBatches, 1, 'sync', callers)),
      runLoad(deployment.batches(syncBatches, 1, 'async', callers)),
    ]);
    await deployment.untilCompleted();
    const polls = await measurePolls(bench, deployment, POLLERS);
    const connections = await endSampling();
    return {
      'API connections': connections.get(deployment.api.pid)!,
      'worker connections': connections.get(worker!.pid)!,
      'API MiB': readPeakMebibytes(deployment.api.pid),
      'worker MiB': readPeakMebibytes(worker!.pid),
      'poll API µs': polls['server µs']!,
      'poll PostgreSQL µs': polls['PostgreSQL µs']!,
    };
  });
}

/** Sends all batches and waits until they are completed. */
async function sendAll(bench: Bench, deployment: Deployment, { ordersPerBatch, callers, orders }: Sending) {
  const batches = scaled(bench, orders / ordersPerBatch, Math.min(callers, 8));
  const work = deployment.batches(batches, ordersPerBatch, 'async', { kind: 'callers', callers });
  const sent = await (await prepareLoad(work)).run();
  const appliedMs = await deployment.untilApplied();
  const count = batches * ordersPerBatch;
  await deployment.assertApplied(work.requests.tag, count);
  await deployment.untilCompleted();
  return { orders: count, sentBytes: sent.sentBytes, seconds: (appliedMs - sent.startedMs) / 1_000 };
}

/** Reads the sizes of tables after a vacuum, so that dead rows leave reusable space. */
async function readVacuumed(bench: Bench, deployment: Deployment): Promise<TableStorage[]> {
  const db = openPool(bench.machine.superuserUrlOf(deployment.databaseUrl), 1);
  try {
    await db.query('vacuum (analyze)');
    return await readStorage(db);
  } finally {
    await db.end();
  }
}

function sumOf(growth: readonly TableStorage[]): number {
  return growth.reduce((sum, { tableBytes, indexBytes }) => sum + tableBytes + indexBytes, 0);
}
