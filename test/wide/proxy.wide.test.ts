import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createApplication } from '@lockstep/access';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { Api, dataOf } from '../harness/api.ts';
import { readRepositoryFile } from '../harness/deployment-files.ts';
import { findConfigurationFault, type Proxy, readHaproxyVersion, startProxy } from '../harness/haproxy.ts';
import { NameServer } from '../harness/name-server.ts';
import { batchOf, newAssetNum, newBuy } from '../harness/orders.ts';
import { REPOSITORY } from '../harness/processes.ts';
import { freePort } from '../harness/redis.ts';
import { ServiceProcess } from '../harness/service-process.ts';
import { createTestDatabase, type TestDatabase } from '../harness/stack.ts';

const ADDRESSES = ['127.0.0.1', '127.0.0.2'];
const CALLERS = 4;
const CONFIGURATION = readRepositoryFile('deploy/haproxy.cfg');

it('the configuration is valid, for the version that docker-compose.yml runs', () => {
  expect(findConfigurationFault(join(REPOSITORY, 'deploy/haproxy.cfg'))).toBe('');
  expect(readRepositoryFile('docker-compose.yml')).toContain(`image: haproxy:${readHaproxyVersion()}\n`);
});

describe('two API processes and two workers behind the proxy of docker-compose.yml', () => {
  const directory = mkdtempSync(join(inject('directory'), 'proxy-'));
  const names = new NameServer(ADDRESSES);
  let database: TestDatabase;
  let apis: ServiceProcess[];
  let workers: ServiceProcess[];
  let proxy: Proxy;
  let baseUrl: string;
  let api: Api;

  beforeAll(async () => {
    database = await createTestDatabase();
    const [port, proxyPort] = [await freePort(), await freePort()];
    const env = { DATABASE_URL: database.url, REDIS_URL: `${inject('redisUrl')}/9`, PORT: String(port) };
    apis = ADDRESSES.map((HOST) => ServiceProcess.api({ ...env, HOST }));
    workers = ADDRESSES.map(() => ServiceProcess.worker(env));
    await Promise.all([...apis, ...workers].map((each) => each.start()));
    const replaced = {
      '127.0.0.11:53': `127.0.0.1:${await names.start()}`,
      'bind :8080': `bind 127.0.0.1:${proxyPort}`,
      'api:8080': `api:${port}`,
    };
    const configuration = Object.entries(replaced).reduce((text, [from, to]) => {
      expect(text.split(from), from).toHaveLength(2);
      return text.replace(from, to);
    }, CONFIGURATION);
    proxy = await startProxy(directory, configuration);
    baseUrl = `http://127.0.0.1:${proxyPort}`;
    await untilReadyAre(2);
    const credentials = await createApplication(database.db, { name: 'Proxy', scopes: ['auth_order'], approved: true });
    api = await Api.logIn(baseUrl, credentials);
  });
  afterAll(async () => {
    await proxy.stop();
    names.stop();
    await Promise.all([...apis, ...workers].map((each) => each.stop()));
    await database.close();
    rmSync(directory, { recursive: true });
  });

  /** Waits until calls reach so many API processes: each listens on an address of its own. */
  async function untilReadyAre(count: number): Promise<void> {
    await vi.waitFor(
      async () => {
        expect((await fetch(`${baseUrl}/proxy/health`)).status).toBe(200);
        const before = apis.map((each) => each.linesWith('"msg":"call"').length);
        await Promise.all(Array.from({ length: 8 }, () => fetch(`${baseUrl}/openapi.json`)));
        const reached = apis.filter((each, place) => each.linesWith('"msg":"call"').length > before[place]!);
        expect(reached).toHaveLength(count);
      },
      { timeout: 30_000, interval: 200 },
    );
  }

  it('what is for operators stays inside, however it is written', async () => {
    const paths = ['/metrics', '/health/live', '/health/ready', '/%6Detrics', '/metrics?x', '/health%2Flive'];
    const answers = await Promise.all(paths.map((path) => fetch(baseUrl + path)));
    expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 404));
    expect(await answers[0]!.text()).toBe('');
  });

  it('no call fails while the processes are replaced one after the other', async () => {
    const customer = await api.newCustomer();
    const acknowledged: ReturnType<typeof batchOf>[] = [];
    const failures: string[] = [];
    let sent = 0;
    let over = false;
    const caller = async () => {
      while (!over) {
        const batch = batchOf(newBuy(customer, [newAssetNum()]));
        sent += 1;
        const answer = await api
          .submit(batch)
          .catch((error: Error) => ({ status: String(error.cause ?? error), body: '' }));
        if (answer.status === 200) acknowledged.push(batch);
        else failures.push(`${answer.status} ${JSON.stringify(answer.body)}`);
      }
    };
    const callers = Array.from({ length: CALLERS }, caller);
    for (const each of [...apis, ...workers]) {
      expect(await each.stop()).toBe(0);
      await each.start();
      await untilReadyAre(2);
    }
    over = true;
    await Promise.all(callers);
    const results = await Promise.all(acknowledged.map((batch) => api.completed(batch)));
    const found = results.filter(({ state, succeeded }) => state === 'completed' && succeeded === 1);
    console.info(`sent ${sent}, acknowledged ${acknowledged.length}, found ${found.length}, failed ${failures.length}`);
    expect({ failures, found: found.length }).toEqual({ failures: [], found: sent });
  });

  it('the other process takes all calls when one is killed, and calls that it had are repeated', async () => {
    const customer = await api.newCustomer();
    const batches = Array.from({ length: 100 }, () => batchOf(newBuy(customer, [newAssetNum()])));
    let retried = 0;
    const submit = async (batch: (typeof batches)[number]) => {
      for (;;) {
        const answer = await api.submit(batch).catch(() => undefined);
        if (answer?.status === 200) return dataOf(answer);
        retried += 1;
      }
    };
    const first = batches.slice(0, 50).map(submit);
    await apis[0]!.kill();
    await Promise.all([...first, ...batches.slice(50).map(submit)]);
    await untilReadyAre(1);
    const results = await Promise.all(batches.map((batch) => api.completed(batch)));
    expect(results.filter(({ succeeded }) => succeeded === 1)).toHaveLength(batches.length);
    console.info(`sent ${batches.length}, repeated ${retried}, acknowledged and found ${results.length}`);
    await apis[0]!.start();
    await untilReadyAre(2);
  });
});
