import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { type Deployment, withDeployment } from '../deployment.ts';
import { prepareLoad } from '../load/load.ts';
import { startMeter } from '../report/costs.ts';
import type { Edition } from '../report/edition.ts';
import { type Bench, type Figures, type Measure, quantile, scaled } from './measure.ts';
import { warmUp } from './orders.ts';

const ORDERS = 60_000;
const LARGE_ORDERS = 240_000;
const ORDERS_PER_BATCH = 100;
const CALLERS = 8;
const SAMPLE_EVERY_MS = 10;

/** Accepting orders while the workers are suspended, then draining them with one to four workers. */
export const backlogMeasures: Measure[] = [1, 2, 3, 4].map((workers) => ({
  name: `backlog-workers${workers}`,
  of: 'service',
  run: (bench, edition) => measureBacklog(bench, edition, workers),
}));

function measureBacklog(bench: Bench, edition: Edition, workers: number): Promise<Figures> {
  return withDeployment(bench, edition, { workers }, async (deployment) => {
    // A worker's code is compiled after a few thousand orders, so warm up once for each worker.
    for (let nth = 0; nth < workers; nth++) await warmUp(bench, deployment, 'async', ORDERS_PER_BATCH);
    const batches = scaled(bench, (bench.large ? LARGE_ORDERS : ORDERS) / ORDERS_PER_BATCH, 3 * CALLERS);
    const work = deployment.batches(batches, ORDERS_PER_BATCH, 'async', { kind: 'callers', callers: CALLERS });
    const load = await prepareLoad(work);
    const orders = batches * ORDERS_PER_BATCH;
    // Suspend the workers; stopping them would add their start to the drain.
    for (const worker of deployment.workers) worker.pause();
    const readAcceptCosts = await startMeter(bench.machine, { API: [deployment.api] });
    const { startedMs, endedMs, processorMicros } = await load.run();
    const acceptCosts = await readAcceptCosts(orders, processorMicros);
    const drained = await measureDrain(bench, deployment, orders);
    await deployment.assertApplied(work.requests.tag, orders);
    const accepting = Object.entries(acceptCosts).map(([name, value]) => [`accepting: ${name}`, value] as const);
    return { 'accepted/s': orders / ((endedMs - startedMs) / 1_000), ...Object.fromEntries(accepting), ...drained };
  });
}

async function measureDrain(bench: Bench, deployment: Deployment, orders: number): Promise<Figures> {
  const readCosts = await startMeter(bench.machine, { worker: deployment.workers });
  const endSampling = sampleDrains(deployment.db);
  const startedMs = performance.timeOrigin + performance.now();
  for (const worker of deployment.workers) worker.resume();
  const drainedMs = await deployment.untilApplied();
  const atOnce = await endSampling();
  const { 'load µs': _, ...costs } = await readCosts(orders);
  return {
    'drained/s': orders / ((drainedMs - startedMs) / 1_000),
    'drains at once, median': quantile(atOnce, 0.5),
    'drains at once, most': Math.max(0, ...atOnce),
    ...costs,
  };
}

/** Samples how many transactions of workers are open. The returned function stops that and returns the samples. */
function sampleDrains(db: pg.Pool): () => Promise<number[]> {
  const samples: number[] = [];
  let isOver = false;
  const sampling = (async () => {
    while (!isOver) {
      const { rows } = await db.query<{ drains: number }>({
        name: 'drains',
        text: `select count(*)::int as drains from pg_stat_activity
          where application_name = 'lockstep-worker' and datname = current_database() and backend_xid is not null`,
        values: [],
      });
      samples.push(rows[0]!.drains);
      await delay(SAMPLE_EVERY_MS);
    }
  })();
  return async () => {
    isOver = true;
    await sampling;
    return samples;
  };
}
