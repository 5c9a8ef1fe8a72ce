import { join } from 'node:path';
import { createApplication } from '@lockstep/access';
import { QUEUE_NAME } from '@lockstep/orders';
import { createLogger, JobQueue } from '@lockstep/platform';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { Api, dataOf } from '../harness/api.ts';
import { freePort } from '../harness/network/redis.ts';
import { type ClusterNode, RedisCluster } from '../harness/network/redis-cluster.ts';
import { batchOf, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { ServiceProcess } from '../harness/processes/service-process.ts';
import { testDatabase } from '../harness/stack.ts';

/** Channels that send concurrently. Each waits until its batch is completed before it sends the next. */
const CHANNELS = 6;
const ORDERS_A_BATCH = 10;
/** Jobs are flowing once this many have been added and taken while the sweep drained no lane. */
const JOBS = 20;
/** Names of both workers, each a host and a process id. */
const WORKERS = [expect.stringMatching(/:\d+$/), expect.stringMatching(/:\d+$/)];
const PATIENTLY = { timeout: 60_000, interval: 50 };

describe('an API and two workers on a Redis Cluster, under load', async () => {
  let api: Api;
  let apiProcess: ServiceProcess;
  let workers: { process: ServiceProcess; address: string }[];

  const database = await testDatabase();
  const cluster = await RedisCluster.start(join(inject('directory'), 'redis-cluster'));
  const slot = await cluster.slotOf(keyOf('id'));
  beforeAll(async () => {
    const [port, ...probes] = await Promise.all([freePort(), freePort(), freePort()]);
    const env = { DATABASE_URL: database.url, REDIS_URL: cluster.url };
    apiProcess = ServiceProcess.api({ ...env, PORT: String(port) });
    workers = probes.map((probe) => ({
      process: ServiceProcess.worker({ ...env, WORKER_PORT: String(probe) }),
      address: `http://127.0.0.1:${probe}`,
    }));
    await Promise.all([apiProcess.start(), ...workers.map(({ process }) => process.start())]);
    const credentials = await createApplication(database.db, { name: 'Wide', scopes: ['auth_order'], approved: true });
    api = await Api.logIn(`http://127.0.0.1:${port}`, credentials);
  });

  afterAll(async () => {
    const statuses = await Promise.all(
      [apiProcess, ...workers.map(({ process }) => process)].map((each) => each.stop()),
    );
    await cluster.stop();
    expect(statuses, 'every process stops with status 0').toEqual([0, 0, 0]);
  });

  it('use the replica after the master of the queue is killed', async () => {
    await underLoad('master killed', async () => {
      await untilJobsFlow();
      const master = await cluster.masterOf(slot);
      await master.kill();
      const other = await untilAnotherMasterThan(master);
      await untilJobsFlow();
      expect(await cluster.masterOf(slot)).toBe(other);
      await master.start();
      await cluster.untilWhole();
    });
  });

  it('use the replica while the master of the queue hangs with open connections', async () => {
    await underLoad('master hung', async () => {
      const master = await cluster.masterOf(slot);
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
      const home = await cluster.masterOf(slot);
      const other = (await cluster.masters()).find((master) => master !== home)!;
      for (const master of [other, home]) {
        expect(await cluster.moveSlot(slot, master)).toBeGreaterThan(0);
        await untilJobsFlow();
        expect(await cluster.masterOf(slot)).toBe(master);
      }
    });
  });

  it('accept and apply orders without a quorum, and use the queue again once the cluster recovers', async () => {
    await underLoad('no quorum', async (load) => {
      const home = await cluster.masterOf(slot);
      const dead = [home, (await cluster.masters()).find((master) => master !== home)!];
      await Promise.all(dead.map((node) => node.kill()));
      try {
        await vi.waitFor(async () => expect(await readiness()).toEqual([200, { ...READY, queue: 'down' }]), PATIENTLY);
        // A worker must be able to stop and start without the cluster.
        const { process } = workers[0]!;
        expect(await process.stop()).toBe(0);
        await process.start();
        // Calls are answered, and the sweep finds orders that have no job.
        const [taken, ended] = [await countTaken(), load.ended()];
        await vi.waitFor(() => expect(load.ended()).toBeGreaterThan(ended + CHANNELS), PATIENTLY);
        expect(await countTaken()).toBe(taken);
        expect(await readiness()).toEqual([200, { ...READY, queue: 'down' }]);
        for (const { address } of workers) expect((await fetch(`${address}/health/ready`)).status).toBe(200);
      } finally {
        await Promise.all(dead.map((node) => node.start()));
      }
      await cluster.untilWhole();
      await untilJobsFlow();
      await vi.waitFor(async () => expect(await readiness()).toEqual([200, READY]), PATIENTLY);
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
    const processes = [apiProcess, ...workers.map(({ process }) => process)];
    expect(processes.flatMap((each) => each.linesWith(cluster.password))).toEqual([]);
    expect(apiProcess.linesWith('enqueue failed')).not.toEqual([]);
  });

  const READY = { status: 'ready', database: 'up', queue: 'up' };

  async function readiness(): Promise<[status: number, body: unknown]> {
    const response = await fetch(`${api.baseUrl}/health/ready`);
    return [response.status, await response.json()];
  }

  async function untilAnotherMasterThan(master: ClusterNode): Promise<ClusterNode> {
    return await vi.waitFor(async () => {
      const found = await cluster.masterOf(slot);
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
  const countJobs = async () => Number(await (await cluster.masterOf(slot)).ask('GET', keyOf('id')));
  /** Number of jobs waiting in the queue. */
  const countWaiting = async () => Number(await (await cluster.masterOf(slot)).ask('LLEN', keyOf('wait')));
  const countEnqueueFailures = () => readCounter(api.baseUrl, 'lockstep_enqueue_failures_total');

  /** Number of jobs that the workers took. */
  async function countTaken(): Promise<number> {
    const counts = workers.map(({ address }) => readCounter(address, 'lockstep_jobs_total'));
    return (await Promise.all(counts)).reduce((sum, count) => sum + count);
  }

  /**
   * Runs a task while channels send. Each batch must be accepted, whatever happens to the queue, and each order must
   * succeed once. Prints and checks how many orders were sent, acknowledged and found.
   */
  async function underLoad(what: string, task: (load: { ended: () => number }) => Promise<void>): Promise<void> {
    let ended = 0;
    let sent = 0;
    const acknowledged = new Set<string>();
    let isRunning = true;
    const channel = async () => {
      const customer = await api.newCustomer();
      while (isRunning) {
        const batch = batchOf(...Array.from({ length: ORDERS_A_BATCH }, () => newBuy(customer, [newAssetNum()])));
        sent += ORDERS_A_BATCH;
        for (const { licenseOrderId } of dataOf(await api.submit(batch)) as { licenseOrderId: string }[]) {
          acknowledged.add(licenseOrderId);
        }
        expect(await api.completed(batch)).toMatchObject({ succeeded: ORDERS_A_BATCH, failed: 0 });
        ended++;
      }
    };
    const channels = Promise.all(Array.from({ length: CHANNELS }, channel));
    channels.catch(() => {});
    try {
      await Promise.race([task({ ended: () => ended }), channels]);
    } finally {
      isRunning = false;
    }
    await channels;
    const rows = await database.db
      .selectFrom('license_order')
      .innerJoin('asset_grant', 'asset_grant.license_order_id', 'license_order.id')
      .where('license_order.id', 'in', [...acknowledged] as never)
      .select('license_order.id')
      .execute();
    const counts = { sent, acknowledged: acknowledged.size, found: rows.length };
    process.stdout.write(`${what}: ${JSON.stringify(counts)}\n`);
    expect(counts).toEqual({ sent, acknowledged: sent, found: sent });
  }
});

/** Returns a key of BullMQ. */
const keyOf = (name: string) => `bull:{${QUEUE_NAME}}:${name}`;

/** Reads a counter of a process, summed over its labels. */
async function readCounter(address: string, name: string): Promise<number> {
  const text = await (await fetch(`${address}/metrics`)).text();
  const values = text.split('\n').filter((line) => line.startsWith(name));
  return values.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}
