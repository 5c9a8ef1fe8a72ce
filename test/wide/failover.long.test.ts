import { afterEach, expect, inject, it, vi } from 'vitest';
import { addStandby, removeServers, startPrimary } from '../harness/databases/postgres-cluster.ts';
import { ForwardedAddress } from '../harness/network/forwarded-address.ts';
import { QUEUE_KINDS } from '../harness/stack.ts';
import { type Deployment, startDeployment } from './deployment.ts';
import { Load } from './load.ts';

const PATIENCE = { timeout: 60_000, interval: 100 };
/** Orders before and after the primary is killed. */
const SOME = 150;

let address: ForwardedAddress | undefined;
let deployment: Deployment | undefined;

afterEach(async () => {
  const statuses = await deployment?.stop();
  deployment = undefined;
  address?.close();
  await removeServers();
  if (statuses !== undefined) expect(statuses, 'every process stops with status 0').toEqual([0, 0, 0, 0]);
});

it.each(QUEUE_KINDS)(
  'two APIs and two workers recover when the address of a killed primary moves to its synchronous standby (queue on %s)',
  async (queue) => {
    const primary = await startPrimary();
    const standby = await addStandby(primary);
    address = await ForwardedAddress.open(primary.databaseUrl);
    deployment = await startDeployment(address.url, queue === 'redis' ? `${inject('redisUrl')}/9` : '');
    const { db, apis, readiness } = deployment;
    const statuses = async () => (await readiness()).map(({ status, body }) => body.reason ?? status);
    const load = await Load.open(db, apis);
    const figures = await load.during(`primary killed, standby promoted, queue on ${queue}`, async () => {
      await load.more(SOME);
      await primary.kill();
      address!.moveTo(standby.port);
      // The APIs must not use the standby before it is promoted, because its data may be stale.
      const why = expect.stringContaining('read-only standby');
      await vi.waitFor(async () => expect(await statuses()).toEqual([why, why]), PATIENCE);
      await standby.promote();
      await load.more(SOME);
    });
    // Every acknowledged order must have been applied once, in order.
    expect(figures).toMatchObject({ failed: 0, numbersWrong: 0, found: figures.acknowledged });
    await vi.waitFor(async () => expect(await statuses()).toEqual([200, 200]), PATIENCE);
    const listening = async () =>
      (await standby.query("select from pg_stat_activity where query ilike '%listen %' and pid <> pg_backend_pid()"))
        .length;
    await vi.waitFor(async () => expect(await listening()).toBe(queue === 'postgres' ? 4 : 2), PATIENCE);
  },
);
