import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { openPool } from '@lockstep/test/harness/databases/pool';
import { sql } from 'kysely';
import { expect, inject, it, vi } from 'vitest';
import { Listener } from './listener.ts';

const PATIENTLY = { timeout: 10_000 };
const db = openPool();

function listenTo(url: string) {
  const heard: string[] = [];
  const onLost = vi.fn();
  const subscribers = [{ channel: 'platform_test', receive: (payload: string) => void heard.push(payload) }];
  const listener = new Listener({ url, applicationName: 'platform-listener', subscribers, onLost });
  return { heard, onLost, listener };
}

it('listens again after its connection was lost, and says so once', async () => {
  const { heard, onLost, listener } = listenTo(inject('postgresUrl'));
  await listener.start();
  const tell = (text: string) => sql`select pg_notify('platform_test', ${text})`.execute(db);
  await tell('first');
  await vi.waitUntil(() => heard.length === 1, PATIENTLY);
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'platform-listener'`.execute(db);
  await vi.waitUntil(async () => {
    await tell('later');
    return heard.includes('later');
  }, PATIENTLY);
  expect(onLost).toHaveBeenCalledTimes(1);
  await listener.close();
});

it('says once that PostgreSQL is away, and can be closed then', async () => {
  const { onLost, listener } = listenTo('postgres://127.0.0.1:1/none');
  const started = listener.start();
  await vi.waitUntil(() => onLost.mock.calls.length > 0, PATIENTLY);
  await listener.close();
  await started;
  expect(onLost).toHaveBeenCalledTimes(1);
});

it('can be closed while it connects', async () => {
  const silent = createServer((socket) => socket.resume()).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const connected = once(silent, 'connection');
  const { onLost, listener } = listenTo(`postgres://127.0.0.1:${(silent.address() as AddressInfo).port}/none`);
  const started = listener.start();
  await connected;
  await listener.close();
  await started;
  expect(onLost).not.toHaveBeenCalled();
  silent.close();
});
