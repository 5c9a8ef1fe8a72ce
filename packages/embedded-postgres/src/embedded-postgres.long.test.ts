import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './index.ts';

const isRoot = process.geteuid?.() === 0;
const root = mkdtempSync(join(tmpdir(), 'embedded-postgres-'));
// Most tests share one cluster, at a path that would break in a shell.
const shared = join(root, `a b $HOME "c" 'd'`);
const directories = new Set<string>();
const running: EmbeddedPostgres[] = [];
const children: ChildProcess[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const postgres of running.splice(0)) await postgres.stop();
});

afterAll(async () => {
  for (const directory of directories) {
    // Only a failed test leaves one running. The next start replaces it, so that it can be stopped.
    if (existsSync(join(directory, 'cluster', 'postmaster.pid'))) {
      await startEmbeddedPostgres({ directory }).then((postgres) => postgres.stop());
    }
  }
  rmSync(root, { recursive: true, force: true, maxRetries: 10 });
});

async function start(directory: string, choosePort?: () => Promise<number>): Promise<EmbeddedPostgres> {
  directories.add(directory);
  const postgres = await startEmbeddedPostgres({ directory, ...(choosePort && { choosePort }) });
  running.push(postgres);
  return postgres;
}

/** Starts PostgreSQL from another process. `url` resolves when PostgreSQL runs. */
function startElsewhere(directory: string): { child: ChildProcess; url: Promise<string> } {
  directories.add(directory);
  const program = `
    const { startEmbeddedPostgres } = await import(process.argv[1]);
    const { databaseUrl } = await startEmbeddedPostgres({ directory: process.argv[2] });
    console.log(databaseUrl);
    process.once('SIGUSR2', () => process.exit(1));
    setInterval(() => {}, 1_000_000);`;
  const module = new URL('./index.ts', import.meta.url).href;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, module, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const url = once(createInterface(child.stdout), 'line').then(([line]) => String(line));
  return { child, url };
}

async function kill(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  // Killing PostgreSQL breaks the connection, as the test intends.
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

function postmasterPid(directory: string): number {
  return Number(readFileSync(join(directory, 'cluster', 'postmaster.pid'), 'utf8').split('\n')[0]);
}

function statusLine(pid: number, name: string): string {
  const line = readFileSync(`/proc/${pid}/status`, 'utf8')
    .split('\n')
    .find((text) => text.startsWith(`${name}:`));
  return (line ?? '').slice(name.length + 1).trim();
}

function readMode(...path: string[]): string {
  return (statSync(join(...path)).mode & 0o777).toString(8);
}

test.each(['', 'lock', 'lock.pid', 'postgres.log', 'lockstep-password'])(
  'refuses a directory in which others can write to "%s"',
  async (name) => {
    const directory = mkdtempSync(join(root, 'planted-'));
    const path = join(directory, name);
    if (name !== '') writeFileSync(path, '');
    chmodSync(path, 0o722);
    await expect(startEmbeddedPostgres({ directory })).rejects.toThrow(/chmod/);
    expect(readdirSync(directory)).toEqual(name === '' ? [] : [name]);
  },
);

test('keeps its data over a stop and a start', async () => {
  const first = await start(shared);
  await query(first.databaseUrl, 'create table kept (value text)');
  await query(first.databaseUrl, `insert into kept values ('ø')`);
  await first.stop();
  await first.stop();
  await expect(query(first.databaseUrl, 'select')).rejects.toThrow('ECONNREFUSED');

  const second = await start(shared);
  expect(await query(second.databaseUrl, 'select value from kept')).toEqual([{ value: 'ø' }]);
});

test('gives a plain role that owns its database and may create others', async () => {
  const { databaseUrl } = await start(shared);
  expect(databaseUrl).toMatch(/^postgres:\/\/lockstep:[0-9a-f]{48}@127\.0\.0\.1:\d+\/lockstep$/);
  const [role] = await query(
    databaseUrl,
    `select rolsuper, rolcreatedb, pg_get_userbyid(datdba) as owner, pg_encoding_to_char(encoding) as encoding,
      datlocprovider, datlocale, current_setting('fsync') as fsync, current_setting('timezone') as timezone,
      current_setting('max_connections') as connections,
      current_setting('shared_buffers') as buffers,
      current_setting('dynamic_shared_memory_type') as memory, current_setting('listen_addresses') as addresses
      from pg_roles, pg_database where rolname = current_user and datname = current_database()`,
  );
  expect(role).toEqual({
    rolsuper: false,
    rolcreatedb: true,
    owner: 'lockstep',
    encoding: 'UTF8',
    datlocprovider: 'b',
    datlocale: 'C.UTF-8',
    fsync: 'on',
    timezone: 'UTC',
    connections: '200',
    buffers: '256MB',
    memory: 'mmap',
    addresses: '127.0.0.1',
  });
  const socketDirectory = readFileSync(join(shared, 'cluster', 'postmaster.pid'), 'utf8').split('\n')[4];
  expect(socketDirectory).toBe('');
  await query(databaseUrl, 'create database copy template lockstep');
  await query(databaseUrl, 'drop database copy');
  await expect(query(databaseUrl.replace(/:[0-9a-f]{48}@/, ':wrong@'), 'select')).rejects.toThrow('authentication');
});

test('creates files that only their owner can read', async () => {
  await start(shared);
  expect(readMode(shared)).toBe(isRoot ? '711' : '700');
  expect(readMode(shared, 'cluster')).toBe('700');
  const files = readdirSync(shared).filter((name) => name !== 'cluster');
  expect(files.toSorted()).toEqual(['lock', 'lock.pid', 'lockstep-password', 'postgres.log', 'superuser-password']);
  for (const file of files) expect([file, readMode(shared, file)]).toEqual([file, '600']);
});

test.runIf(process.platform === 'linux')('runs in a session of its own, with nothing of our environment', async () => {
  process.env.PGOPTIONS = '-c work_mem=1MB';
  process.env.SECRET_OF_OURS = 'secret';
  try {
    await start(shared);
  } finally {
    delete process.env.PGOPTIONS;
    delete process.env.SECRET_OF_OURS;
  }
  const pid = postmasterPid(shared);
  const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean);
  expect(environment.map((entry) => entry.split('=')[0]).toSorted()).toEqual(['LC_ALL', 'PATH']);
  const session = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[3];
  expect(Number(session)).toBe(pid);
  expect(statusLine(pid, 'Uid').startsWith('0\t')).toBe(false);
});

test('does not start while this or another running process owns the directory', async () => {
  const { child, url } = startElsewhere(shared);
  await url;
  await expect(start(shared)).rejects.toThrow(`pid ${child.pid}`);
  expect(await query(await url, 'select 1 as one')).toEqual([{ one: 1 }]);
  await kill(child);

  const { databaseUrl } = await start(shared);
  await expect(start(shared)).rejects.toThrow(`pid ${process.pid}`);
  expect(await query(databaseUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
});

/** Finds the pids of the watchdogs of a directory: the owner file is one of their arguments. */
function findWatchdogs(directory: string): number[] {
  const ownerFile = join(realpathSync(directory), 'lock.pid');
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        return words.includes('lockstep-watchdog') && words.includes(ownerFile);
      } catch {
        return false;
      }
    })
    .map(Number);
}

const SOON = { timeout: 10_000, interval: 20 };
const hasPidFile = (directory: string) => existsSync(join(directory, 'cluster', 'postmaster.pid'));

test.runIf(process.platform === 'linux')('ends by itself when its starter is killed, data intact', async () => {
  const { child, url } = startElsewhere(shared);
  await query(await url, 'create table answered as select 7 as value');
  const pid = postmasterPid(shared);
  await expect.poll(() => findWatchdogs(shared), SOON).toHaveLength(1);

  // A suspended starter keeps its PostgreSQL.
  child.kill('SIGSTOP');
  expect(await query(await url, 'select value from answered')).toEqual([{ value: 7 }]);
  child.kill('SIGCONT');

  await kill(child);
  await expect.poll(() => hasPidFile(shared), SOON).toBe(false);
  await expect.poll(() => existsSync(`/proc/${pid}`) || findWatchdogs(shared).length > 0, SOON).toBe(false);
  const log = readFileSync(join(shared, 'postgres.log'), 'utf8');
  expect(log.slice(log.lastIndexOf('starting PostgreSQL'))).toMatch(/received fast shutdown request.*is shut down/s);

  const { databaseUrl } = await start(shared);
  expect(await query(databaseUrl, 'select value from answered')).toEqual([{ value: 7 }]);
});

test.runIf(process.platform === 'linux')('is replaced when starter and watchdog were killed', async () => {
  const { child, url } = startElsewhere(shared);
  await query(await url, 'create table replaced as select 9 as value');
  for (const pid of findWatchdogs(shared)) process.kill(pid, 'SIGKILL');
  await kill(child);
  const leftPid = postmasterPid(shared);
  expect(await query(await url, 'select value from replaced')).toEqual([{ value: 9 }]);

  const { databaseUrl } = await start(shared);
  expect(postmasterPid(shared)).not.toBe(leftPid);
  expect(await query(databaseUrl, 'select value from replaced')).toEqual([{ value: 9 }]);
  await expect(query(await url, 'select')).rejects.toThrow('ECONNREFUSED');
});

test.runIf(process.platform === 'linux')('is left alone by the watchdog of an earlier start', async () => {
  const { child, url } = startElsewhere(shared);
  await url;
  const [earlier] = findWatchdogs(shared);
  // Suspended, so that it resumes only after the next start has taken over the directory.
  process.kill(earlier!, 'SIGSTOP');
  await kill(child);
  const { databaseUrl } = await start(shared);
  process.kill(earlier!, 'SIGCONT');
  await expect.poll(() => findWatchdogs(shared).includes(earlier!), SOON).toBe(false);
  expect(await query(databaseUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test.runIf(process.platform === 'linux')('leaves no watchdog behind when it is stopped', async () => {
  const postgres = await start(shared);
  expect(findWatchdogs(shared)).toHaveLength(1);
  await postgres.stop();
  expect(findWatchdogs(shared)).toEqual([]);
});

test('ends with a process that exits without stopping it', async () => {
  const { child, url } = startElsewhere(shared);
  await query(await url, 'select');
  const exit = once(child, 'exit');
  child.kill('SIGUSR2');
  await exit;
  await expect.poll(() => existsSync(join(shared, 'cluster', 'postmaster.pid')), SOON).toBe(false);
  await expect(query(await url, 'select')).rejects.toThrow('ECONNREFUSED');
});

test('recovers after PostgreSQL was killed and another process got its pid', async () => {
  const crashed = await start(shared);
  await query(crashed.databaseUrl, 'create table recovered as select 8 as value');
  const pidFile = join(shared, 'cluster', 'postmaster.pid');
  process.kill(postmasterPid(shared), 'SIGKILL');
  await crashed.stop();
  await crashed.stop();

  // PostgreSQL ignores processes of other users, so this one runs as its user.
  const { uid, gid } = statSync(pidFile);
  const stranger = spawn('/bin/sh', ['-c', 'read line'], { stdio: ['pipe', 'ignore', 'ignore'], uid, gid, cwd: '/' });
  children.push(stranger);
  const [, ...rest] = readFileSync(pidFile, 'utf8').split('\n');
  writeFileSync(pidFile, [stranger.pid, ...rest].join('\n'));

  const { databaseUrl } = await start(shared);
  expect(await query(databaseUrl, 'select value from recovered')).toEqual([{ value: 8 }]);
  expect(stranger.exitCode ?? stranger.signalCode).toBe(null);
});

test('takes another port if a program takes the chosen one', async () => {
  const rival: Server = createServer();
  await once(rival.listen(0, '127.0.0.1'), 'listening');
  const takenPort = (rival.address() as { port: number }).port;
  const spare: Server = createServer();
  await once(spare.listen(0, '127.0.0.1'), 'listening');
  const sparePort = (spare.address() as { port: number }).port;
  spare.close();
  const ports = [takenPort, sparePort];
  try {
    const { databaseUrl } = await start(shared, async () => ports.shift() ?? 0);
    expect(new URL(databaseUrl).port).toBe(`${sparePort}`);
  } finally {
    rival.close();
  }
});

test('reports the end of the log when a start fails, and releases the directory', async () => {
  const settings = join(shared, 'cluster', 'postgresql.conf');
  const intact = readFileSync(settings, 'utf8');
  appendFileSync(settings, '\nno_such_setting = 1\n');
  await expect(start(shared)).rejects.toThrow('no_such_setting');
  writeFileSync(settings, intact);
  await start(shared);
});

test('bounds its log', async () => {
  truncateSync(join(shared, 'postgres.log'), 11 * 1024 * 1024);
  await start(shared);
  expect(statSync(join(shared, 'postgres.log')).size).toBeLessThan(100_000);
});

test('completes a role and database that were half created', async () => {
  const first = await start(shared);
  await first.stop();
  rmSync(join(shared, 'lockstep-password'));
  const second = await start(shared);
  expect(second.databaseUrl.split('@')[0]).not.toBe(first.databaseUrl.split('@')[0]);
  expect(await query(second.databaseUrl, 'select value from kept')).toEqual([{ value: 'ø' }]);
});

test('starts over after a killed initdb', async () => {
  const directory = join(root, 'half');
  const unfinished = () => readdirSync(directory).filter((name) => name.startsWith('initdb-'));
  const { child, url } = startElsewhere(directory);
  url.catch(() => {});
  const made = () => unfinished().flatMap((name) => readdirSync(join(directory, name)));
  // Stopped, it cannot take what initdb makes for the cluster once that is done. Before its first file, initdb may not
  // run yet.
  await vi.waitFor(() => expect(made()).not.toEqual([]), { interval: 5, timeout: 30_000 });
  child.kill('SIGSTOP');
  await vi.waitFor(() => expect(existsSync(join(directory, unfinished()[0]!, 'PG_VERSION'))).toBe(true), {
    interval: 5,
    timeout: 30_000,
  });
  await kill(child);
  expect(existsSync(join(directory, 'cluster'))).toBe(false);

  const { databaseUrl } = await start(directory);
  expect(unfinished()).toEqual([]);
  expect(await query(databaseUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test.runIf(isRoot)(
  'as root, runs as nobody, with one capability only when nobody cannot reach the directories',
  async () => {
    const require = createRequire(import.meta.url);
    const platformPackage = `@embedded-postgres/${process.platform}-${process.arch}`;
    const wrapper = require.resolve('embedded-postgres');
    const installed = createRequire(wrapper).resolve(platformPackage);
    const nobody = Number(execFileSync('id', ['-u', 'nobody'], { encoding: 'utf8' }));
    const closed = join(root, 'closed');
    mkdirSync(closed, { mode: 0o700 });
    // Lockstep is installed in a directory that only root can enter.
    const packages = join(closed, 'node_modules');
    const nativeDirectory = join(packages, platformPackage, 'native');
    const copy = (from: string, to: string) => cpSync(from, to, { recursive: true, verbatimSymlinks: true });
    copy(join(dirname(installed), '..'), dirname(nativeDirectory));
    copy(join(dirname(wrapper), '..'), join(packages, 'embedded-postgres'));
    symlinkSync(join(dirname(require.resolve('pg')), '..'), join(packages, 'pg'));
    copy(import.meta.dirname, join(closed, 'src'));
    const own: typeof import('./index.ts') = await import(pathToFileURL(join(closed, 'src', 'index.ts')).href);
    const directory = join(closed, 'data', 'postgres');
    const startedAs = async () => {
      const postgres = await own.startEmbeddedPostgres({ directory });
      running.push(postgres);
      expect(await query(postgres.databaseUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
      const pid = postmasterPid(directory);
      expect(statusLine(pid, 'Uid')).toBe([nobody, nobody, nobody, nobody].join('\t'));
      const capabilities = ['CapPrm', 'CapEff', 'CapAmb'].map((name) => Number(`0x${statusLine(pid, name)}`));
      await postgres.stop();
      return capabilities;
    };
    const [override, readSearch] = [1 << 1, 1 << 2];
    expect(await startedAs()).toEqual([readSearch, readSearch, readSearch]);
    // Under a umask of 077, the user `nobody` cannot even execute the files.
    execFileSync('chmod', ['-R', 'go-rwx', nativeDirectory]);
    expect(await startedAs()).toEqual([override, override, override]);
    execFileSync('chmod', ['-R', 'go+rX', nativeDirectory]);
    chmodSync(closed, 0o711);
    chmodSync(root, 0o711);
    expect(await startedAs()).toEqual([0, 0, 0]);

    chmodSync(closed, 0o700);
    const path = process.env.PATH;
    const bare = join(root, 'bare');
    mkdirSync(bare);
    // This machine lacks util-linux.
    execFileSync('ln', ['-s', '/bin/cat', join(bare, 'cat')]);
    process.env.PATH = bare;
    try {
      await expect(own.startEmbeddedPostgres({ directory })).rejects.toThrow(/install setpriv \(util-linux\)/);
    } finally {
      process.env.PATH = path;
    }
  },
);
