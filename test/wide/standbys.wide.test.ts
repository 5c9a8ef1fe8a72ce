import { afterAll, expect, test } from 'vitest';
import {
  addStandby,
  type PostgresServer,
  removeServers,
  startPrimary,
  untilCaughtUp,
  untilStreaming,
} from '../harness/postgres-cluster.ts';

afterAll(removeServers);

const countOn = async (server: PostgresServer) => {
  const [row] = await server.query<{ count: number }>('select count(*)::int as count from noted');
  return row!.count;
};

test('a standby follows, outlives its primary, is promoted, and is followed by what was the primary', async () => {
  const primary = await startPrimary({ migrated: false });
  await primary.query('create table noted (id int)');
  const standby = await addStandby(primary, { synchronous: true });

  await primary.query('insert into noted values (1)');
  await untilCaughtUp(primary, standby);
  expect(await countOn(standby)).toBe(1);
  await expect(standby.query('insert into noted values (2)')).rejects.toThrow('read-only transaction');

  await primary.query('insert into noted values (2)');
  await primary.kill();
  await expect(countOn(primary)).rejects.toThrow('ECONNREFUSED');
  await standby.promote();
  expect(await countOn(standby)).toBe(2);
  await standby.query('insert into noted values (3)');

  await primary.startAsStandbyOf(standby);
  await untilStreaming(standby, primary);
  await untilCaughtUp(standby, primary);
  expect(await countOn(primary)).toBe(3);
});

test('a standby shows what was committed as late as it is told, and goes on after a pause and a kill', async () => {
  const primary = await startPrimary({ migrated: false });
  await primary.query('create table noted (id int)');
  const standby = await addStandby(primary, { delayMs: 3_600_000 });
  await primary.query('insert into noted values (1)');
  const [row] = await primary.query<{ at: string }>('select pg_current_wal_flush_lsn() as at');
  await expect
    .poll(() => standby.query('select pg_last_wal_receive_lsn() >= $1::pg_lsn as received', [row!.at]))
    .toEqual([{ received: true }]);
  expect(await countOn(standby)).toBe(0);

  await standby.set('recovery_min_apply_delay', null);
  await untilCaughtUp(primary, standby);
  expect(await countOn(standby)).toBe(1);

  standby.pause();
  await primary.query('insert into noted values (2)');
  standby.resume();
  await untilCaughtUp(primary, standby);
  expect(await countOn(standby)).toBe(2);

  await standby.kill();
  await primary.query('insert into noted values (3)');
  await standby.start();
  await untilCaughtUp(primary, standby);
  expect(await countOn(standby)).toBe(3);
});
