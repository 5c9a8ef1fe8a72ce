import { afterAll, expect, inject, it } from 'vitest';
import { freePort } from '../harness/network/redis.ts';
import { logInTo } from '../harness/processes/deployment.ts';
import { endEverything, startJob } from '../harness/processes/processes.ts';
import { ServiceProcess } from '../harness/processes/service-process.ts';
import { createTestDatabase, type TestDatabase } from '../harness/stack.ts';
import { Load } from './load.ts';
import { makeNextRelease } from './next-release.ts';

/** The next release replaces this one under continuous load, as docs/deployment.md describes. */

/** A logical database for this test alone, because real processes share the name of the queue. */
const REDIS_DATABASE = '9';
/** Orders between two steps, so that calls of every kind occur during each. */
const ORDERS_BETWEEN = 90;

/**
 * A migration that the old release tolerates, because its additions are optional. It locks tables that every call
 * needs.
 */
const ADDITIVE = `
  alter table batch add column note text;
  alter table license_order add column note text;
  create table note (batch_id bigint primary key, text text not null);
`;

let database: TestDatabase | undefined;
const processes: ServiceProcess[] = [];

afterAll(async () => {
  await Promise.all(processes.map((each) => each.kill()));
  await endEverything();
  await database?.close();
});

/** Creates two APIs and a worker of a checkout. */
async function deploymentOf(env: Record<string, string>, directory?: string) {
  const ports = [await freePort(), await freePort()];
  const apis = ports.map((port) => ServiceProcess.api({ ...env, PORT: String(port) }, directory));
  const worker = ServiceProcess.worker(env, directory);
  processes.push(...apis, worker);
  return { apis, worker, all: [...apis, worker], baseUrls: ports.map((port) => `http://127.0.0.1:${port}`) };
}

it('an update under load, first the migration and then the processes, refuses no call and loses no order', async () => {
  database = await createTestDatabase();
  const env = { DATABASE_URL: database.url, REDIS_URL: `${inject('redisUrl')}/${REDIS_DATABASE}` };
  const directory = makeNextRelease({ '9001_note.sql': ADDITIVE });
  const old = await deploymentOf(env);
  await Promise.all(old.all.map((each) => each.start()));
  const load = await Load.open(database.db, await logInTo(database.db, old.baseUrls));
  const next = await deploymentOf(env, directory);
  const figures = await load.during('upgrade', async () => {
    await load.more(ORDERS_BETWEEN);
    // New processes that start before the migration wait for it.
    await Promise.all(next.all.map((each) => each.launch('missing 9001_note')));
    await load.more(ORDERS_BETWEEN);
    const migrated = await startJob([process.execPath, 'apps/cli/src/migrate.ts'], env, 'ignore', directory).ended;
    expect(migrated).toMatchObject({ status: 0, stderr: '' });
    expect(migrated.stdout.match(/^applied .*$/gm)).toEqual(['applied 9001_note']);
    await Promise.all([...next.apis.map((each) => each.logged('api ready')), next.worker.logged('worker ready')]);
    load.use([...old.baseUrls, ...next.baseUrls]);
    await load.more(2 * ORDERS_BETWEEN);
    for (const each of old.all) expect(each.linesWith('waiting for database')).toEqual([]);

    // A rolling update: for each process, the proxy stops sending calls, then the process is stopped.
    for (const [index, api] of old.apis.entries()) {
      load.use([...old.baseUrls.slice(index + 1), ...next.baseUrls]);
      await load.more(ORDERS_BETWEEN);
      expect(await api.stop()).toBe(0);
    }
    expect(await old.worker.stop()).toBe(0);
    await load.more(ORDERS_BETWEEN);
  });
  expect(load.faults).toEqual([]);
  const { sent, acknowledged, found, failed, numbersWrong, edits, editsOnRecord } = figures;
  expect(sent).toBe(acknowledged);
  expect(acknowledged).toBeGreaterThan(5 * ORDERS_BETWEEN);
  expect({ found, failed, numbersWrong }).toEqual({ found: acknowledged, failed: 0, numbersWrong: 0 });
  expect(edits).toBeGreaterThan(0);
  expect(editsOnRecord).toBe(edits);
  for (const each of next.all) expect(await each.stop()).toBe(0);
});
