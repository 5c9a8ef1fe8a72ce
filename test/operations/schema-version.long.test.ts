import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { createApplication } from '@lockstep/access';
import { migrateDatabase } from '@lockstep/cli';
import { QUEUE_NAME } from '@lockstep/orders';
import {
  type AppliedMigrations,
  compareSchema,
  explainFault,
  migratePostgresQueue,
  migrateToLatest,
  readSchemaState,
} from '@lockstep/platform';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, afterEach, describe, expect, inject, it } from 'vitest';
import { Api, dataOf, refusalOf } from '../harness/api.ts';
import { takeBack } from '../harness/migrations.ts';
import { batchOf, newAssetNum, newBuy } from '../harness/orders.ts';
import { type Ended, endEverything, newDataDir, runJob } from '../harness/processes.ts';
import { freePort } from '../harness/redis.ts';
import { ServiceProcess } from '../harness/service-process.ts';
import { createTestDatabase, type TestDatabase } from '../harness/stack.ts';

/** API and worker work on the schema of their release only: they wait for it, and end no order on another one. */

const databases: TestDatabase[] = [];
const processes: ServiceProcess[] = [];
const servers: Server[] = [];

afterEach(async () => {
  const ended = await Promise.all(processes.splice(0).map((each) => each.stop()));
  expect(ended.filter((status) => status !== 0)).toEqual([]);
  for (const server of servers.splice(0)) server.close();
  await Promise.all(databases.splice(0).map((each) => each.close()));
});

afterAll(endEverything);

async function newDatabase(options?: { migrated: boolean }): Promise<TestDatabase> {
  const database = await createTestDatabase(options);
  databases.push(database);
  return database;
}

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
  processes.push(api, worker);
  await Promise.all([api.launch('api listens'), worker.launch('worker started')]);
  await Promise.all([api.logged(text), worker.logged(text)]);
  return { api, worker, apiUrl: `http://127.0.0.1:${port}`, workerUrl: `http://127.0.0.1:${workerPort}` };
}

const WAITS = 'waits for the database';
const GOES_ON = 'the database can be used; goes on';

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

async function logInNewApplication({ apiUrl }: Service, { db }: TestDatabase): Promise<Api> {
  const application = { name: 'Test', scopes: ['auth_order' as const], approved: true };
  return await Api.logIn(apiUrl, await createApplication(db, application));
}

/** Expects that orders are accepted and succeed. */
async function expectWork(service: Service, database: TestDatabase): Promise<void> {
  const api = await logInNewApplication(service, database);
  const customer = await api.newCustomer();
  expect(await api.process(batchOf(newBuy(customer, [newAssetNum()])))).toMatchObject([{ state: 'succeeded' }]);
}

/** Runs one of the commands to its end, with the Node.js of this test. */
function runScript(script: string, databaseUrl: string): Promise<Omit<Ended, 'signal'>> {
  const words = script === 'lockstep' ? ['app', 'approve', 'app_x'] : [];
  const env = { DATABASE_URL: databaseUrl, DATA_DIR: newDataDir(), PORT: '0' };
  return runJob([process.execPath, `apps/cli/src/${script}.ts`, ...words], env).then(
    ({ signal: _, ...ended }) => ended,
  );
}

/** Runs all migrations, and takes back the newest of those that a release cannot do without. */
async function migrateAllButOne({ db, url }: TestDatabase): Promise<string> {
  await migrateToLatest(db);
  await migratePostgresQueue(url, QUEUE_NAME, 10_000);
  const [newest] = await takeBack(db, 1);
  return newest!;
}

const NEWER = '9999_of_a_later_release';
const addNewer = ({ db }: TestDatabase) =>
  sql`insert into kysely_migration (name, timestamp) values (${NEWER}, '2999-01-01T00:00:00.000Z')`.execute(db);

describe('migrations of a release and of a database', () => {
  const SHIPPED = [
    { name: '0050_a', number: 50, kind: 'history' },
    { name: '0051_b', number: 51, kind: 'expansion' },
    { name: '0052_c.contract', number: 52, kind: 'contraction' },
    { name: '0053_d.repeat', number: 53, kind: 'repeat' },
    { name: '0054_e.contract', number: 54, kind: 'contraction' },
  ] as const;
  const ALL = { decisive: ['0050_a', '0052_c.contract', '0054_e.contract'], expansions: ['0051_b', '0053_d.repeat'] };
  const isNot = (name: string) => (each: string) => each !== name;
  const without = (name: string) => ({
    decisive: ALL.decisive.filter(isNot(name)),
    expansions: ALL.expansions.filter(isNot(name)),
  });

  it.each<[string, AppliedMigrations, string, RegExp | null]>([
    ['the same', ALL, 'current', null],
    ['none in the database', { decisive: [], expansions: [] }, 'missing', /no tables.*npm run migrate/],
    ['no expansion yet', { decisive: ['0050_a'], expansions: [] }, 'behind', /lacks 0051_b to 0053_d.repeat.*npm run/],
    ['an expansion that has not run', without('0051_b'), 'behind', /lacks 0051_b\)/],
    ['a back-fill that has not come to its end', without('0053_d.repeat'), 'behind', /lacks 0053_d.repeat\)/],
    ['a contraction before an expansion', without('0052_c.contract'), 'behind', /lacks 0052_c.contract\)/],
    ['a contraction of its own that has not run', without('0054_e.contract'), 'current', null],
    ['an expansion of a later release', { ...ALL, expansions: [...ALL.expansions, '0055_f'] }, 'current', null],
    [
      'a contraction of a later release',
      { ...ALL, decisive: [...ALL.decisive, '0056_g.contract'] },
      'ahead',
      /newer than this release \(0056_g.contract\)/,
    ],
  ])('%s', (_, applied, state, reason) => {
    const found = compareSchema(SHIPPED, applied);
    expect(found.state).toBe(state);
    if (reason === null) expect(found.reason).toBeNull();
    else expect(found.reason).toMatch(reason);
  });

  it('of BullMQ count if it runs on PostgreSQL', async () => {
    const { db } = await newDatabase({ migrated: false });
    await migrateToLatest(db);
    expect(await readSchemaState(db)).toMatchObject({ state: 'current' });
    expect(await readSchemaState(db, 'postgres')).toMatchObject({
      state: 'missing',
      reason: expect.stringMatching(/queue.*npm run migrate/),
    });
  });
});

describe('an api and a worker process', () => {
  it('wait for the tables, then for the newest migration, and go on by themselves', async () => {
    const database = await newDatabase({ migrated: false });
    const service = await launch(database.url, WAITS);
    const reason = 'the database has no tables yet: run npm run migrate';
    expect(await readiness(service)).toEqual({ api: [503, reason], worker: [503, reason] });
    const stranger = new Api(service.apiUrl, { appKey: 'a', appSecret: 'b' }, 'token');
    const refused = await stranger.submit({});
    expect(refusalOf(refused)).toMatchObject({ code: '500', cause: 'service_unavailable' });
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: 'a', client_secret: 'b' });
    expect((await fetch(`${service.apiUrl}/oauth2/token`, { method: 'POST', body: form })).status).toBe(503);
    expect((await fetch(`${service.apiUrl}/nothing`)).status).toBe(404);
    expect((await fetch(`${service.apiUrl}/docs`)).status).toBe(200);

    const newest = await migrateAllButOne(database);
    const behind = `the database is older than this release (lacks ${newest}): run npm run migrate`;
    await Promise.all([service.api.logged(behind), service.worker.logged(behind)]);
    expect(await readiness(service)).toEqual({ api: [503, behind], worker: [503, behind] });

    expect(await runScript('migrate', database.url)).toEqual({ status: 0, stdout: expect.any(String), stderr: '' });
    await Promise.all([service.api.logged('api ready'), service.worker.logged('worker ready')]);
    await expectWork(service, database);
    expect(await readiness(service)).toEqual({ api: [200, undefined], worker: [200, undefined] });
    for (const each of [service.api, service.worker]) {
      const told = each.linesWith(WAITS).map((line) => (JSON.parse(line) as { reason: string }).reason);
      // A look may come between two migrations; whatever it finds is said once.
      expect([told[0], told.at(-1)]).toEqual([reason, behind]);
      expect(told).toEqual([...new Set(told)]);
      expect(each.linesWith(GOES_ON).length).toBeGreaterThan(0);
      expect(each.linesWith('"level":50')).toEqual([]);
    }
  });

  it('stop on a database that a newer release has migrated, leave its orders pending, and go on when the schema is theirs again', async () => {
    const database = await newDatabase();
    const service = await launch(database.url, 'ready');
    // An API of the newer release: through its search path it reads a list of migrations of its own.
    await sql`create schema other`.execute(database.db);
    await sql`create table other.kysely_migration as table kysely_migration`.execute(database.db);
    const url = new URL(database.url);
    url.searchParams.set('options', '-c search_path=other,public');
    const port = String(await freePort());
    const newerApi = ServiceProcess.api({ DATABASE_URL: url.href, REDIS_URL: '', PORT: port });
    processes.push(newerApi);
    await newerApi.start();
    const api = await logInNewApplication(service, database);
    const newer = new Api(`http://127.0.0.1:${port}`, api.credentials, api.token);
    const customer = await api.newCustomer();

    await addNewer(database);
    await Promise.all([service.api.logged(WAITS), service.worker.logged(WAITS)]);
    const reason = `the database is newer than this release (${NEWER}): run the release that migrated it`;
    expect(await readiness(service)).toEqual({ api: [503, reason], worker: [503, reason] });
    const batch = batchOf(newBuy(customer, [newAssetNum()]));
    expect(refusalOf(await api.submit(batch))).toMatchObject({ code: '500', cause: 'service_unavailable' });
    await newer.accept(batch);
    // Longer than a job and a sweep would take.
    const query = { channelCode: batch.channelCode, channelOrderId: batch.channelOrderId, waitSeconds: '4' };
    const result = await newer.call('GET', '/licenseOrder/batchOrder', { query });
    expect(dataOf(result)).toMatchObject({ state: 'accepted', pending: 1 });

    await sql`delete from kysely_migration where name = ${NEWER}`.execute(database.db);
    await Promise.all([service.api.logged(GOES_ON), service.worker.logged(GOES_ON)]);
    expect(await api.completed(batch)).toMatchObject({ succeeded: 1 });
  });

  it('wait for a PostgreSQL that is down when they start, and for tables that their role may not read', async () => {
    const database = await newDatabase();
    await sql`revoke select on batch, license_order from current_user`.execute(database.db);
    const port = await freePort();
    const url = new URL(database.url);
    const target = { host: url.hostname, port: Number(url.port) };
    url.port = String(port);
    const service = await launch(url.href, WAITS);
    const down = 'PostgreSQL does not answer (ECONNREFUSED)';
    expect(await readiness(service)).toEqual({ api: [503, down], worker: [503, down] });

    const server = createServer((client) => {
      const upstream = connect(target);
      client.pipe(upstream).pipe(client);
      for (const socket of [client, upstream]) socket.on('error', () => {});
    });
    servers.push(server);
    await once(server.listen(port, '127.0.0.1'), 'listening');
    const unreadable = 'the role of DATABASE_URL may not read batch, license_order: grant it that';
    await Promise.all([service.api.logged(unreadable), service.worker.logged(unreadable)]);
    expect(await readiness(service)).toEqual({ api: [503, unreadable], worker: [503, unreadable] });
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
  /** Runs a script that must end with status 1 and one line without the password. Returns the line. */
  async function fault(script: string, url: string): Promise<string> {
    const { status, stdout, stderr } = await runScript(script, url);
    expect([status, stdout]).toEqual([1, '']);
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
    const here = (database: string) => `${at()} (database "${database}", role "lockstep")`;
    const faults = [
      [changed((url) => (url.password = 'not-the-password')), `${here('postgres')} refuses the password of this role.`],
      [changed((url) => (url.pathname = '/no_such')), `${here('no_such')} has no such database.`],
      [changed((url) => (url.hostname = 'postgres.invalid')), /^PostgreSQL at postgres.invalid:.* does not answer \(E/],
      [
        changed(() => {}),
        /does not let this role do what is needed: permission denied for schema public\. What was done before/,
      ],
    ] as const;
    for (const [url, expected] of faults) {
      const line = await fault('migrate', url);
      expect(line).toMatch(/^Could not migrate: /);
      const said = line.slice('Could not migrate: '.length);
      if (typeof expected === 'string') expect(said).toBe(expected);
      else expect(said).toMatch(expected);
    }
  });

  it('lockstep and npm start say in one line that PostgreSQL is down', async () => {
    const port = await freePort();
    const url = `postgres://lockstep:secret-word@127.0.0.1:${port}/lockstep`;
    const down = `PostgreSQL at 127.0.0.1:${port} (database "lockstep", role "lockstep") does not answer (ECONNREFUSED).`;
    expect(await fault('migrate', url)).toBe(`Could not migrate: ${down}`);
    expect(await fault('lockstep', url)).toBe(`lockstep: ${down}`);
    expect(await fault('start', url)).toBe(`Lockstep could not start: ${down}`);
  });

  it('lockstep and npm start refuse a database that a newer release has migrated', async () => {
    const { url, ...database } = await newDatabase();
    await addNewer({ url, ...database });
    const newer = `the database is newer than this release (${NEWER}): run the release that migrated it`;
    expect(await fault('migrate', url)).toBe(`Could not migrate: ${newer}`);
    expect(await fault('lockstep', url)).toBe(`lockstep: ${newer}`);
    expect(await fault('start', url)).toBe(`Lockstep could not start: ${newer}`);
  });

  const HASTE = { lockTimeoutMs: 50, patienceMs: 200 };

  it('gives up on a lock that others hold, says so, and changes nothing', async () => {
    const database = await newDatabase({ migrated: false });
    const newest = await migrateAllButOne(database);
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    try {
      await other.query('begin');
      await other.query('lock table kysely_migration');
      const failing = migrateDatabase(database.url, { kind: 'postgres', url: database.url }, HASTE);
      const error = await failing.then(
        () => null,
        (thrown: unknown) => thrown,
      );
      expect(explainFault(error, database.url)).toMatch(/waited too long for a lock that another session holds/);
      await other.query('rollback');
    } finally {
      await other.end();
    }
    const { applied } = await migrateDatabase(database.url, { kind: 'postgres', url: database.url });
    expect(applied[0]).toBe(newest);
  });
});
