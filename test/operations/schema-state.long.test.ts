import { RELEASE } from '@lockstep/config';
import { findSchemaFault, migrateToLatest } from '@lockstep/platform';
import { OTHER_BASELINE } from '@lockstep/platform/testing';
import { sql } from 'kysely';
import { afterAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { Api, refusalOf } from '../harness/api.ts';
import { ForwardedAddress } from '../harness/network/forwarded-address.ts';
import { freePort } from '../harness/network/redis.ts';
import { batchOf, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { logInTo } from '../harness/processes/deployment.ts';
import { type Ended, endEverything, newDataDir, runJob } from '../harness/processes/processes.ts';
import { ServiceProcess } from '../harness/processes/service-process.ts';
import { createTestDatabase, type TestDatabase, untilTestsEnd } from '../harness/stack.ts';

/** API and worker wait until all migrations of their release have run. */

afterAll(endEverything);

const newDatabase = (options?: { migrated: boolean }) => untilTestsEnd(createTestDatabase(options));

interface Service {
  api: ServiceProcess;
  worker: ServiceProcess;
  apiUrl: string;
  workerUrl: string;
}

/** Starts an API and a worker process on a database, and waits until both have logged `text`. */
async function launch(databaseUrl: string, text: string): Promise<Service> {
  const [port, workerPort] = [String(await freePort()), String(await freePort())];
  const env = { DATABASE_URL: databaseUrl, REDIS_URL: '' };
  const api = ServiceProcess.api({ ...env, PORT: port });
  const worker = ServiceProcess.worker({ ...env, WORKER_PORT: workerPort });
  const close = async () => expect(await Promise.all([api.stop(), worker.stop()])).toEqual([0, 0]);
  await untilTestsEnd(Promise.resolve({ close }));
  await Promise.all([api.launch('api listening'), worker.launch('worker started')]);
  await Promise.all([api.logged(text), worker.logged(text)]);
  return { api, worker, apiUrl: `http://127.0.0.1:${port}`, workerUrl: `http://127.0.0.1:${workerPort}` };
}

const WAITS = 'waiting for database';
const GOES_ON = 'database available; resuming';

/** Reads the readiness of both; both must be live. */
async function readiness({ apiUrl, workerUrl }: Service) {
  const [api, worker] = await Promise.all(
    [apiUrl, workerUrl].map(async (url) => {
      expect((await fetch(`${url}/health/live`)).status).toBe(200);
      const response = await fetch(`${url}/health/ready`);
      const body = (await response.json()) as { reason?: string };
      return [response.status, body.reason];
    }),
  );
  return { api, worker };
}

/** Expects that orders are accepted and succeed. */
async function expectWork({ apiUrl }: Service, { db }: TestDatabase): Promise<void> {
  const [api] = await logInTo(db, [apiUrl]);
  const customer = await api!.newCustomer();
  expect(await api!.process(batchOf(newBuy(customer, [newAssetNum()])))).toMatchObject([{ state: 'succeeded' }]);
}

/** Runs one of the commands to its end, with the Node.js of this test. */
function runScript(script: string, databaseUrl: string): Promise<Omit<Ended, 'signal'>> {
  const words = script === 'lockstep' ? ['app', 'approve', 'app_x'] : [];
  const env = { DATABASE_URL: databaseUrl, DATA_DIR: newDataDir(), PORT: '0' };
  return runJob([process.execPath, `apps/cli/src/${script}.ts`, ...words], env).then(
    ({ signal: _, ...ended }) => ended,
  );
}

const NEWER = '9999_of_a_later_release';
const OTHER = '0001_application';

/** Has the database say that this migration has run, instead of all others if it is to be alone. */
async function record({ db }: TestDatabase, name: string, { alone = false } = {}): Promise<void> {
  await sql`delete from kysely_migration where ${alone}`.execute(db);
  await sql`insert into kysely_migration (name, timestamp) values (${name}, '2999-01-01T00:00:00.000Z')`.execute(db);
}

it('the tables of BullMQ count if it runs on PostgreSQL', async () => {
  const { db } = await newDatabase({ migrated: false });
  await migrateToLatest(db, RELEASE);
  expect(await findSchemaFault(db, RELEASE)).toBeNull();
  expect(await findSchemaFault(db, RELEASE, 'postgres')).toMatch(/queue.*npm run migrate/);
});

describe('an api and a worker process', () => {
  it('wait for the tables, go on by themselves, and go on beside migrations of a later release', async () => {
    const database = await newDatabase({ migrated: false });
    const service = await launch(database.url, WAITS);
    const reason = expect.stringMatching(/no tables.*npm run migrate/);
    expect(await readiness(service)).toEqual({ api: [503, reason], worker: [503, reason] });
    const stranger = new Api(service.apiUrl, { appKey: 'a', appSecret: 'b' }, 'token');
    const refused = await stranger.submit({});
    expect(refusalOf(refused)).toMatchObject({ code: '500', cause: 'service_unavailable' });
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: 'a', client_secret: 'b' });
    expect((await fetch(`${service.apiUrl}/oauth2/token`, { method: 'POST', body: form })).status).toBe(503);
    expect((await fetch(`${service.apiUrl}/nothing`)).status).toBe(404);
    expect((await fetch(`${service.apiUrl}/docs`)).status).toBe(200);

    expect(await runScript('migrate', database.url)).toEqual({ status: 0, stdout: expect.any(String), stderr: '' });
    await Promise.all([service.api.logged('api ready'), service.worker.logged('worker ready')]);
    await expectWork(service, database);
    expect(await readiness(service)).toEqual({ api: [200, undefined], worker: [200, undefined] });
    for (const each of [service.api, service.worker]) {
      const told = each.linesWith(WAITS).map((line) => (JSON.parse(line) as { reason: string }).reason);
      // A look may come between the service's tables and the queue's; whatever it finds is said once.
      expect(told[0]).toEqual(reason);
      expect(told).toEqual([...new Set(told)]);
      expect(each.linesWith(GOES_ON)).toHaveLength(1);
      expect(each.linesWith('"level":50')).toEqual([]);
    }

    await record(database, NEWER);
    await expectWork(await launch(database.url, 'ready'), database);
    const again = await runScript('migrate', database.url);
    expect(again).toEqual({ status: 0, stdout: expect.not.stringMatching(/^applied /m), stderr: '' });
  });

  it('wait when another baseline has made the database, which nothing changes', async () => {
    const database = await newDatabase();
    await record(database, OTHER, { alone: true });
    const service = await launch(database.url, WAITS);
    expect(await readiness(service)).toEqual({ api: [503, OTHER_BASELINE], worker: [503, OTHER_BASELINE] });
  });

  it('wait for a PostgreSQL that is down when they start, and for tables that their role may not read', async () => {
    const database = await newDatabase();
    await sql`revoke select on batch, license_order from current_user`.execute(database.db);
    const port = await freePort();
    const url = Object.assign(new URL(database.url), { port });
    const service = await launch(url.href, WAITS);
    const down = expect.stringContaining('ECONNREFUSED');
    expect(await readiness(service)).toEqual({ api: [503, down], worker: [503, down] });

    const address = await ForwardedAddress.open(database.url, { port });
    onTestFinished(() => address.close());
    const unreadable = 'read batch, license_order';
    await Promise.all([service.api.logged(unreadable), service.worker.logged(unreadable)]);
    const reason = expect.stringContaining(unreadable);
    expect(await readiness(service)).toEqual({ api: [503, reason], worker: [503, reason] });
    await sql`grant select on batch, license_order to current_user`.execute(database.db);
    await Promise.all([service.api.logged('api ready'), service.worker.logged('worker ready')]);
    await expectWork(service, database);
  });

  it('end with status 0 on SIGTERM while they wait', async () => {
    const url = new URL(inject('postgresUrl'));
    url.pathname = '/no_such_database';
    const { api, worker } = await launch(url.href, WAITS);
    expect(await Promise.all([api.stop(), worker.stop()])).toEqual([0, 0]);
  });

  it('ask the database once a second, however many calls ask for their readiness', async () => {
    const database = await newDatabase();
    const service = await launch(database.url, 'ready');
    const { rows: before } = await transactions(database);
    for (let round = 0; round < 20; round++) {
      const ask = () => Promise.all([service.apiUrl, service.workerUrl].map((url) => fetch(`${url}/health/ready`)));
      await Promise.all(Array.from({ length: 50 }, ask));
    }
    const { rows: after } = await transactions(database);
    // There were two thousand calls; these few statements come from the sweep, the queue and the checks.
    expect(after[0]!.count - before[0]!.count).toBeLessThan(1_000);
  });
});

const transactions = ({ db }: TestDatabase) =>
  sql<{ count: number }>`
    select xact_commit::int as count from pg_stat_database where datname = current_database()`.execute(db);

describe('npm run migrate', () => {
  /** Runs a script that must end with this status and one line without the password. Returns the line. */
  async function fault(script: string, url: string, expected = 1): Promise<string> {
    const { status, stdout, stderr } = await runScript(script, url);
    expect([status, stdout]).toEqual([expected, '']);
    expect(stderr).toMatch(/^[^\n]+\n$/);
    expect(stderr).not.toContain(new URL(url).password);
    return stderr.trimEnd();
  }

  const changed = (change: (url: URL) => void): string => {
    const url = new URL(inject('postgresUrl'));
    url.pathname = '/postgres';
    change(url);
    return url.href;
  };
  const at = () => {
    const { hostname, port } = new URL(inject('postgresUrl'));
    return `PostgreSQL at ${hostname}:${port}`;
  };

  it('says in one line what is wrong with DATABASE_URL', async () => {
    const faults = [
      [changed((url) => (url.password = 'not-the-password')), `${at()} (database "postgres", role "lockstep")`],
      [changed((url) => (url.pathname = '/no_such')), `${at()} (database "no_such", role "lockstep")`],
      [changed((url) => (url.hostname = 'postgres.invalid')), 'PostgreSQL at postgres.invalid:'],
      [changed(() => {}), ': permission denied for schema public'],
    ] as const;
    for (const [url, expected] of faults) {
      expect(await fault('migrate', url)).toContain(expected);
    }
  });

  it('lockstep and npm start say in one line that PostgreSQL is down', async () => {
    const port = await freePort();
    const url = `postgres://lockstep:secret-word@127.0.0.1:${port}/lockstep`;
    const down = new RegExp(`PostgreSQL at 127.0.0.1:${port} \\(database "lockstep", role "lockstep"\\).*ECONNREFUSED`);
    expect(await fault('migrate', url)).toMatch(down);
    expect(await fault('lockstep', url, 69)).toMatch(down);
    expect(await fault('start', url)).toMatch(down);
  });

  it('lockstep and npm start refuse a database that another baseline has made, and change nothing', async () => {
    const database = await newDatabase();
    await record(database, OTHER, { alone: true });
    const { url } = database;
    expect(await fault('migrate', url)).toContain(OTHER_BASELINE);
    expect(await fault('lockstep', url)).toContain(OTHER_BASELINE);
    expect(await fault('start', url)).toContain(OTHER_BASELINE);
    const { rows } = await sql`select name from kysely_migration`.execute(database.db);
    expect(rows).toEqual([{ name: OTHER }]);
  });
});
