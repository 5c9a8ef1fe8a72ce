import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { afterAll, afterEach, expect, test } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './index.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'embedded-postgres-')));
// Most tests share one cluster, at a path that would break in a shell.
const shared = join(root, `a b $HOME "c" 'd'`);
const running: EmbeddedPostgres[] = [];
const children: ChildProcess[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const postgres of running.splice(0)) await postgres.stop();
});
afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 20 }));

async function start(directory = shared): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ directory });
  running.push(postgres);
  return postgres;
}

/** Starts PostgreSQL from another process. `url` resolves when PostgreSQL runs. */
function startElsewhere(directory = shared, prefix: string[] = []): { child: ChildProcess; url: Promise<string> } {
  const program = `
    const { startEmbeddedPostgres } = await import(process.argv[1]);
    console.log((await startEmbeddedPostgres({ directory: process.argv[2] })).databaseUrl);`;
  const command = [process.execPath, '--input-type=module', '-e', program, join(import.meta.dirname, 'index.ts')];
  const [file = '', ...args] = [...prefix, ...command, directory];
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  return { child, url: once(createInterface(child.stdout), 'line').then(([line]) => String(line)) };
}

async function kill(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client
    .query(sql)
    .then(({ rows }) => rows)
    .finally(() => client.end());
}

const pidFile = (directory: string) => join(directory, 'cluster', 'postmaster.pid');
const readPid = (directory: string) => Number(readFileSync(pidFile(directory), 'utf8').split('\n')[0]);
const readStatus = (pid: number, name: string) =>
  new RegExp(`^${name}:\t(.*)$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];

/** Finds the pids of the processes that have the words in their command line. */
const findProcesses = (...words: string[]) =>
  readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid) || !existsSync(`/proc/${pid}/cmdline`)) return false;
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return words.every((word) => command.includes(word));
  });

const SOON = { timeout: 30_000, interval: 5 };

test.each(['', 'lock', 'postgres.log'])('refuses a directory in which others can write to "%s"', async (name) => {
  const directory = mkdtempSync(join(root, 'planted-'));
  if (name !== '') writeFileSync(join(directory, name), '');
  chmodSync(join(directory, name), 0o722);
  await expect(start(directory)).rejects.toThrow(/chmod/);
  expect(readdirSync(directory)).toEqual(name === '' ? [] : [name]);
});

test('gives a plain role that owns its database, in files that only their owner can read, and keeps its data', async () => {
  process.env.SECRET_OF_OURS = 'secret';
  const first = await start();
  expect(readFileSync(`/proc/${readPid(shared)}/environ`, 'utf8')).not.toContain('SECRET_OF_OURS');
  expect(first.databaseUrl).toMatch(/^postgres:\/\/lockstep:[0-9a-f]{64}@127\.0\.0\.1:\d+\/lockstep$/);
  const [role] = await query(
    first.databaseUrl,
    `select rolsuper, rolcreatedb, pg_get_userbyid(datdba) as owner, pg_encoding_to_char(encoding) as encoding, datlocale,
      current_setting('fsync') as fsync, current_setting('timezone') as timezone, current_setting('listen_addresses') as addresses
      from pg_roles, pg_database where rolname = current_user and datname = current_database()`,
  );
  const settings = { fsync: 'on', timezone: 'UTC', addresses: '127.0.0.1' };
  const database = { owner: 'lockstep', encoding: 'UTF8', datlocale: 'C.UTF-8' };
  expect(role).toEqual({ rolsuper: false, rolcreatedb: true, ...database, ...settings });
  await expect(query(first.databaseUrl.replace(/:[0-9a-f]{64}@/, ':wrong@'), 'select')).rejects.toThrow(
    'authentication',
  );
  const modes = readdirSync(shared).map((name) => [name, (statSync(join(shared, name)).mode & 0o777).toString(8)]);
  const files = { lock: '600', 'postgres.log': '600', 'superuser-password': '600' };
  expect(Object.fromEntries(modes)).toEqual({ cluster: '700', ...files });
  await query(first.databaseUrl, `create table kept as select 'ø' as value`);
  await first.stop();
  await first.stop();
  await expect(query(first.databaseUrl, 'select')).rejects.toThrow('ECONNREFUSED');

  const { databaseUrl } = await start();
  expect(await query(databaseUrl, 'select value from kept')).toEqual([{ value: 'ø' }]);
  await expect(start()).rejects.toThrow('DATA_DIR');
});

test('ends when its starter is killed, also twice in a row, and keeps its data', async () => {
  for (const name of ['once', 'twice']) {
    const { child, url } = startElsewhere();
    await query(await url, `create table ${name} ()`);
    await expect(start()).rejects.toThrow('DATA_DIR');
    // A suspended starter keeps its PostgreSQL.
    child.kill('SIGSTOP');
    await query(await url, `select from ${name}`);
    await kill(child);
    await expect.poll(() => findProcesses(shared), SOON).toEqual([]);
    expect(existsSync(pidFile(shared))).toBe(false);
    expect(readFileSync(join(shared, 'postgres.log'), 'utf8')).toMatch(/fast shutdown request.*is shut down/s);
  }
  const { databaseUrl } = await start();
  await query(databaseUrl, 'select from once, twice');
});

test('is replaced when its supervisor was killed, too', async () => {
  const { child, url } = startElsewhere();
  await query(await url, 'create table replaced ()');
  // First its part that reads the pipe, which is the newer process.
  for (const pid of findProcesses(shared, 'lockstep-postgres').reverse()) process.kill(Number(pid), 'SIGKILL');
  await kill(child);
  const leftPid = readPid(shared);
  await query(await url, 'select from replaced');
  const { databaseUrl } = await start();
  expect(readPid(shared)).not.toBe(leftPid);
  await query(databaseUrl, 'select from replaced');
  await expect(query(await url, 'select')).rejects.toThrow('ECONNREFUSED');
});

test('recovers after PostgreSQL was killed and another process got its pid', async () => {
  const crashed = await start();
  await query(crashed.databaseUrl, 'create table recovered ()');
  process.kill(readPid(shared), 'SIGKILL');
  await crashed.stop();
  // PostgreSQL ignores processes of other users, so this one runs as its user.
  const { uid, gid } = statSync(pidFile(shared));
  const stranger = spawn('/bin/sh', ['-c', 'read line'], { stdio: ['pipe', 'ignore', 'ignore'], uid, gid, cwd: '/' });
  children.push(stranger);
  const [, ...rest] = readFileSync(pidFile(shared), 'utf8').split('\n');
  writeFileSync(pidFile(shared), [stranger.pid, ...rest].join('\n'));
  await query((await start()).databaseUrl, 'select from recovered');
  expect(stranger.exitCode ?? stranger.signalCode).toBe(null);
});

test('reports the end of the log when a start fails, and releases the directory', async () => {
  const settings = join(shared, 'cluster', 'postgresql.conf');
  const intact = readFileSync(settings, 'utf8');
  appendFileSync(settings, '\nno_such_setting = 1\n');
  await expect(start()).rejects.toThrow('no_such_setting');
  writeFileSync(settings, intact);
  await start();
});

test('starts over after a killed initdb', async () => {
  const directory = join(root, 'half');
  const { child, url } = startElsewhere(directory);
  url.catch(() => {});
  const unfinished = () =>
    existsSync(directory) ? readdirSync(directory).filter((name) => name.startsWith('initdb-')) : [];
  await expect.poll(() => unfinished().flatMap((name) => readdirSync(join(directory, name))), SOON).not.toEqual([]);
  await kill(child);
  expect(readdirSync(directory)).not.toContain('cluster');
  await query((await start(directory)).databaseUrl, 'select');
  expect(unfinished()).toEqual([]);
});

test.runIf(process.geteuid?.() === 0)('as root, runs as nobody, with one capability only if it needs one', async () => {
  const closed = join(root, 'closed');
  mkdirSync(closed, { mode: 0o700 });
  const directory = join(closed, 'postgres');
  // Docker does not grant the first capability.
  const likeDocker = ['setpriv', '--bounding-set=-dac_read_search'];
  const startedWith = async (prefix: string[] = []) => {
    const { child, url } = startElsewhere(directory, prefix);
    await query(await url, 'select');
    const pid = readPid(directory);
    const words = ['Uid', 'CapEff', 'CapAmb'].map((name) => readStatus(pid, name)?.split('\t')[0]);
    await kill(child);
    return words;
  };
  const found = [await startedWith(), await startedWith(likeDocker)];
  for (const path of [closed, root]) chmodSync(path, 0o711);
  found.push(await startedWith());
  const [none, override, readSearch] = ['0', '2', '4'].map((digits) => digits.padStart(16, '0'));
  expect(found).toEqual([readSearch, override, none].map((capability) => ['65534', capability, capability]));
});
