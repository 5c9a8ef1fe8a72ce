import { createApplication } from '@lockstep/access';
import { shippedMigrations } from '@lockstep/platform';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { Api } from '../harness/api.ts';
import { type Ended, endEverything, REPOSITORY, startJob } from '../harness/processes.ts';
import { freePort } from '../harness/redis.ts';
import { ServiceProcess } from '../harness/service-process.ts';
import { createTestDatabase, QUEUE_KINDS, type QueueKind, type TestDatabase } from '../harness/stack.ts';
import { checkOutLastRelease } from './last-release.ts';
import { type Figures, Load } from './load.ts';

/** A database of the last release is brought to this one, and back, while calls come all the time. */

/** A logical database that no other test uses, because real processes use the queue's real name. */
const REDIS_DATABASE = '9';
/** Between two steps, so that each meets calls of every kind. */
const ORDERS_BETWEEN = 90;

const CONTRACTIONS = shippedMigrations().flatMap(({ name, kind }) => (kind === 'contraction' ? [name] : []));

/** A database, and what the processes on it use as queue. */
type Site = TestDatabase & { queue: QueueKind };

interface Deployment {
  apis: ServiceProcess[];
  workers: ServiceProcess[];
  baseUrls: string[];
}

const sites: Site[] = [];
const processes: ServiceProcess[] = [];
let oldDirectory: string;

beforeAll(() => {
  oldDirectory = checkOutLastRelease();
});

afterAll(async () => {
  await Promise.all(processes.map((each) => each.kill()));
  await endEverything();
  await Promise.all(sites.map((each) => each.close()));
});

const envOf = ({ url, queue }: Site) => ({
  DATABASE_URL: url,
  REDIS_URL: queue === 'redis' ? `${inject('redisUrl')}/${REDIS_DATABASE}` : '',
});

/** Runs `npm run migrate` of a checkout to its end. */
function migrate(site: Site, directory = REPOSITORY): Promise<Ended> {
  return startJob([process.execPath, 'apps/cli/src/migrate.ts'], envOf(site), 'ignore', directory).ended;
}

/**
 * Starts the migrations while somebody holds a lock that they need, and kills the migrator while it tries: both releases go
 * on meanwhile, and what it has done stays.
 */
async function killStuckMigrator(site: Site, load: Load): Promise<void> {
  const holder = await site.db.startTransaction().execute();
  try {
    await sql`lock table batch in row exclusive mode`.execute(holder);
    const stuck = startJob([process.execPath, 'apps/cli/src/migrate.ts'], envOf(site));
    const isStuck = async () => (await countWaitingMigrations(site)) > 0;
    await vi.waitUntil(isStuck, { timeout: 60_000 });
    await load.more(ORDERS_BETWEEN);
    await vi.waitUntil(isStuck, { timeout: 60_000 });
    expect((await stuck.end('SIGKILL')).signal).toBe('SIGKILL');
  } finally {
    await holder.rollback().execute();
  }
}

async function countWaitingMigrations({ db }: Site): Promise<number> {
  const { rows } = await sql`
    select from pg_locks join pg_stat_activity using (pid)
    where not granted and datname = current_database() and application_name like 'lockstep-migrate/%'`.execute(db);
  return rows.length;
}

/** Makes two APIs and a worker of a checkout. */
async function deploymentOf(site: Site, directory?: string): Promise<Deployment> {
  const env = envOf(site);
  const ports = [await freePort(), await freePort()];
  const apis = ports.map((port) => ServiceProcess.api({ ...env, PORT: String(port) }, directory));
  const workers = [ServiceProcess.worker(env, directory)];
  processes.push(...apis, ...workers);
  return { apis, workers, baseUrls: ports.map((port) => `http://127.0.0.1:${port}`) };
}

const partsOf = ({ apis, workers }: Deployment) => [...apis, ...workers];

/** Starts the last release on a database of its own, with a load on it. */
async function startOld(queue: QueueKind): Promise<{ site: Site; old: Deployment; load: Load }> {
  const site = Object.assign(await createTestDatabase({ migrated: false }), { queue });
  sites.push(site);
  expect(await migrate(site, oldDirectory)).toMatchObject({ status: 0, stderr: '' });
  const old = await deploymentOf(site, oldDirectory);
  await Promise.all(partsOf(old).map((each) => each.start()));
  const scopes = ['auth_order' as const, 'auth_me' as const];
  const credentials = await createApplication(site.db, { name: 'Upgrade', scopes, approved: true });
  const { token } = await Api.logIn(old.baseUrls[0]!, credentials);
  const targets = old.baseUrls.map((baseUrl) => new Api(baseUrl, credentials, token));
  const load = await Load.open(site.db, targets);
  load.begin();
  await load.more(ORDERS_BETWEEN);
  return { site, old, load };
}

/** Starts the processes of this release beside those of the last one, where they wait for their migrations. */
async function startNewBeside(site: Site): Promise<Deployment> {
  const next = await deploymentOf(site);
  await Promise.all(partsOf(next).map((each) => each.launch('waits for the database')));
  return next;
}

const untilReady = ({ apis, workers }: Deployment) =>
  Promise.all([...apis.map((each) => each.logged('api ready')), ...workers.map((each) => each.logged('worker ready'))]);

function report(what: string, figures: Figures): void {
  process.stdout.write(`${what}: ${JSON.stringify(figures)}\n`);
}

function expectAllThere(figures: Figures): void {
  const { sent, acknowledged, found, failed, numbersWrong, edits, editsOnRecord } = figures;
  expect(sent).toBe(acknowledged);
  expect(acknowledged).toBeGreaterThan(5 * ORDERS_BETWEEN);
  expect({ found, failed, numbersWrong }).toEqual({ found: acknowledged, failed: 0, numbersWrong: 0 });
  expect(edits).toBeGreaterThan(10);
  expect(editsOnRecord).toBe(edits);
}

describe('an upgrade from the last release, under load', () => {
  it.each(QUEUE_KINDS)('goes through both releases side by side, and refuses no call: queue on %s', async (queue) => {
    const { site, old, load } = await startOld(queue);
    const next = await startNewBeside(site);
    await load.more(ORDERS_BETWEEN);

    await killStuckMigrator(site, load);
    const expanded = await migrate(site);
    expect(expanded).toMatchObject({ status: 0, stderr: '' });
    for (const name of CONTRACTIONS) {
      expect(expanded.stdout).not.toContain(`applied ${name}`);
      expect(expanded.stdout).toMatch(new RegExp(`Left for now: .*${name}.*lockstep-api.*lockstep-worker`));
    }
    await untilReady(next);
    load.use([...old.baseUrls, ...next.baseUrls]);
    await load.more(2 * ORDERS_BETWEEN);
    for (const each of partsOf(old)) expect(each.linesWith('waits for the database')).toEqual([]);

    // One after the other, as a rolling update does: a proxy sends no more calls, then the process is told to stop.
    for (const [index, api] of old.apis.entries()) {
      load.use([...old.baseUrls.slice(index + 1), ...next.baseUrls]);
      await load.more(ORDERS_BETWEEN);
      expect(await api.stop()).toBe(0);
    }
    for (const worker of old.workers) expect(await worker.stop()).toBe(0);
    await load.more(ORDERS_BETWEEN);

    const contracted = await migrate(site);
    expect(contracted).toMatchObject({ status: 0, stderr: '' });
    for (const name of CONTRACTIONS) expect(contracted.stdout).toContain(`applied ${name}`);
    expect(contracted.stdout).toMatch(/The database is up to date\.\n$/);
    await load.more(2 * ORDERS_BETWEEN);
    await load.end();
    const figures = await load.check(site.db);
    report(`upgrade, queue on ${queue}`, figures);
    expect(load.faults).toEqual([]);
    expectAllThere(figures);
    for (const each of partsOf(next)) expect(await each.stop()).toBe(0);
  });

  it('can be given up after the expansions: the processes of the last release go on', async () => {
    const { site, old, load } = await startOld('redis');
    const next = await startNewBeside(site);
    expect(await migrate(site)).toMatchObject({ status: 0, stderr: '' });
    await untilReady(next);
    load.use([...old.baseUrls, ...next.baseUrls]);
    await load.more(2 * ORDERS_BETWEEN);

    load.use(old.baseUrls);
    await load.more(ORDERS_BETWEEN);
    for (const each of partsOf(next)) expect(await each.stop()).toBe(0);
    await load.more(2 * ORDERS_BETWEEN);
    await load.end();
    const figures = await load.check(site.db);
    report('given up', figures);
    expect(load.faults).toEqual([]);
    expectAllThere(figures);
    for (const each of partsOf(old)) expect(await each.stop()).toBe(0);
    const { rows } = await sql<{ name: string }>`
      select name from kysely_migration where name like '%.contract'`.execute(site.db);
    expect(rows).toEqual([]);
  });
});
