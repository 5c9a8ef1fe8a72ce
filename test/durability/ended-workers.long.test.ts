import { QUEUE_NAME } from '@lockstep/orders';
import { openPostgresQueue, openRedisQueue } from '@lockstep/platform/testing';
import { sql } from 'kysely';
import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import { Pause } from '../harness/databases/pause.ts';
import { batchOf, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { testDeployment } from '../harness/processes/deployment.ts';
import { ServiceProcess } from '../harness/processes/service-process.ts';
import { QUEUE_KINDS, type QueueKind } from '../harness/stack.ts';

const BATCHES = 30;
const ORDERS_PER_BATCH = 1_000;
const CUSTOMERS = 30;
/** How much later a busy worker logs what it has done. */
const LOG_DELAY_MS = 100;
const WAIT = { timeout: 60_000, interval: 20 };

/** The backlog of a deployment, and its workers. */
type Backlog = Awaited<ReturnType<typeof acceptBacklog>>;
let backlog: Backlog;
afterEach(() => backlog.close());

describe.each(QUEUE_KINDS)('workers with a backlog on %s', (queue) => {
  it('leave pending orders to others at once, whether they stop or are killed', async () => {
    const tell = (what: string, figures: object) =>
      process.stdout.write(`A worker on ${queue} is ${what}: ${JSON.stringify(figures)}\n`);
    backlog = await acceptBacklog(queue);
    const [stopped, other] = [backlog.newWorker(), backlog.newWorker()];
    await other.start();
    const idle = new Pause([other.pid]);
    try {
      await backlog.accept();
      await stopped.start();
      await vi.waitUntil(() => drains(stopped).length > 2, WAIT);
    } finally {
      idle.end();
    }
    const signalled = Date.now();
    expect(await stopped.stop()).toBe(0);
    const ended = Date.now();
    const jobsLeftActive = await backlog.countActiveJobs(stopped);
    await vi.waitUntil(() => drains(other).length > 0, WAIT);
    const figures = {
      appliedAfterSignal: drains(stopped, signalled).reduce((sum, { orders }) => sum + orders, 0),
      secondsUntilEnd: (ended - signalled) / 1_000,
      ...firstDrain(other, signalled),
      jobsLeftActive,
    };
    tell('stopped', figures);
    expect(stopped.linesWith('queue close failed')).toEqual([]);
    expect(figures.jobsLeftActive).toBe(0);
    const [stopping] = stopped.linesWith('"stopping"').map((line) => JSON.parse(line) as { time: number });
    expect(drains(stopped).filter(({ time, ms }) => time - ms > stopping!.time + LOG_DELAY_MS)).toEqual([]);
    // The next drain can start when the first running one has ended, however long the machine takes for that.
    const lanesFree = drains(stopped, signalled)[0]?.time ?? signalled;
    expect(signalled + 1_000 * figures.otherBeginsAfter - lanesFree).toBeLessThan(2_000);

    const next = backlog.newWorker();
    const killed = Date.now();
    await other.kill();
    await next.start();
    const started = Date.now();
    await vi.waitUntil(() => drains(next).length > 0, WAIT);
    const otherIsReadyAfter = (started - killed) / 1_000;
    const { otherBeginsAfter, otherAppliesAfter } = firstDrain(next, killed);
    tell('killed', { otherIsReadyAfter, otherBeginsAfter, otherAppliesAfter });
    // A process starts in one or two seconds, but takes longer on a busy machine.
    expect(otherBeginsAfter - otherIsReadyAfter).toBeLessThan(2);

    await backlog.applied();
  });
});

/** Returns a worker's logged drains since a time of Date.now. */
const drains = (worker: ServiceProcess, since = 0) =>
  worker
    .linesWith('"drained"')
    .map((line) => JSON.parse(line) as { time: number; orders: number; ms: number })
    .filter(({ time }) => time > since);

/**
 * Returns how many seconds after a time of Date.now a worker starts its first drain, and how many until it is applied.
 */
function firstDrain(worker: ServiceProcess, since: number) {
  const { time, ms } = drains(worker)[0]!;
  return { otherBeginsAfter: (time - ms - since) / 1_000, otherAppliesAfter: (time - since) / 1_000 };
}

async function acceptBacklog(queue: QueueKind) {
  const redisUrl = `${inject('redisUrl')}/9`;
  const REDIS_URL = queue === 'redis' ? redisUrl : '';
  const { database, api: caller } = await testDeployment({ workers: 0, env: { REDIS_URL } });
  const { db, url } = database;
  const env = { DATABASE_URL: url, REDIS_URL };
  const jobs =
    queue === 'redis'
      ? openRedisQueue({ kind: queue, url: redisUrl }, QUEUE_NAME, () => {})
      : openPostgresQueue(url, QUEUE_NAME, () => {});
  const processes: ServiceProcess[] = [];
  const customers = await Promise.all(Array.from({ length: CUSTOMERS }, () => caller.newCustomer()));
  const orders = () =>
    Array.from({ length: ORDERS_PER_BATCH }, (_, index) => newBuy(customers[index % CUSTOMERS]!, [newAssetNum()]));
  const accept = async () => {
    for (let sent = 0; sent < BATCHES; sent++) await caller.accept(batchOf(...orders()));
  };

  return {
    accept,
    newWorker() {
      const worker = ServiceProcess.worker(env);
      processes.push(worker);
      return worker;
    },
    /** Counts the jobs that a worker has taken and not returned. */
    async countActiveJobs(worker: ServiceProcess) {
      const active = await jobs.queue.getJobs(['active']);
      return active.filter(({ processedBy }) => processedBy?.endsWith(`:${worker.pid}`)).length;
    },
    /** Waits until the backlog is applied, each order once. */
    async applied() {
      const expected = { orders: BATCHES * ORDERS_PER_BATCH, failed: 0 };
      await vi.waitFor(async () => {
        const { rows } = await sql<typeof expected>`
          select count(*)::int as orders, count(cause)::int as failed from license_order`.execute(db);
        expect(rows[0]).toEqual(expected);
      }, WAIT);
    },
    async close() {
      await Promise.all(processes.map((part) => part.stop()));
      if (queue === 'redis') await jobs.queue.obliterate({ force: true });
      await jobs.close();
    },
  };
}
