import { afterEach, expect, it, vi } from 'vitest';
import { dataOf } from '../harness/api.ts';
import {
  addStandby,
  type PostgresServer,
  removeServers,
  startPrimary,
  untilCaughtUp,
} from '../harness/postgres-cluster.ts';
import { QUEUE_KINDS } from '../harness/stack.ts';
import { Deployment } from './deployment.ts';
import type { Figures } from './load.ts';
import { severalHosts } from './several-hosts.ts';

/** Two APIs and two workers under load, while the PostgreSQL that they write to is killed, hangs, or gets a rival. */

const PATIENCE = { timeout: 60_000, interval: 100 };
/** Orders before and after what happens. */
const SOME = 150;
/** Everything that was acknowledged is there, and was done once, in order. */
const NOTHING_LOST = { failed: 0, numbersWrong: 0 };

let deployment: Deployment | undefined;

afterEach(async () => {
  const statuses = await deployment?.stop();
  deployment = undefined;
  await removeServers();
  if (statuses !== undefined) expect(statuses, 'every process stops with status 0').toEqual([0, 0, 0, 0]);
});

/** Ends the load, waits for all outcomes, and prints what came of it. */
async function sum(name: string, { load, db }: Deployment): Promise<Figures> {
  await load.end();
  const figures = await load.check(db);
  process.stdout.write(`${name}: ${JSON.stringify(figures)}\n`);
  return figures;
}

const untilReady = (running: Deployment) =>
  vi.waitFor(async () => expect((await running.readiness()).map(({ status }) => status)).toEqual([200, 200]), PATIENCE);

it.each(QUEUE_KINDS)(
  'goes on by itself when the primary is killed and its synchronous standby promoted, and loses nothing: queue on %s',
  async (queue) => {
    const primary = await startPrimary();
    const standby = await addStandby(primary, { synchronous: true });
    deployment = await Deployment.start(severalHosts(primary, standby), queue);
    const { load } = deployment;
    load.begin();
    await load.more(SOME);
    await primary.kill();
    await standby.promote();
    await load.more(SOME);
    const figures = await sum(`primary killed, synchronous standby, queue on ${queue}`, deployment);
    expect(figures).toMatchObject({ ...NOTHING_LOST, found: figures.acknowledged });
    await untilReady(deployment);
    expect(deployment.linesWith('another host of the database is written to')).toHaveLength(4);
  },
);

it('leaves a primary that hangs; while it is back beside the promoted one neither is written to; nothing is lost', async () => {
  const primary = await startPrimary();
  const standby = await addStandby(primary, { synchronous: true });
  deployment = await Deployment.start(severalHosts(primary, standby), 'redis');
  const { load } = deployment;
  load.begin();
  await load.more(SOME);
  primary.pause();
  await standby.promote();
  await load.more(SOME);
  primary.resume();
  await untilSplit(deployment, primary, standby);
  await primary.stop();
  await load.more(SOME);
  const figures = await sum('primary hung, its standby promoted, resumed', deployment);
  expect(figures).toMatchObject({ ...NOTHING_LOST, found: figures.acknowledged });
});

it('writes to neither while a standby is promoted by mistake beside its living primary, and goes on when it has gone', async () => {
  const primary = await startPrimary();
  const standby = await addStandby(primary);
  deployment = await Deployment.start(severalHosts(primary, standby), 'redis');
  const { load } = deployment;
  load.begin();
  await load.more(SOME);
  await standby.promote();
  await untilSplit(deployment, primary, standby);
  const count = async (server: PostgresServer) =>
    (await server.query<{ count: string }>('select count(*) from batch'))[0]!.count;
  const counted = [await count(primary), await count(standby)];
  const refused = await deployment.apis[0]!.newCustomer().catch((error: Error) => error.message);
  expect(refused).toContain('service_unavailable');
  expect([await count(primary), await count(standby)]).toEqual(counted);
  await standby.stop();
  await untilReady(deployment);
  await load.more(SOME);
  const figures = await sum('promoted by mistake', deployment);
  expect(figures).toMatchObject({ ...NOTHING_LOST, found: figures.acknowledged });
});

it('gives nothing out twice when a standby that was behind is promoted, and the reader of events misses none that comes', async () => {
  const primary = await startPrimary();
  const standby = await addStandby(primary);
  // A lost purchase lets no sync revocation succeed, so there are none.
  deployment = await Deployment.start(severalHosts(primary, standby), 'redis', { asyncChains: 6, syncChains: 0 });
  const { load, apis } = deployment;
  const [api] = apis;
  load.begin();
  await load.more(SOME);
  await untilCaughtUp(primary, standby);
  await standby.stop();
  await load.more(SOME);
  const seen = await newestEvent(primary);
  const [batch] = await primary.query<{ id: string }>('select max(id) as id from batch');
  await primary.kill();
  await standby.start();
  await standby.promote();
  await load.more(SOME);
  const figures = await sum('primary killed, standby behind', deployment);
  expect(figures.found).toBeLessThan(figures.acknowledged);
  const [first] = await standby.query<{ id: string }>('select min(id) as id from batch where id > $1', [batch!.id]);
  expect(Number(first!.id) - Number(batch!.id)).toBeGreaterThan(16_000_000);
  const lost = await standby.query('select from batch where id = $1', [batch!.id]);
  expect(lost).toEqual([]);
  // The last event that was read may be lost. The reader goes on from it all the same.
  const newer = await newestEvent(standby);
  expect(newer).toBeGreaterThan(seen + 16_000_000);
  const { events } = dataOf(await api!.ask('getEvents', { query: { after: String(seen), limit: '1' } }));
  expect(events).toHaveLength(1);
});

async function newestEvent(server: PostgresServer): Promise<number> {
  const [row] = await server.query<{ position: string }>('select max(position) as position from event');
  return Number(row!.position);
}

/** Waits until each API says that two hosts can be written to, and which. */
async function untilSplit(running: Deployment, ...servers: PostgresServer[]): Promise<void> {
  await vi.waitFor(async () => {
    for (const { status, reason } of await running.readiness()) {
      expect(status).toBe(503);
      for (const { port } of servers) expect(reason).toContain(`127.0.0.1:${port} (timeline `);
    }
  }, PATIENCE);
}
