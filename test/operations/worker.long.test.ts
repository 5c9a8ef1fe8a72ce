import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { freePort } from '../harness/redis.ts';
import { ServiceProcess } from '../harness/service-process.ts';
import { createTestDatabase, type TestDatabase } from '../harness/stack.ts';

describe('a worker process', () => {
  let database: TestDatabase;
  const running: ServiceProcess[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(async () => {
    await Promise.all(running.map((worker) => worker.stop()));
    await database.close();
  });

  async function startWorker(env: Record<string, string>, text = 'worker ready'): Promise<string> {
    const port = String(await freePort());
    const worker = ServiceProcess.worker({ DATABASE_URL: database.url, REDIS_URL: '', WORKER_PORT: port, ...env });
    running.push(worker);
    await worker.launch(text);
    return `http://127.0.0.1:${port}`;
  }

  it('serves liveness, readiness and metrics on WORKER_PORT', async () => {
    const probe = await startWorker({});
    expect(await (await fetch(`${probe}/health/live`)).json()).toEqual({ status: 'live' });
    expect(await (await fetch(`${probe}/health/ready`)).json()).toEqual({ status: 'ready' });
    expect(await (await fetch(`${probe}/metrics`)).text()).toContain('lockstep_drain_orders_count 0');
    expect((await fetch(`${probe}/else`)).status).toBe(404);
  });

  it('starts without its Redis, because the sweep works without it', async () => {
    const probe = await startWorker({ REDIS_URL: `redis://127.0.0.1:${await freePort()}` });
    expect((await fetch(`${probe}/health/ready`)).status).toBe(200);
  });

  it('is not ready while its database is away', async () => {
    const away = new URL(inject('postgresUrl'));
    away.pathname = '/no_such_database';
    const probe = await startWorker({ DATABASE_URL: away.href }, 'waits for the database');
    const ready = await fetch(`${probe}/health/ready`);
    expect(ready.status).toBe(503);
    expect(await ready.json()).toEqual({ status: 'unavailable', reason: 'PostgreSQL has no such database' });
  });

  it('does not start without DATABASE_URL', async () => {
    const worker = ServiceProcess.worker({ DATABASE_URL: '' });
    await expect(worker.start()).rejects.toThrow('ended with status 1');
  });
});
