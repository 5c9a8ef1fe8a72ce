import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { ME_ROOT, ORDER_ROOT } from '@lockstep/contract';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Answer, Api } from '../harness/api.ts';
import { freePort } from '../harness/network/redis.ts';
import { batchOf, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { logInTo } from '../harness/processes/deployment.ts';
import { readRepositoryFile } from '../harness/processes/deployment-files.ts';
import { REPOSITORY } from '../harness/processes/processes.ts';
import { ServiceProcess } from '../harness/processes/service-process.ts';
import { testDatabase } from '../harness/stack.ts';
import { findConfigurationFault, type RunningProxy, readHaproxyVersion, startProxy } from './haproxy.ts';
import { CALLERS, Load } from './load.ts';
import { NameServer } from './name-server.ts';

const ADDRESSES = ['127.0.0.1', '127.0.0.2'];
/** More than the default backlog of new connections of two Node.js servers. */
const BURST = 3_000;
const UNAVAILABLE = { code: '500', cause: 'service_unavailable', message: expect.any(String) };
const CONFIGURATION = readRepositoryFile('deploy/haproxy.cfg');

it('the configuration is valid for the version in docker-compose.yml', () => {
  expect(findConfigurationFault(join(REPOSITORY, 'deploy/haproxy.cfg'))).toBe('');
  expect(readRepositoryFile('docker-compose.yml')).toContain(`image: haproxy:${readHaproxyVersion()}.`);
});

describe('two API processes and two workers behind the proxy of docker-compose.yml', async () => {
  const directory = mkdtempSync(join(inject('directory'), 'proxy-'));
  const names = new NameServer(ADDRESSES);
  let apis: ServiceProcess[];
  let workers: ServiceProcess[];
  let proxy: RunningProxy;
  let baseUrl: string;
  let api: Api;

  const database = await testDatabase();
  beforeAll(async () => {
    const [port, proxyPort] = [await freePort(), await freePort()];
    const env = { DATABASE_URL: database.url, REDIS_URL: `${inject('redisUrl')}/9`, PORT: String(port) };
    apis = ADDRESSES.map((HOST) => ServiceProcess.api({ ...env, HOST }));
    workers = ADDRESSES.map(() => ServiceProcess.worker(env));
    await Promise.all([...apis, ...workers].map((each) => each.start()));
    const replaced = {
      '127.0.0.11:53': `127.0.0.1:${await names.start()}`,
      'bind :8080': `bind 127.0.0.1:${proxyPort}`,
      'api:8080': `api:${port}`,
      // All callers of this test share one address.
      'http_req_rate(calls_of_client) gt 20000': 'http_req_rate(calls_of_client) gt 2000000',
    };
    const configuration = Object.entries(replaced).reduce((text, [from, to]) => {
      expect(text.split(from), from).toHaveLength(2);
      return text.replace(from, to);
    }, CONFIGURATION);
    proxy = await startProxy(directory, configuration);
    baseUrl = `http://127.0.0.1:${proxyPort}`;
    await proxy.untilServing(ADDRESSES);
    api = (await logInTo(database.db, [baseUrl]))[0]!;
  });
  afterAll(async () => {
    await proxy.stop();
    names.stop();
    await Promise.all([...apis, ...workers].map((each) => each.stop()));
    rmSync(directory, { recursive: true });
  });

  it('the proxy hides metrics and health checks, however their paths are written', async () => {
    const paths = ['/metrics', '/health/live', '/health/ready', '/%6Detrics', '/metrics?x', '/health%2Flive'];
    const answers = await Promise.all(paths.map((path) => fetch(baseUrl + path)));
    expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 404));
    for (const answer of answers)
      expect(await answer.json()).toMatchObject({ code: '404', cause: 'operation_not_found' });
    expect((await fetch(`${baseUrl}/proxy/health`)).status).toBe(200);
  });

  /**
   * Calls during a task, as clients should. Each acknowledged order must be stored and applied once.
   * @returns how many calls got no answer from the service
   */
  async function callDuring(what: string, task: () => Promise<void>): Promise<number> {
    const load = await Load.open(database.db, [api]);
    const figures = await load.during(what, task);
    const { sent } = figures;
    expect(figures).toMatchObject({ acknowledged: sent, found: sent, failed: 0, numbersWrong: 0 });
    return figures.faults;
  }

  function expectUnavailable({ status, headers, body }: Pick<Answer, 'status' | 'headers' | 'body'>, expected: number) {
    expect({ status, body }).toEqual({ status: expected, body: UNAVAILABLE });
    expect(headers.get('retry-after')).toBe('1');
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('x-request-id')).toMatch(/^[\w.-]{8,64}$/);
  }

  async function call(path: string): Promise<Answer> {
    const response = await fetch(baseUrl + path);
    return { status: response.status, headers: response.headers, body: await response.json() };
  }

  it('a burst of as many calls as the proxy lets through takes no process out of rotation', async () => {
    const batch = batchOf(newBuy(await api.newCustomer(), [newAssetNum()]));
    await api.accept(batch);
    await api.completed(batch);
    const results = await Promise.all(Array.from({ length: BURST }, () => api.completed(batch)));
    expect(results.map(({ succeeded }) => succeeded)).toEqual(results.map(() => 1));
  });

  it('no call fails if each API process leaves the DNS name before it stops, and workers just stop', async () => {
    const unanswered = await callDuring('processes leave the name and stop', async () => {
      for (const [place, each] of apis.entries()) {
        names.addresses = ADDRESSES.toSpliced(place, 1);
        await proxy.untilServing(names.addresses);
        expect(await each.stop()).toBe(0);
        await each.start();
        names.addresses = ADDRESSES;
        await proxy.untilServing(ADDRESSES);
      }
      for (const each of workers) {
        expect(await each.stop()).toBe(0);
        await each.start();
      }
    });
    expect(unanswered).toBe(0);
  });

  it('if API processes stop under load, clients retry at most the calls in flight', async () => {
    const unanswered = await callDuring('processes stop', async () => {
      for (const each of apis) {
        expect(await each.stop()).toBe(0);
        await each.start();
        await proxy.untilServing(ADDRESSES);
      }
    });
    expect(unanswered).toBeLessThanOrEqual(CALLERS * apis.length);
  });

  it('if one API process is killed, the other takes all calls', async () => {
    const unanswered = await callDuring('a process is killed', async () => {
      await apis[0]!.kill();
      await proxy.untilServing(ADDRESSES.slice(1));
      await apis[0]!.start();
      await proxy.untilServing(ADDRESSES);
    });
    expect(unanswered).toBeLessThanOrEqual(CALLERS);
  });

  it('a client that floods the token endpoint is refused there, and nowhere else; other clients are served', async () => {
    const ask = async (localAddress: string) => {
      const asked = request(`${baseUrl}/oauth2/token`, { method: 'POST', localAddress }).end();
      const [{ statusCode, headers }] = (await once(
        asked.on('response', (got) => got.resume()),
        'response',
      )) as [IncomingMessage];
      return [statusCode, headers['retry-after']];
    };
    const answers = await Promise.all(Array.from({ length: 150 }, () => ask('127.0.0.3')));
    expect(answers.filter(([status]) => status === 400)).toHaveLength(100);
    expect(answers).toContainEqual([503, '10']);
    expect(await ask('127.0.0.4')).toEqual([400, undefined]);
    expect((await api.call('GET', '/events')).body.code).toBe(0);
  });

  it('without any API process, clients get JSON with the status of each interface', async () => {
    await Promise.all(apis.map((each) => each.kill()));
    await proxy.untilServing([]);
    for (const path of [ORDER_ROOT, ME_ROOT]) expectUnavailable(await call(`${path}/any`), 299);
    for (const path of ['/oauth2/token', '/console/api/session']) expectUnavailable(await call(path), 503);
    expect((await fetch(`${baseUrl}/proxy/health`)).status).toBe(503);
  });

  it.each([
    ['accepts', 'order-2026.11_23', 'order-2026.11_23'],
    ['replaces', 'no id', expect.stringMatching(/^[0-9a-f-]{36}$/)],
  ])("the proxy's own answers use the request id that the API would: it %s the caller's", async (_, given, named) => {
    const { headers } = await fetch(`${baseUrl}/metrics`, { headers: { 'x-request-id': given } });
    expect(headers.get('x-request-id')).toEqual(named);
  });
});
