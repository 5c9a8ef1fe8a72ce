import { afterEach, expect, it, vi } from 'vitest';
import { addStandby, removeServers, startPrimary } from '../harness/databases/postgres-cluster.ts';
import { MovingAddress } from '../harness/network/moving-address.ts';
import { QUEUE_KINDS } from '../harness/stack.ts';
import { Deployment } from './deployment.ts';

const PATIENCE = { timeout: 60_000, interval: 100 };
/** Orders before and after the primary is killed. */
const SOME = 150;

let address: MovingAddress | undefined;
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
    address = await MovingAddress.open(primary.port);
    deployment = await Deployment.start(address.of(primary.databaseUrl), queue);
    const running = deployment;
    const statuses = async () => (await running.readiness()).map(({ status, reason }) => reason ?? status);
    const { load, db } = running;
    load.begin();
    await load.more(SOME);
    await primary.kill();
    address.moveTo(standby.port);
    // The APIs must not use the standby before it is promoted, because its data may be stale.
    const why = expect.stringContaining('read-only standby');
    await vi.waitFor(async () => expect(await statuses()).toEqual([why, why]), PATIENCE);
    await standby.promote();
    await load.more(SOME);
    await load.end();
    const figures = await load.check(db);
    process.stdout.write(`primary killed, standby promoted, queue on ${queue}: ${JSON.stringify(figures)}\n`);
    // Every acknowledged order must have been applied once, in order.
    expect(figures).toMatchObject({ failed: 0, numbersWrong: 0, found: figures.acknowledged });
    await vi.waitFor(async () => expect(await statuses()).toEqual([200, 200]), PATIENCE);
    const listening = async () =>
      (await standby.query("select from pg_stat_activity where query ilike '%listen %' and pid <> pg_backend_pid()"))
        .length;
    await vi.waitFor(async () => expect(await listening()).toBe(queue === 'postgres' ? 4 : 2), PATIENCE);
  },
);
