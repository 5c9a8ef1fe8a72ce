import { join } from 'node:path';
import { QUEUE_NAME } from '@lockstep/orders';
import { createLogger, JobQueue } from '@lockstep/platform';
import { afterAll, describe, expect, inject, it, vi } from 'vitest';
import { batchOf, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { testDeployment } from '../harness/processes/deployment.ts';
import { Load } from './load.ts';
import { type ClusterNode, RedisCluster } from './redis-cluster.ts';

/** Jobs are flowing once this many have been added and taken while the sweep drained no lane. */
const JOBS = 20;
/** Names of both workers, each a host and a process id. */
const WORKERS = [expect.stringMatching(/:\d+$/), expect.stringMatching(/:\d+$/)];
const PATIENTLY = { timeout: 60_000, interval: 50 };

describe('two APIs and two workers on a Redis Cluster, under load', async () => {
  const cluster = await RedisCluster.start(join(inject('directory'), 'redis-cluster'));
  afterAll(() => cluster.stop());
  const deployment = await testDeployment({ apis: 2, workers: 2, env: { REDIS_URL: cluster.url } });
  const { api, apis, workers, probes, readiness } = deployment;

  it('use the replica after the master of the queue is killed', async () => {
    await underLoad('master killed', async () => {
      await untilJobsFlow();
      const master = await cluster.masterOf(LAST_ID);
      await master.kill();
      const other = await untilAnotherMasterThan(master);
      await untilJobsFlow();
      expect(await cluster.masterOf(LAST_ID)).toBe(other);
      await master.start();
      await cluster.untilWhole();
    });
  });

  it('use the replica while the master of the queue hangs with open connections', async () => {
    await underLoad('master hung', async () => {
      const master = await cluster.masterOf(LAST_ID);
      master.hang(true);
      try {
        await untilAnotherMasterThan(master);
        await untilJobsFlow();
      } finally {
        master.hang(false);
      }
      await cluster.untilWhole();
    });
  });

  it('follow the queue when its slot moves to another master and back', async () => {
    await underLoad('slot moved twice', async () => {
      const home = await cluster.masterOf(LAST_ID);
      const [other] = await cluster.otherMastersThan(LAST_ID);
      for (const master of [other!, home]) {
        expect(await cluster.moveSlotOf(LAST_ID, master)).toBeGreaterThan(0);
        await untilJobsFlow();
        expect(await cluster.masterOf(LAST_ID)).toBe(master);
      }
    });
  });

  it('accept and apply orders without a quorum, and use the queue again once the cluster recovers', async () => {
    const customer = await api.newCustomer();
    await underLoad('no quorum', async () => {
      const home = await cluster.masterOf(LAST_ID);
      const [other] = await cluster.otherMastersThan(LAST_ID);
      const dead = [home, other!];
      await Promise.all(dead.map((node) => node.kill()));
      try {
        await vi.waitFor(async () => expect(await readiness()).toEqual(ready('down')), PATIENTLY);
        // A worker must be able to stop and start without the cluster.
        const [worker] = workers;
        expect(await worker!.stop()).toBe(0);
        await worker!.start();
        // Calls are answered, and the sweep finds orders that have no job.
        const taken = await countTaken();
        for (let batch = 0; batch < 3; batch++) {
          expect(await api.process(batchOf(newBuy(customer, [newAssetNum()])))).toMatchObject([{ state: 'succeeded' }]);
        }
        expect(await countTaken()).toBe(taken);
        expect(await readiness()).toEqual(ready('down'));
        for (const probe of probes) expect((await fetch(`${probe}/health/ready`)).status).toBe(200);
      } finally {
        await Promise.all(dead.map((node) => node.start()));
      }
      await cluster.untilWhole();
      await untilJobsFlow();
      await vi.waitFor(async () => expect(await readiness()).toEqual(ready('up')), PATIENTLY);
    });
  });

  it('show the queue and both workers to operators', async () => {
    const log = createLogger({ name: 'test', level: 'silent', secrets: new Set() });
    const view = new JobQueue({ kind: 'redis', url: cluster.url }, QUEUE_NAME, log);
    try {
      await vi.waitFor(
        async () => expect(await view.look()).toMatchObject({ counts: { waiting: 0 }, workers: WORKERS }),
        PATIENTLY,
      );
    } finally {
      await view.close();
    }
  });

  it('log that the password is wrong without logging it', async () => {
    const lines: string[] = [];
    const log = createLogger(
      { name: 'test', level: 'info', secrets: new Set() },
      { write: (line) => void lines.push(line) },
    );
    const url = cluster.url.replace(cluster.password, 'hunter2');
    const producer = new JobQueue({ kind: 'redis', url }, QUEUE_NAME, log);
    await expect(producer.add({ type: 'never' })).rejects.toThrow();
    await producer.close();
    const line = lines.find((each) => each.includes('queue connection failed'));
    expect(line).toContain('WRONGPASS invalid username-password pair');
    expect(lines.join()).not.toContain('hunter2');
  });

  it('never log the password of the cluster', () => {
    const { processes } = deployment;
    expect(processes.flatMap((each) => each.linesWith(cluster.password))).toEqual([]);
    expect(processes[0]!.linesWith('enqueue failed')).not.toEqual([]);
  });

  const ready = (queue: string) => apis.map(() => ({ status: 200, body: { status: 'ready', database: 'up', queue } }));

  async function untilAnotherMasterThan(master: ClusterNode): Promise<ClusterNode> {
    return await vi.waitFor(async () => {
      const found = await cluster.masterOf(LAST_ID);
      if (found === master) throw new Error('No replica has taken over yet');
      return found;
    }, PATIENTLY);
  }

  /** Waits until jobs are added and taken. */
  async function untilJobsFlow(): Promise<void> {
    await vi.waitFor(async () => {
      const failures = await countEnqueueFailures();
      const [from, taken] = [await countJobs(), await countTaken()];
      await vi.waitFor(async () => expect(await countJobs()).toBeGreaterThan(from + JOBS), PATIENTLY);
      await vi.waitFor(async () => expect(await countWaiting()).toBe(0), { timeout: 5_000, interval: 5 });
      expect(await countTaken()).toBeGreaterThanOrEqual(taken + JOBS);
      expect(await countEnqueueFailures()).toBe(failures);
    }, PATIENTLY);
  }

  /** Number of jobs ever added to the queue. */
  const countJobs = async () => Number(await (await cluster.masterOf(LAST_ID)).ask('GET', LAST_ID));
  /** Number of jobs waiting in the queue. */
  const countWaiting = async () => Number(await (await cluster.masterOf(LAST_ID)).ask('LLEN', keyOf('wait')));
  const countEnqueueFailures = () =>
    sumCounters(
      apis.map(({ baseUrl }) => baseUrl),
      'lockstep_enqueue_failures_total',
    );
  /** Number of jobs that the workers took. */
  const countTaken = () => sumCounters(probes, 'lockstep_jobs_total');

  /**
   * Runs a task under load. Each batch must be accepted at once, whatever happens to the queue, and each order must
   * succeed once.
   */
  async function underLoad(what: string, task: () => Promise<void>): Promise<void> {
    const load = await Load.open(deployment.database.db, apis);
    const figures = await load.during(what, task);
    const { sent } = figures;
    // A busy machine may have no time to answer a sync call.
    expect(load.faults.filter(({ why }) => why !== 'outcome_unknown')).toEqual([]);
    expect(figures).toMatchObject({ acknowledged: sent, found: sent, failed: 0, numbersWrong: 0 });
  }
});

/** Returns a key of BullMQ. */
const keyOf = (name: string) => `bull:{${QUEUE_NAME}}:${name}`;

/** The last id of a job. */
const LAST_ID = keyOf('id');

/** Reads a counter of processes, summed over its labels. */
async function sumCounters(addresses: readonly string[], name: string): Promise<number> {
  const texts = await Promise.all(addresses.map(async (address) => (await fetch(`${address}/metrics`)).text()));
  const lines = texts.flatMap((text) => text.split('\n')).filter((line) => line.startsWith(name));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}
