import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Credentials, createApplication } from '@lockstep/access';
import { ORDERS_PER_BATCH } from '@lockstep/assets';
import { buildPath, type Channels } from '@lockstep/contract';
import { openDatabase } from '@lockstep/platform';
import { Api } from '../harness/api.ts';
import { freePort } from '../harness/network/redis.ts';
import { startProcess } from './bench-process.ts';
import { type Batches, type Buyer, buildBatches, type Load, nowMs, type Pace, runLoad } from './load.ts';
import { type Machine, openPool } from './machine.ts';
import { type Bench, type Checkout, scaled } from './measure.ts';

const CUSTOMERS = 500;
const LOOK_EVERY_MS = 10;
const DONE_WITHIN_MS = 300_000;

/** An application, and the customers that it orders for. */
export interface Sender {
  caller: Api;
  customers: Buyer[];
}

/** Migrates a database with the checkout's own command, then creates an application and customers. */
export async function prepareCheckout(
  machine: Machine,
  name: Checkout['name'],
  { directory, scale }: { directory: string; scale: number },
): Promise<Checkout> {
  const databaseUrl = await machine.createDatabase();
  const env = { ...process.env, DATABASE_URL: databaseUrl, REDIS_URL: '' };
  await promisify(execFile)(process.execPath, ['apps/cli/src/migrate.ts'], { cwd: directory, env });
  const credentials = await createCredentials(databaseUrl, null);
  const checkout = { name, directory, template: new URL(databaseUrl).pathname.slice(1), credentials, customers: [] };
  await using deployment = await startDeployment({ machine, checkout, scale }, { databaseUrl, workers: 0 });
  return { ...checkout, customers: await createCustomers(deployment.caller, 'test', Math.ceil(CUSTOMERS * scale)) };
}

/** Creates an application that is bound to a channel, and customers of that channel. */
export async function createSender(to: Deployment, channelCode: string, count: number): Promise<Sender> {
  const caller = await Api.logIn(to.caller.baseUrl, await createCredentials(to.databaseUrl, [channelCode]));
  return { caller, customers: await createCustomers(caller, channelCode, count) };
}

async function createCredentials(url: string, channels: Channels): Promise<Credentials> {
  await using db = openDatabase({ url, poolSize: 1, applicationName: 'bench', onError: () => {} });
  return await createApplication(db, { name: 'Bench', scopes: ['auth_order'], approved: true, channels });
}

async function createCustomers(caller: Api, channelCode: string, count: number): Promise<Buyer[]> {
  const customers: Buyer[] = [];
  while (customers.length < count) customers.push(await caller.newCustomer(undefined, channelCode));
  return customers;
}

/** How a measure deploys the service. */
interface Shape {
  workers?: number;
  /** Existing database to run on. By default the deployment creates one and drops it in the end. */
  databaseUrl?: string;
  /** NODE_OPTIONS of its processes. */
  nodeOptions?: string;
}

export type Deployment = Awaited<ReturnType<typeof startDeployment>>;

/** Starts one API process and some workers of the checkout, on one database. */
export async function startDeployment({ machine, checkout }: Bench, shape: Shape = {}) {
  const { nodeOptions = '' } = shape;
  const databaseUrl = shape.databaseUrl ?? (await machine.createDatabase(checkout.template));
  const port = await freePort();
  const env = {
    DATABASE_URL: databaseUrl,
    REDIS_URL: machine.redisUrl,
    PORT: String(port),
    WEBHOOK_ALLOW_PRIVATE: 'true',
    NODE_OPTIONS: nodeOptions,
  };
  const { scripts } = JSON.parse(readFileSync(join(checkout.directory, 'package.json'), 'utf8'));
  /** Starts an app as `npm run` and deployments do: `exec node`, flags, and a file. */
  const start = (app: 'api' | 'worker', number = 0) =>
    startProcess({
      directory: checkout.directory,
      args: scripts[app].split(' ').slice(2),
      env,
      readyText: `${app} ready`,
      logFile: join(machine.directory, `${app}-${number}.log`),
    });
  await machine.settle();
  const starting = start('api');
  const workers = await Promise.all(Array.from({ length: shape.workers ?? 1 }, (_, index) => start('worker', index)));
  const api = await starting;
  const caller = await Api.logIn(`http://127.0.0.1:${port}`, checkout.credentials);
  const db = openPool(databaseUrl, 2);

  /** Waits until the query returns no row. @throws Error if a process has exited, or on timeout */
  const untilNone = async (query: string, values: unknown[] = []) => {
    const deadlineMs = performance.now() + DONE_WITHIN_MS;
    while ((await db.query(query, values)).rows.length > 0) {
      for (const each of [api, ...workers]) each.assertRuns();
      if (performance.now() > deadlineMs) throw new Error(`Timed out: ${query}`);
      await delay(LOOK_EVERY_MS);
    }
    return nowMs();
  };

  return {
    databaseUrl,
    /** For the benchmark's own queries. */
    db,
    api,
    workers,
    caller,

    /** Builds batches of the checkout's application, or of another sender. */
    batches(batches: Batches, sender: Sender = { caller, customers: checkout.customers }) {
      const { baseUrl, token, credentials } = sender.caller;
      const targets = [`${buildPath('createBatchOrder', {})}?appKey=${credentials.appKey}&`];
      const headers = { authorization: `Bearer ${token}` };
      return { baseUrl, targets, headers, pace: batches.pace, ...buildBatches(batches, sender.customers) };
    },

    /** Builds reads. Each target is a path with a query that ends with `?` or `&`. */
    reads(targets: readonly string[], pace: Pace): Load {
      return { baseUrl: caller.baseUrl, targets, headers: { authorization: `Bearer ${caller.token}` }, pace };
    },

    /**
     * Waits until no order of the tag's batches or of earlier ones is pending. Returns that time in milliseconds since
     * 1970.
     */
    async untilApplied(tag: string): Promise<number> {
      const newest = `select max(id) from batch where channel_order_id like $1 || '-%'`;
      const { max } = (await db.query<{ max: string }>(newest, [tag])).rows[0]!;
      return untilNone('select from lane_chunk where finished_time is null and batch_id <= $1 limit 1', [max]);
    },

    /** @throws Error unless exactly `orders` orders of the tag's batches have succeeded and none has failed */
    async assertApplied(tag: string, orders: number) {
      const { rows } = await db.query<{ succeeded: string; failed: string }>(
        `select count(*) filter (where cause is null) as succeeded, count(cause) as failed
        from license_order, (select min(id), max(id) from batch where channel_order_id like $1 || '-%') as sent
        where id between sent.min * $2 and (sent.max + 1) * $2 - 1`,
        [tag, ORDERS_PER_BATCH],
      );
      const { succeeded, failed } = rows[0]!;
      if (Number(succeeded) !== orders || failed !== '0') {
        throw new Error(`${succeeded} of ${orders} orders succeeded, ${failed} failed`);
      }
    },

    async [Symbol.asyncDispose]() {
      await Promise.all([api, ...workers].map((each) => each.stop()));
      await db.end();
      if (shape.databaseUrl === undefined) await machine.dropDatabase(databaseUrl);
    },
  };
}

/** Sends some batches, so that new processes compile their code and open their connections. */
export async function warmUp(bench: Bench, deployment: Deployment, mode: Batches['mode'], size: number): Promise<void> {
  const count = scaled(bench, Math.max(40, 1_000 / size), 8);
  const load = deployment.batches({ mode, size, count, pace: { callers: 8 } });
  await runLoad(load);
  await deployment.untilApplied(load.tag);
}
