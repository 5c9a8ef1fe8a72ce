import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger, Listener, openDatabase, reportHosts } from '@lockstep/platform';
import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, expect, inject, it, vi } from 'vitest';
import {
  addStandby,
  type PostgresServer,
  removeServers,
  startPrimary,
  untilCaughtUp,
} from '../harness/postgres-cluster.ts';
import { runJob } from '../harness/processes.ts';
import { SELF_SIGNED } from '../harness/self-signed.ts';
import { severalHosts } from './several-hosts.ts';

/** One process with connections to a primary and its standby: where it writes while these are killed, promoted and hung. */

let primary: PostgresServer;
let standby: PostgresServer;
let url: string;
let db: ReturnType<typeof openDatabase>;

beforeEach(async () => {
  primary = await startPrimary();
  standby = await addStandby(primary);
  url = severalHosts(standby, primary);
  db = openDatabase({ url, poolSize: 3, applicationName: 'test', queryTimeoutMs: 5_000, onError: () => {} });
  await sql`create table written (text text)`.execute(db);
  await untilCaughtUp(primary, standby);
});
afterEach(async () => {
  await db.destroy();
  await removeServers();
});

const write = (text: string) => sql`insert into written values (${text})`.execute(db);
const writeAgain = (text: string) => vi.waitFor(() => write(text), { timeout: 30_000, interval: 50 });
const textsOf = async (server: PostgresServer) =>
  (await server.query<{ text: string }>('select text from written order by 1')).map(({ text }) => text);
const refusal = async () => {
  const error = await vi.waitFor(
    async () => {
      const failed: Error | undefined = await sql`select`.execute(db).then(
        () => undefined,
        (reason: Error) => reason,
      );
      expect(failed?.name).toBe('NoWritableHost');
      return failed!;
    },
    { timeout: 30_000, interval: 50 },
  );
  return error.message;
};

it('goes to the promoted standby when the primary is killed, moves ids on first, and says so', async () => {
  const registry = new Registry();
  const received: string[] = [];
  const heard = new Listener(url, createLogger({ name: 'test', level: 'silent' }), [
    { channel: 'heard', receive: (payload) => received.push(payload) },
  ]);
  reportHosts(url, createLogger({ name: 'test', level: 'silent' }), registry);
  await heard.start();
  const drawn = async () =>
    Number((await sql<{ id: string }>`select nextval('batch_id') as id`.execute(db)).rows[0]!.id);
  await write('before');
  const before = await drawn();
  await untilCaughtUp(primary, standby);
  await primary.kill();
  expect(await refusal()).toContain('none can be written to');
  await standby.promote();
  await writeAgain('after');
  expect(await textsOf(standby)).toEqual(['after', 'before']);
  expect(await drawn()).toBeGreaterThan(before + 16_000_000);
  const metrics = await registry.metrics();
  expect(metrics).toContain(`lockstep_database_host_written{host="127.0.0.1:${standby.port}"} 1`);
  expect(metrics).toContain(`lockstep_database_host_written{host="127.0.0.1:${primary.port}"} 0`);
  expect(metrics).toContain('lockstep_database_host_switches_total 1');
  await vi.waitFor(
    async () => {
      await sql`notify heard, 'on the new one'`.execute(db);
      expect(received).toContain('on the new one');
    },
    { timeout: 10_000 },
  );
  await heard.close();
});

it('is found by the commands too, and they say what each host is if none can be written to', async () => {
  const run = (...command: string[]) => runJob([process.execPath, ...command], { DATABASE_URL: url, REDIS_URL: '' });
  expect(await run('apps/cli/src/migrate.ts')).toMatchObject({ status: 0 });
  const created = await run('apps/cli/src/lockstep.ts', 'app', 'create', '--name', 'Wide', '--scope', 'auth_order');
  expect(created).toMatchObject({ status: 0, stdout: expect.stringContaining('appKey') });
  await primary.kill();
  const listed = await run('apps/cli/src/lockstep.ts', 'app', 'list');
  const reason = `127.0.0.1:${standby.port} is a standby, 127.0.0.1:${primary.port} is away (ECONNREFUSED)`;
  expect(listed).toMatchObject({ status: 1, stderr: expect.stringContaining(reason) });
});

it('is found by a command while the standby hangs, which refuses no connection', async () => {
  standby.pause();
  const listed = await runJob([process.execPath, 'apps/cli/src/lockstep.ts', 'app', 'list'], {
    DATABASE_URL: url,
    REDIS_URL: '',
  });
  expect(listed).toMatchObject({ status: 0, stderr: '' });
});

it('leaves a primary that hangs when another one was promoted, and refuses both when it resumes', async () => {
  await write('before');
  await untilCaughtUp(primary, standby);
  primary.pause();
  // Sent to the one that hangs: it may carry it out when it resumes, and nobody was told that it has.
  const sent = write('sent to the hung one');
  sent.catch(() => {});
  await standby.promote();
  await writeAgain('after');
  await expect(sent).rejects.toThrow();
  primary.resume();
  expect(await refusal()).toMatch(
    /127\.0\.0\.1:\d+ \(timeline 2\) and 127\.0\.0\.1:\d+ \(timeline 1\) can be written to/,
  );
  await primary.stop();
  await writeAgain('later');
  expect(await textsOf(standby)).toEqual(['after', 'before', 'later']);
});

it('writes to neither when a standby is promoted beside a living primary, until one of them has gone', async () => {
  const other = openDatabase({ url, poolSize: 1, applicationName: 'test', onError: () => {} });
  const held = await other.startTransaction().execute();
  await sql`insert into written values ('in a transaction')`.execute(held);
  await standby.promote();
  expect(await refusal()).toContain('so neither is');
  await expect(held.commit().execute()).rejects.toThrow();
  await held
    .rollback()
    .execute()
    .catch(() => {});
  const [before, beside] = [await textsOf(primary), await textsOf(standby)];
  expect(before).not.toContain('in a transaction');
  await standby.stop();
  await writeAgain('after');
  expect(await textsOf(primary)).toEqual([...before, 'after'].toSorted());
  expect(beside).not.toContain('after');
  await other.destroy();
});

it('does not go back to a primary of before that is started again', async () => {
  await untilCaughtUp(primary, standby);
  await primary.kill();
  await standby.promote();
  await writeAgain('after');
  await standby.kill();
  await primary.start();
  expect(await refusal()).toContain('lacks what was written to');
  expect(await textsOf(primary)).toEqual([]);
});

it('works over TLS, and holds each host against its certificate', async () => {
  for (const server of [primary, standby]) await server.useTls(SELF_SIGNED);
  const rootFile = join(inject('directory'), 'root.crt');
  writeFileSync(rootFile, SELF_SIGNED.cert);
  const verifying = (rest: string) => `${url.replaceAll('127.0.0.1', 'localhost')}?sslmode=verify-full${rest}`;
  const open = (text: string) => openDatabase({ url: text, poolSize: 2, applicationName: 'test', onError: () => {} });
  const [vouched, unknown] = [open(verifying(`&sslrootcert=${rootFile}`)), open(verifying(''))];
  const sessions = sql`select ssl, inet_server_port() as port from pg_stat_ssl where pid = pg_backend_pid()`;
  try {
    // PostgreSQL takes its settings a moment after it was told to.
    const read = () => vi.waitFor(() => sessions.execute(vouched), { timeout: 30_000, interval: 50 });
    expect((await read()).rows).toEqual([{ ssl: true, port: primary.port }]);
    await expect(sessions.execute(unknown)).rejects.toThrow('self-signed certificate');
    await primary.kill();
    await standby.promote();
    expect((await read()).rows).toEqual([{ ssl: true, port: standby.port }]);
  } finally {
    await Promise.all([vouched.destroy(), unknown.destroy()]);
  }
});
