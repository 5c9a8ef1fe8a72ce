import { type Job, QUEUE_NAME } from '@lockstep/orders';
import { createLogger, inTransaction, JobQueue } from '@lockstep/platform';
import { sql } from 'kysely';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ForwardedAddress } from '../harness/network/forwarded-address.ts';
import { freePort } from '../harness/network/redis.ts';
import { batchOf, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { ServiceProcess } from '../harness/processes/service-process.ts';
import { startStack, testDatabase } from '../harness/stack.ts';

const log = createLogger({ name: 'test', level: 'silent', secrets: new Set() });
const PATIENTLY = { timeout: 60_000, interval: 200 };

/** Stops a worker whose drain hangs. It takes all the time that a worker has, while the other tests run. */
const hanging = stopHanging();

async function stopHanging() {
  const stack = await startStack({ worker: false });
  const worker = ServiceProcess.worker({ DATABASE_URL: stack.url, REDIS_URL: '' });
  try {
    await sql
      .raw(`
        create function hang() returns trigger language plpgsql as $$ begin perform pg_sleep(600); return null; end $$;
        create trigger hang before insert on license_order for each statement execute function hang()`)
      .execute(stack.db);
    const caller = await stack.newApi();
    await caller.accept(batchOf(newBuy(await caller.newCustomer(), [newAssetNum()])));
    await worker.start();
    await vi.waitFor(async () => {
      const { rows } = await sql`
        select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`.execute(stack.db);
      expect(rows).toHaveLength(1);
    }, PATIENTLY);
    const status = await worker.stop();
    return { status, hanging: worker.linesWith('shutdown timed out').map((line) => JSON.parse(line).hanging) };
  } finally {
    await worker.kill();
    await stack.close();
  }
}

describe('a worker process', async () => {
  const running: ServiceProcess[] = [];

  const database = await testDatabase();
  afterEach(() => Promise.all(running.splice(0).map((worker) => worker.stop())));

  async function startWorker(env: Record<string, string>): Promise<string> {
    const port = String(await freePort());
    const worker = ServiceProcess.worker({ DATABASE_URL: database.url, REDIS_URL: '', WORKER_PORT: port, ...env });
    running.push(worker);
    await worker.start();
    return `http://127.0.0.1:${port}`;
  }

  const readMetrics = async (probe: string) => await (await fetch(`${probe}/metrics`)).text();
  async function readBehind(probe: string): Promise<Record<string, number>> {
    const behind = (await readMetrics(probe)).matchAll(/^lockstep_cleanup_behind_seconds\{kind="(\w+)"\} (\S+)$/gm);
    return Object.fromEntries([...behind].map(([, kind, seconds]) => [kind, Number(seconds)]));
  }

  it('serves liveness, readiness and metrics on WORKER_PORT', async () => {
    const probe = await startWorker({});
    expect(await (await fetch(`${probe}/health/live`)).json()).toEqual({ status: 'live' });
    expect(await (await fetch(`${probe}/health/ready`)).json()).toEqual({ status: 'ready' });
    expect(await readMetrics(probe)).toContain('lockstep_drain_orders_count 0');
    expect((await fetch(`${probe}/else`)).status).toBe(404);
  });

  it('deletes what is too old, and says on its probe for how long it should have done so', async () => {
    await sql`
      insert into login_failure (kind, name_hash, party, failed_times, expires_time)
      values ('user', '\\x01', '1', '{}', now() - interval '1 hour')`.execute(database.db);
    const probe = await inTransaction(database.db, async (trx) => {
      // The cleanup leaves out a locked row.
      await sql`select from login_failure for update`.execute(trx);
      const address = await startWorker({});
      expect((await readBehind(address)).login_failure).toBeGreaterThanOrEqual(3_600);
      return address;
    });
    // The worker counts a row a moment after it is gone.
    const deleted = /^lockstep_cleanup_deleted_rows_total\{kind="login_failure"\} 1$/m;
    await expect.poll(() => readMetrics(probe)).toMatch(deleted);
    expect(Object.values(await readBehind(probe))).toEqual(Array(16).fill(0));
    expect(await database.db.selectFrom('login_failure').selectAll().execute()).toEqual([]);
  });

  it('starts without its Redis, because the sweep works without it', async () => {
    const probe = await startWorker({ REDIS_URL: `redis://127.0.0.1:${await freePort()}` });
    expect((await fetch(`${probe}/health/ready`)).status).toBe(200);
  });

  it.each([1, 2, 3])('takes jobs although connection %i of its queue was broken', async (broken) => {
    let opened = 0;
    // A connection begins with what it is called.
    const isBroken = (start: Buffer) => start.includes(QUEUE_NAME) && ++opened === broken;
    const address = await ForwardedAddress.open(database.url, { isBroken });
    const producer = new JobQueue<Job>({ kind: 'postgres', url: database.url }, QUEUE_NAME, log);
    try {
      await startWorker({ DATABASE_URL: address.url });
      await producer.add({ type: 'drain', version: 3, throughBatchId: '1' });
      await expect.poll(async () => (await sql`select from bullmq.job`.execute(database.db)).rows).toEqual([]);
    } finally {
      await producer.close();
      address.close();
    }
  });

  it('exits with status 1 when it cannot stop in time, and says what hangs', async () => {
    expect(await hanging).toEqual({ status: 1, hanging: [['worker', 'work', 'drains']] });
  });

  it('does not start without DATABASE_URL', async () => {
    const worker = ServiceProcess.worker({ DATABASE_URL: '' });
    await expect(worker.start()).rejects.toThrow('ended with status 1');
  });
});
