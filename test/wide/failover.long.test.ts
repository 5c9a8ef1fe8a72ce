import { openDatabase } from '@lockstep/platform';
import { expect, inject, it, onTestFinished } from 'vitest';
import { addStandby, removeServers, startPrimary } from '../harness/databases/postgres-cluster.ts';
import { ForwardedAddress } from '../harness/network/forwarded-address.ts';
import { testDeployment } from '../harness/processes/deployment.ts';
import { QUEUE_KINDS } from '../harness/stack.ts';
import { Load } from './load.ts';

/** Orders before and after the primary is killed. */
const SOME = 150;

it.each(QUEUE_KINDS)(
  'two APIs and two workers recover when the address of a killed primary moves to its synchronous standby (queue on %s)',
  async (queue) => {
    onTestFinished(removeServers);
    const primary = await startPrimary();
    const standby = await addStandby(primary);
    const address = await ForwardedAddress.open(primary.databaseUrl);
    onTestFinished(() => address.close());
    const db = openDatabase({ url: address.url, poolSize: 2, applicationName: 'test', onError: () => {} });
    const database = { db, url: address.url, close: () => db.destroy() };
    const env = { REDIS_URL: queue === 'redis' ? `${inject('redisUrl')}/9` : '' };
    const { apis, readiness } = await testDeployment({ apis: 2, workers: 2, env, database });
    const statuses = async () => (await readiness()).map(({ status, body }) => body.reason ?? status);
    const load = await Load.open(db, apis);
    const figures = await load.during(`primary killed, standby promoted, queue on ${queue}`, async () => {
      await load.more(SOME);
      await primary.kill();
      address.moveTo(standby.port);
      // The APIs must not use the standby before it is promoted, because its data may be stale.
      const why = expect.stringContaining('read-only standby');
      await expect.poll(statuses).toEqual([why, why]);
      await standby.promote();
      await load.more(SOME);
    });
    // Every acknowledged order must have been applied once, in order.
    expect(figures).toMatchObject({ failed: 0, numbersWrong: 0, found: figures.acknowledged });
    await expect.poll(statuses).toEqual([200, 200]);
    const listening = "select from pg_stat_activity where query ilike '%listen %' and pid <> pg_backend_pid()";
    await expect.poll(() => standby.query(listening)).toHaveLength(queue === 'postgres' ? 4 : 2);
  },
);
