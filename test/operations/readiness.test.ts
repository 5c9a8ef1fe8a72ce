import { startApi } from '@lockstep/api';
import { createOrderMetrics } from '@lockstep/orders';
import { createLogger } from '@lockstep/platform';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../harness/stack.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const start = (prepare: (baseUrl: string) => Promise<void>) =>
  startApi({
    databaseUrl: database.url,
    poolSize: 2,
    queue: { kind: 'postgres', url: database.url },
    log: createLogger({ name: 'test', level: 'silent' }),
    metrics: createOrderMetrics(),
    region: 'domestic',
    publicUrl: null,
    host: '127.0.0.1',
    port: 0,
    prepare,
  });

it('a service is ready when all is there that it prepares, and not before (rules 9)', async () => {
  let meanwhile: unknown;
  const api = await start(async (baseUrl) => {
    const answer = await fetch(`${baseUrl}/health/ready`);
    meanwhile = [answer.status, await answer.json()];
  });
  expect(meanwhile).toMatchObject([503, { status: 'unavailable', reason: 'the service is still starting' }]);
  expect((await fetch(`${api.baseUrl}/health/ready`)).status).toBe(200);
  await api.close();
});

it('a service that cannot prepare what it has to ends', async () => {
  let baseUrl = '';
  const started = start(async (address) => {
    baseUrl = address;
    throw new Error('demo.json cannot be written');
  });
  await expect(started).rejects.toThrow('demo.json cannot be written');
  await expect(fetch(`${baseUrl}/health/live`)).rejects.toThrow('fetch failed');
});
