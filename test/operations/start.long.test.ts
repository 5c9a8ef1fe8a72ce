import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import type { AcceptedOrder, Customer, CustomerId, EnterpriseId } from '@lockstep/contract';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { Api, callService, dataOf, refusalOf } from '../harness/api.ts';
import { ConsoleClient } from '../harness/browser/console.ts';
import { askUserToken } from '../harness/oauth.ts';
import { batchOf, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import {
  endEverything,
  type Job,
  livingProcesses,
  lockstep,
  newDataDir,
  npmStart,
  type RunningStack,
  readPostgresPid,
  startJob,
} from '../harness/processes/processes.ts';
import { testDatabase } from '../harness/stack.ts';

/** The demo customer, as orders name it. */
function demoCustomer({ demo }: RunningStack): Customer {
  return {
    customerId: demo.customerId as CustomerId,
    enterpriseGlobalId: demo.enterpriseGlobalId as EnterpriseId,
    channelCode: 'demo',
    channelCustomerId: 'DEMO-HQ',
    enterpriseName: 'Lockstep Demo Works',
    isDefault: true,
    contact: null,
  };
}

const STACK_TRACE = /^\s+at /m;

const logIn = ({ demo }: RunningStack) => Api.logIn(demo.baseUrl, demo);

/** Lists the leftovers of a stop. */
const findLeftovers = (stack: Pick<RunningStack, 'job' | 'dataDir'>) => ({
  processes: livingProcesses(stack),
  stackFile: existsSync(join(stack.dataDir, 'stack.json')),
});
const NOTHING = { processes: [], stackFile: false };

/** Two stacks run side by side from the first test on. Tests stop them. */
let stack: RunningStack;
let other: RunningStack;

beforeAll(async () => {
  const planted = newDataDir();
  mkdirSync(planted, { mode: 0o711 });
  writeFileSync(join(planted, 'stack.json'), '{}', { mode: 0o644 });
  writeFileSync(join(planted, 'victim'), 'kept');
  symlinkSync(join(planted, 'victim'), join(planted, 'demo.json.new'));
  [stack, other] = await Promise.all([npmStart(planted), npmStart(newDataDir())]);
});
afterAll(endEverything);

describe('npm start', () => {
  it('ends its output with one line that says ready and the base URL', async () => {
    await lockstep(stack.dataDir, 'app', 'create', '--name', 'Another', '--scope', 'auth_order');
    await (await logIn(stack)).newCustomer();
    const { stdout, stderr } = stack.job.output;
    const lines = stdout.trimEnd().split('\n');
    expect(lines.filter((line) => /\bready\b/.test(line))).toEqual([lines.at(-1)]);
    expect(lines.at(-1)?.split(/\s/)).toContain(stack.demo.baseUrl);
    expect(stderr).toBe('');
  });

  it('writes demo.json, which only its owner can read', () => {
    const { dataDir } = stack;
    const file = join(dataDir, 'demo.json');
    expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')))).toEqual([
      ...['baseUrl', 'appKey', 'appSecret', 'enterpriseGlobalId', 'customerId', 'adminAccount', 'adminPassword'],
      ...['operatorName', 'operatorPassword'],
    ]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(dataDir, 'stack.json')).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(dataDir, 'victim'), 'utf8')).toBe('kept');
  });

  it('lets the demo application order for the demo customer', async () => {
    const api = await logIn(stack);
    const query = { channelCode: 'demo', channelCustomerId: 'DEMO-HQ', defaultCustomer: 'Y' };
    expect(dataOf(await api.call('GET', '/enterprise/user/query', { query }))).toEqual([demoCustomer(stack)]);
    const orders = await api.process(batchOf(newBuy(demoCustomer(stack), [newAssetNum()])));
    expect(orders).toMatchObject([{ state: 'succeeded' }]);
  });

  it('lets the demo operator log in to the console, as an admin', async () => {
    const { operatorName: name = '', operatorPassword: password = '', baseUrl } = stack.demo;
    const client = new ConsoleClient(baseUrl, { name, password });
    expect(await client.call('logIn', { body: { name, password } })).toMatchObject({ name, role: 'admin' });
  });

  it('prints a link above the ready line that logs the demo operator in once', async () => {
    const { baseUrl, operatorName } = stack.demo;
    const [link = ''] = /http\S+#\S+/.exec(stack.job.output.stdout.trimEnd().split('\n').at(-2)!) ?? [];
    const { origin, pathname, hash } = new URL(link);
    expect([origin, pathname]).toEqual([baseUrl, '/console/log-in']);
    const token = new URLSearchParams(hash.slice(1)).get('token')!;
    expect(readFileSync(join(stack.dataDir, 'demo.json'), 'utf8')).not.toContain(token);
    const client = new ConsoleClient(baseUrl, { name: '', password: '' });
    expect(await client.call('logInByLink', { body: { token } })).toMatchObject({ name: operatorName, role: 'admin' });
    expect(await client.send('logInByLink', { body: { token } })).toMatchObject({
      body: { cause: 'log_in_link_invalid' },
    });
  });

  it('lets the demo administrator manage the demo enterprise', async () => {
    const { baseUrl, appKey, appSecret, enterpriseGlobalId } = stack.demo;
    const { adminAccount = '', adminPassword = '' } = stack.demo;
    const user = { account: adminAccount, password: adminPassword };
    const login = await askUserToken(baseUrl, { appKey, appSecret }, user);
    const { token } = await logIn(stack);
    const url = `${baseUrl}/me/api/v1/enterprise/${enterpriseGlobalId}/members`;
    const headers = { authorization: `Bearer ${token}`, clientToken: token, userToken: login.body.access_token };
    const answer = await callService('GET', url, { headers, query: { pageNum: '1', pageSize: '10' } });
    expect(dataOf(answer)).toMatchObject({ total: 2, list: [{ globalId: '3002' }, { userName: adminAccount }] });
  });

  it('refuses a DATA_DIR that is in use', async () => {
    const { status, stderr } = await startJob(['npm', 'start'], { DATA_DIR: stack.dataDir, PORT: '0' }).ended;
    expect(status).toBe(1);
    expect(stderr).toContain(stack.dataDir);
    expect(stderr).toContain('DATA_DIR');
    expect((await fetch(`${stack.demo.baseUrl}/health/ready`)).status).toBe(200);
  });
});

describe('two stacks side by side', () => {
  it('have separate data', async () => {
    expect(stack.demo.baseUrl).not.toBe(other.demo.baseUrl);
    expect(stack.demo.appKey).not.toBe(other.demo.appKey);
    const [api, otherApi] = await Promise.all([logIn(stack), logIn(other)]);
    const batch = batchOf(newBuy(demoCustomer(stack), [newAssetNum()]));
    expect(await api.process(batch)).toMatchObject([{ state: 'succeeded', assets: 1 }]);
    expect(await otherApi.process(batch)).toMatchObject([{ state: 'succeeded', assets: 1 }]);
    const stranger = new Api(other.demo.baseUrl, api.credentials, api.token);
    expect(refusalOf(await stranger.submit(batch))).toMatchObject({ code: '60000', cause: 'token_invalid' });
  });

  it('end independently', async () => {
    expect(await other.job.end('SIGTERM')).toMatchObject({ status: 0 });
    expect(findLeftovers(other)).toEqual(NOTHING);
    expect((await fetch(`${stack.demo.baseUrl}/health/ready`)).status).toBe(200);
  });
});

describe.concurrent('npm start that fails', () => {
  it('refuses a port that is in use, and leaves nothing behind', async () => {
    const { host, port } = new URL(stack.demo.baseUrl);
    const { dataDir } = other;
    const job = startJob(['npm', 'start'], { DATA_DIR: dataDir, PORT: port });
    const { status, stderr } = await job.ended;
    expect(status).toBe(1);
    expect(stderr).toContain(host);
    expect(stderr).not.toMatch(STACK_TRACE);
    expect(findLeftovers({ job, dataDir })).toEqual(NOTHING);
  });

  it('names an invalid variable, without a stack trace', async () => {
    const { status, stderr } = await startJob(['npm', 'start'], { DATA_DIR: newDataDir(), PORT: 'http' }).ended;
    expect(status).toBe(1);
    expect(stderr).toContain('PORT');
    expect(stderr).not.toMatch(STACK_TRACE);
  });
});

describe('npm start, stopped and restarted,', () => {
  it.each<[string, (stack: RunningStack) => ReturnType<RunningStack['job']['end']>]>([
    ['SIGTERM to npm alone', ({ job }) => job.end('SIGTERM')],
    ['SIGTERM to the process group', ({ job }) => job.endGroup('SIGTERM')],
    ['SIGINT to the process group (Ctrl-C)', ({ job }) => job.endGroup('SIGINT')],
  ])('ends with status 0 and leaves nothing behind on %s, and starts again as it was', async (_, end) => {
    const { appKey, appSecret } = stack.demo;
    const api = await logIn(stack);
    const batch = batchOf(newBuy(demoCustomer(stack), [newAssetNum()]));
    const [order] = await api.process(batch);

    const ended = await end(stack);
    expect(ended).toMatchObject({ status: 0, signal: null, stderr: '' });
    expect(findLeftovers(stack)).toEqual(NOTHING);

    stack = await npmStart(stack.dataDir);
    expect(stack.demo).toMatchObject({ appKey, appSecret });
    const again = await (await logIn(stack)).completed(batch);
    expect(again.orders).toEqual([order]);
  });

  it.each<[string, (stack: RunningStack) => void]>([
    ['its process group', () => {}],
    ['its process group and PostgreSQL', ({ dataDir }) => process.kill(readPostgresPid(dataDir), 'SIGKILL')],
  ])('loses nothing that was answered on kill -9 of %s', async (_, killMore) => {
    const { appKey } = stack.demo;
    const api = await logIn(stack);
    const customers = await Promise.all(Array.from({ length: 8 }, () => api.newCustomer()));
    const orders = Array.from({ length: 1_200 }, (_, index) => newBuy(customers[index % 8]!, [newAssetNum()]));
    const batch = batchOf(...orders);
    const accepted: AcceptedOrder[] = await api.accept(batch);
    const killed = stack.job.endGroup('SIGKILL');
    killMore(stack);
    expect((await killed).signal).toBe('SIGKILL');

    stack = await npmStart(stack.dataDir);
    expect(stack.demo.appKey).toBe(appKey);
    // The token was answered too, so it must still be valid.
    const later = new Api(stack.demo.baseUrl, api.credentials, api.token);
    expect(await later.accept(batch)).toEqual(accepted);
    expect(await later.completed(batch)).toMatchObject({ state: 'completed', succeeded: 1_200, failed: 0 });
    const ids: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { channelCode, channelOrderId } = batch;
      const query = { channelCode, channelOrderId, cursor, limit: '1000', state: 'succeeded' };
      const page = dataOf(await later.call('GET', '/licenseOrder/batchOrder', { query }));
      ids.push(...page.orders.map((order: AcceptedOrder) => order.licenseOrderId));
      cursor = page.nextCursor;
    }
    expect(ids).toEqual(accepted.map(({ licenseOrderId }) => licenseOrderId));
  });
});

describe('npm start, stopped during startup,', () => {
  const dataDir = newDataDir();
  const postgresFiles = () => (existsSync(join(dataDir, 'postgres')) ? readdirSync(join(dataDir, 'postgres')) : []);
  const initdbRuns = () => postgresFiles().some((name) => name.startsWith('initdb-'));

  it.each<[string, () => boolean, (job: Job) => ReturnType<Job['end']>]>([
    ['creates its PostgreSQL', initdbRuns, (job) => job.endGroup('SIGINT')],
    [
      'starts its PostgreSQL',
      () => existsSync(join(dataDir, 'postgres', 'cluster', 'postmaster.pid')),
      (job) => job.end('SIGTERM'),
    ],
    ['migrates', () => existsSync(join(dataDir, 'stack.json')), (job) => job.endGroup('SIGINT')],
  ])('ends by itself and leaves nothing behind, while it %s', async (_, isThere, end) => {
    const job = startJob(['npm', 'start'], { DATA_DIR: dataDir, PORT: '0' });
    await expect.poll(isThere, { timeout: 60_000, interval: 2 }).toBe(true);
    expect(await end(job)).toMatchObject({ status: 0, signal: null, stderr: '' });
    await expect.poll(() => findLeftovers({ job, dataDir })).toEqual(NOTHING);
    expect(existsSync(join(dataDir, 'postgres', 'cluster', 'postmaster.pid'))).toBe(false);
  });

  it('starts afterwards', async () => {
    expect(await (await npmStart(dataDir)).job.end('SIGTERM')).toMatchObject({ status: 0, stderr: '' });
    expect(initdbRuns()).toBe(false);
  });

  it('does not wait for a database that does not answer', async () => {
    const connected = Promise.withResolvers<void>();
    const silent = createServer(() => connected.resolve()).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const job = startJob(['npm', 'start'], {
      DATA_DIR: newDataDir(),
      PORT: '0',
      DATABASE_URL: `postgres://lockstep@127.0.0.1:${port}/lockstep`,
    });
    await connected.promise;
    expect(await job.endGroup('SIGINT')).toMatchObject({ status: 0, signal: null, stderr: '' });
    silent.close();
  });
});

it('npm start, killed with its process group, leaves no PostgreSQL behind', async () => {
  await stack.job.endGroup('SIGKILL');
  await expect.poll(() => livingProcesses(stack)).toEqual([]);
  expect(existsSync(join(stack.dataDir, 'postgres', 'cluster', 'postmaster.pid'))).toBe(false);
  stack = await npmStart(stack.dataDir);
});

describe('lockstep without a service', () => {
  it.each<[string, () => string | Promise<string>]>([
    ['where nothing was ever started', newDataDir],
    ['after a stop', () => other.dataDir],
    [
      'after kill -9 of everything',
      async () => {
        const killed = stack.job.endGroup('SIGKILL');
        process.kill(readPostgresPid(stack.dataDir), 'SIGKILL');
        await killed;
        return stack.dataDir;
      },
    ],
  ])('says what to do %s', async (_, dataDir) => {
    const ended = await lockstep(await dataDir(), 'app', 'approve', stack.demo.appKey);
    expect(ended).toMatchObject({ status: 69, stdout: '' });
    expect(ended.stderr).toMatch(/npm start.*DATABASE_URL/s);
    expect(ended.stderr).not.toMatch(STACK_TRACE);
  });
});

describe('npm start with DATABASE_URL and REDIS_URL', async () => {
  const database = await testDatabase();
  afterAll(() => endEverything());

  it('uses these stores with the demo, and starts no PostgreSQL', async () => {
    // This Redis database has no jobs of other tests.
    const urls = { DATABASE_URL: database.url, REDIS_URL: `${inject('redisUrl')}/8` };
    const stack = await npmStart(newDataDir(), urls);
    expect(readdirSync(stack.dataDir)).toEqual(['demo.json']);
    const api = await logIn(stack);
    const batch = batchOf(newBuy(demoCustomer(stack), [newAssetNum()]));
    expect(await api.process(batch)).toMatchObject([{ state: 'succeeded' }]);
    const assets = await database.db.selectFrom('asset').select('customer_id').execute();
    expect(assets).toEqual([{ customer_id: stack.demo.customerId }]);
    expect(await stack.job.end('SIGTERM')).toMatchObject({ status: 0, stderr: '' });
    expect(findLeftovers(stack)).toEqual(NOTHING);
  });
});
