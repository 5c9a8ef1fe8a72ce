import { Listener, openDatabase } from '@lockstep/platform';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { addStandby, removeServers, startPrimary } from '../harness/databases/postgres-cluster.ts';
import { runJob } from '../harness/processes/processes.ts';

afterAll(removeServers);

test('a standby gets no statements until it is promoted, and gets them from then on', async () => {
  const primary = await startPrimary();
  const standby = await addStandby(primary);
  const url = standby.databaseUrl;
  const db = openDatabase({ url, poolSize: 2, applicationName: 'test', onError: () => {} });
  const received: string[] = [];
  const subscriber = { channel: 'heard', receive: (payload: string) => void received.push(payload) };
  const heard = new Listener({ url, applicationName: 'test', subscribers: [subscriber], onLost: () => {} });
  void heard.start();
  await expect(sql`select`.execute(db)).rejects.toThrow('read-only');
  const listed = await runJob([process.execPath, 'apps/cli/src/lockstep.ts', 'app', 'list'], { DATABASE_URL: url });
  expect(listed).toMatchObject({
    status: 69,
    stderr: expect.stringMatching(/^lockstep: PostgreSQL at .* read-only standby\.\n$/),
  });
  await primary.kill();
  await standby.promote();
  await sql`create table written ()`.execute(db);
  const hear = () => sql`notify heard, 'on the promoted one'`.execute(db).then(() => received);
  await expect.poll(hear).toContain('on the promoted one');
  await heard.close();
  await db.destroy();
});
