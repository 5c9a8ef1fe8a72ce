import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { ensureCluster, findPrograms, launch, type Programs, readPasswords, run } from './cluster.ts';
import { requireOwn } from './own-files.ts';

/** A running PostgreSQL of this process. */
export interface EmbeddedPostgres {
  /** The URL for the role `lockstep`, which may create databases, and its own database `lockstep`. */
  readonly databaseUrl: string;
  /** Stops PostgreSQL and releases the directory. Further calls wait for the same stop. */
  stop(): Promise<void>;
}

const START_ATTEMPTS = 5;
const RETRY_DELAY_MS = 200;

/**
 * Starts a real PostgreSQL on the cluster in `directory`, and creates the cluster if there is none. PostgreSQL ends
 * with this process, even if that is killed. If one still runs, the next start in the same directory replaces it.
 * @param options.port the TCP port; by default any free one
 * @param options.stop aborts the start and ends what has started; then the promise rejects
 * @throws Error if another running process uses the directory, PostgreSQL does not start (with the end of its log), or
 *   it cannot run as an unprivileged user (with what to do)
 */
export async function startEmbeddedPostgres(options: {
  directory: string;
  port?: number;
  stop?: AbortSignal;
}): Promise<EmbeddedPostgres> {
  const { stop } = options;
  const directory = prepareDirectory(options.directory);
  const release = lockDirectory(directory);
  try {
    const programs = await findPrograms(directory);
    await ensureCluster(directory, programs);
    for (let attempt = 1; ; attempt += 1) {
      try {
        stop?.throwIfAborted();
        await stopLeftover(directory, programs);
        const port = options.port ?? (await findFreePort());
        const server = await startServer(directory, programs, { port, stop });
        return { ...server, stop: () => server.stop().finally(release) };
      } catch (error) {
        // Another program may have taken the port, or sessions of a killed PostgreSQL are still ending.
        if (attempt === START_ATTEMPTS || stop?.aborted === true) throw error;
        await sleep(attempt * RETRY_DELAY_MS);
      }
    }
  } catch (error) {
    release();
    throw error;
  }
}

/** Creates the directory if it does not exist, and returns its real path. Each file in it has its own mode. */
export function prepareDirectory(wanted: string): string {
  // If this process is root, PostgreSQL's user must be able to traverse it.
  mkdirSync(wanted, { recursive: true, mode: 0o711 });
  requireOwn(wanted, join(wanted, 'lock'), join(wanted, 'postgres.log'));
  return realpathSync(wanted);
}

const SQLITE_BUSY = 5;
// Garbage collection would close a handle and release its lock, so keep them all reachable.
const locks = new Set<DatabaseSync>();

/**
 * Locks the directory for this process by SQLite's file lock, and returns what releases it: the kernel does when the
 * process dies, children do not inherit it, and it also excludes a second caller in this process. Node.js has no other
 * such lock. @throws Error if a running process holds the lock
 */
function lockDirectory(directory: string): () => void {
  const file = join(directory, 'lock');
  const database = new DatabaseSync(file);
  try {
    // Without a commit there is no need for a journal on disk.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    const message = `${directory} is in use by another running process. Stop it first, or choose another DATA_DIR.`;
    throw new Error(message, { cause: error });
  }
  // Anyone who could read it could lock it.
  chmodSync(file, 0o600);
  locks.add(database);
  return () => {
    if (locks.delete(database)) database.close();
  };
}

/** Greater than any pid that a kernel assigns. */
const NO_SUCH_PID = 2 ** 31 - 2;

/** Stops the PostgreSQL that a killed process left behind: this process holds the lock, so no other one uses it. */
async function stopLeftover(directory: string, programs: Programs): Promise<void> {
  const cluster = join(directory, 'cluster');
  const pidFile = join(cluster, 'postmaster.pid');
  if (!existsSync(pidFile)) return;
  const pid = readFileSync(pidFile, 'utf8').split('\n')[0]!;
  if (readCommand(pid).includes(cluster)) {
    const stopNow = (mode: string) =>
      run(programs, [join(programs.bin, 'pg_ctl'), 'stop', '-D', cluster, '-m', mode, '-t', '20']);
    await stopNow('fast').catch(() => stopNow('immediate'));
  } else {
    // PostgreSQL does not start while any process of its user has that pid. By the other lines, it finds sessions of
    // its predecessor that still run.
    await run(programs, ['sed', '-i.old', `1s/.*/${NO_SUCH_PID}/`, pidFile]);
  }
}

/** Reads the command line of a process, which may belong to any program. Empty if it has ended. */
function readCommand(pid: string): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return execFileSync('ps', ['-o', 'command=', '-p', pid], { encoding: 'utf8' });
  } catch {
    return '';
  }
}

/**
 * Runs PostgreSQL until standard input ends: a pipe whose other end only this process holds, and which the kernel
 * closes when the process dies, even by kill -9. Then PostgreSQL gets SIGINT, which is its fast shutdown.
 */
const SUPERVISOR = `
  exec 3<&0
  "$@" 3<&- &
  postgres=$!
  { read -r _; kill -INT $postgres; } <&3 &
  wait $postgres
  kill $! 2> /dev/null`;

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  // The default uses /dev/shm, which is small in a container.
  dynamic_shared_memory_type: 'mmap',
  max_connections: 200,
  shared_buffers: '256MB',
  timezone: 'UTC',
};

const POLL_MS = 10;
/** A log that is longer is emptied at the next start. */
const MAX_LOG_BYTES = 1024 * 1024;

/** Starts PostgreSQL. It listens only on 127.0.0.1, and writes only into the directory. */
async function startServer(
  directory: string,
  programs: Programs,
  { port, stop }: { port: number; stop: AbortSignal | undefined },
): Promise<EmbeddedPostgres> {
  const command = [join(programs.bin, 'postgres'), '-D', join(directory, 'cluster')];
  for (const [name, value] of Object.entries({ ...SETTINGS, port })) command.push('-c', `${name}=${value}`);
  const logFile = join(directory, 'postgres.log');
  // This process opens it, because PostgreSQL's user may not be able to. What explains the end of the last one stays.
  const log = openSync(logFile, 'a', 0o600);
  if (fstatSync(log).size > MAX_LOG_BYTES) ftruncateSync(log);
  const { size } = fstatSync(log);
  const child = launch(programs, ['/bin/sh', '-c', SUPERVISOR, 'lockstep-postgres', ...command], ['pipe', log, log]);
  closeSync(log);
  const ended = once(child, 'exit');
  const end = async () => {
    child.stdin!.end();
    await ended;
  };
  const readLog = () => readFileSync(logFile).subarray(size).toString();
  try {
    while (!readLog().includes('ready to accept')) {
      stop?.throwIfAborted();
      if (!child.kill(0)) throw new Error('It has ended.');
      await sleep(POLL_MS);
    }
    const password = await ensureRoleAndDatabase(directory, port);
    return { databaseUrl: `postgres://lockstep:${password}@127.0.0.1:${port}/lockstep`, stop: end };
  } catch (cause) {
    await end();
    stop?.throwIfAborted();
    throw new Error(`PostgreSQL did not start; the end of ${logFile}:\n${readLog().slice(-2_000)}`, { cause });
  }
}

/** Creates Lockstep's role and database if they do not exist, and returns the role's password. */
async function ensureRoleAndDatabase(directory: string, port: number): Promise<string> {
  const { postgres, lockstep } = readPasswords(directory);
  const connection = { host: '127.0.0.1', port, user: 'postgres', password: postgres, database: 'postgres' };
  const client = new pg.Client({ ...connection, ssl: false });
  await client.connect();
  try {
    const role = await client.query("select from pg_roles where rolname = 'lockstep'");
    if (role.rowCount === 0) await client.query(`create role lockstep login createdb password '${lockstep}'`);
    const database = await client.query("select from pg_database where datname = 'lockstep'");
    if (database.rowCount === 0) await client.query('create database lockstep owner lockstep');
    return lockstep;
  } finally {
    await client.end();
  }
}

/** Finds a TCP port of 127.0.0.1 that is free now. */
async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
