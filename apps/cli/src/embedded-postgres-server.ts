import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, closeSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Places } from './embedded-postgres-cluster.ts';
import { type Launcher, launch, run } from './embedded-postgres-launcher.ts';
import { startWatchdog } from './embedded-postgres-watchdog.ts';

/** A running PostgreSQL, our child in a session of its own. */
interface Server {
  readonly port: number;
  /** Ends it, first in order, then by force. Safe when it has already gone. */
  stop(): Promise<void>;
}

const startAttempts = 5;
const startTimeoutMs = 120_000;
// Together below the 30 s that a stop of Lockstep may take.
const fastStopTimeoutMs = 20_000;
const immediateStopTimeoutMs = 5_000;
const readinessPollMs = 10;
const logLimitBytes = 10 * 1024 * 1024;
const logTailLines = 20;

const retryDelayMs = 100;

/**
 * What passes by itself: the port was taken after we chose it; a PostgreSQL of a killed starter came up after we
 * looked for one; sessions of a PostgreSQL that was killed have not all noticed yet.
 */
const worthRetrying =
  /could not create any TCP\/IP sockets|lock file "postmaster.pid" already exists|pre-existing shared memory block/;

/**
 * Starts PostgreSQL on the cluster, after stopping the one that a killed process left behind. It listens on a free
 * TCP port of 127.0.0.1 only, and writes nowhere but into the directory. A watchdog ends it where this process dies.
 * @param ownerFile holds our pid for as long as the directory is ours
 * @throws Error with the last lines of the log
 */
export async function startServer(
  places: Places,
  launcher: Launcher,
  ownerFile: string,
  choosePort: () => Promise<number>,
): Promise<Server> {
  boundLog(places.logFile);
  for (let attempt = 1; ; attempt += 1) {
    await stopLeftover(places, launcher);
    const port = await choosePort();
    const logStartBytes = logSizeBytes(places.logFile);
    const watchdog = startWatchdog(ownerFile);
    const child = spawnPostgres(places, launcher, port);
    if (child.pid !== undefined) watchdog.watch(child.pid);
    const ended = (hasEnded(child) ? Promise.resolve() : once(child, 'exit').catch(() => {})).then(watchdog.dismiss);
    const server = { port, stop: () => stopChild(child).then(() => ended) };
    if (await waitUntilReady(child, pidFileOf(places))) return server;
    await server.stop();
    const log = readFileSync(places.logFile).subarray(logStartBytes).toString('utf8').trim();
    if (attempt === startAttempts || !worthRetrying.test(log)) {
      throw new Error(
        `PostgreSQL did not start; the end of ${places.logFile}:\n${log.split('\n').slice(-logTailLines).join('\n')}`,
      );
    }
    await sleep(attempt * retryDelayMs);
  }
}

/** A TCP port of 127.0.0.1 that is free at this moment. */
export async function findFreePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', resolve);
  });
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no TCP port on 127.0.0.1');
  return address.port;
}

function spawnPostgres(places: Places, launcher: Launcher, port: number): ChildProcess {
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    // The default leaves files in /dev/shm, of which a container has little.
    dynamic_shared_memory_type: 'mmap',
    max_connections: 200,
    shared_buffers: '256MB',
    fsync: 'on',
    timezone: 'UTC',
    log_timezone: 'UTC',
  };
  const command = [join(places.nativeDirectory, 'bin', 'postgres'), '-D', places.clusterDirectory];
  for (const [name, value] of Object.entries(settings)) command.push('-c', `${name}=${value}`);
  // Opened by us, so that PostgreSQL's user need not be able to.
  const log = openSync(places.logFile, 'a', 0o600);
  try {
    // Not by pg_ctl, which hands the paths to a shell. Detached: a session of its own, which Ctrl-C does not reach.
    const child = launch(launcher, command, { stdio: ['ignore', log, log], detached: true });
    child.once('error', (error) => writeFileSync(places.logFile, `${error.message}\n`, { flag: 'a' }));
    child.unref();
    // Where nobody stops it in good order (a fault that nothing caught, a shutdown that was cut off) it ends with us.
    const endWithUs = () => child.kill('SIGINT');
    process.once('exit', endWithUs);
    child.once('exit', () => process.off('exit', endWithUs));
    return child;
  } finally {
    closeSync(log);
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
}

async function waitUntilReady(child: ChildProcess, pidFile: string): Promise<boolean> {
  const deadlineMs = performance.now() + startTimeoutMs;
  do {
    await sleep(readinessPollMs);
    const lines = readPidFile(pidFile);
    if (Number(lines[0]) === child.pid && lines[7]?.trim() === 'ready') return true;
  } while (!hasEnded(child) && performance.now() < deadlineMs);
  return false;
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const ended = new Promise<true>((resolve) => child.once('exit', () => resolve(true)));
  child.ref();
  // PostgreSQL calls these fast and immediate shutdown; the last is the kernel's.
  const steps = [
    ['SIGINT', fastStopTimeoutMs],
    ['SIGQUIT', immediateStopTimeoutMs],
    ['SIGKILL', immediateStopTimeoutMs],
  ] as const;
  for (const [signal, timeoutMs] of steps) {
    child.kill(signal);
    const timer = new AbortController();
    const timeout = sleep(timeoutMs, false, { signal: timer.signal }).catch(() => false);
    const done = await Promise.race([ended, timeout]);
    timer.abort();
    if (done) return;
  }
  throw new Error(`PostgreSQL (pid ${child.pid}) does not end`);
}

/** Stops the PostgreSQL of a starter that was killed. The caller holds the directory, so it is nobody else's. */
async function stopLeftover(places: Places, launcher: Launcher): Promise<void> {
  const pid = Number(readPidFile(pidFileOf(places))[0] ?? 0);
  if (pid <= 0) return;
  let failure: string | undefined;
  for (const [mode, timeoutMs] of [
    ['fast', fastStopTimeoutMs],
    ['immediate', immediateStopTimeoutMs],
  ] as const) {
    if (!isPostgresOf(places.clusterDirectory, pid)) break;
    const command = [join(places.nativeDirectory, 'bin', 'pg_ctl'), 'stop', '-w', '-m', mode];
    command.push('-t', `${timeoutMs / 1_000}`, '-D', places.clusterDirectory);
    ({ failure } = await run(launcher, command));
    if (failure === undefined) return;
  }
  if (isPostgresOf(places.clusterDirectory, pid)) {
    throw new Error(`the PostgreSQL that an earlier start left behind (pid ${pid}) does not stop: ${failure}`);
  }
  forgetPid(places, launcher);
}

/** Whether the process is a PostgreSQL on this cluster: a pid in an old file may by now belong to anyone. */
function isPostgresOf(clusterDirectory: string, pid: number): boolean {
  try {
    if (process.platform === 'linux') {
      // Readable also where /proc/PID/cwd is not, as for root in a container.
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(clusterDirectory);
    }
    return execFileSync('ps', ['-o', 'command=', '-p', `${pid}`], { encoding: 'utf8' }).includes(clusterDirectory);
  } catch {
    return false;
  }
}

/**
 * PostgreSQL refuses to start while the pid in its file belongs to any process of its user. Take the pid out but leave
 * the rest, by which it finds out whether sessions of its predecessor still live on the data.
 */
function forgetPid(places: Places, launcher: Launcher): void {
  const pidFile = pidFileOf(places);
  const lines = readPidFile(pidFile);
  if (lines.length === 0) return;
  lines[0] = `${noSuchPid}`;
  // Written outside the cluster, then moved: its directory is not root's, so root must not open a file there to write.
  const newFile = join(places.directory, 'postmaster.pid.new');
  rmSync(newFile, { force: true });
  writeFileSync(newFile, lines.join('\n'), { mode: 0o600, flag: 'wx' });
  if (launcher.owner !== undefined) chownSync(newFile, launcher.owner.uid, launcher.owner.gid);
  renameSync(newFile, pidFile);
}

/** Above the greatest pid of any kernel. */
const noSuchPid = 2 ** 31 - 2;

function pidFileOf(places: Places): string {
  return join(places.clusterDirectory, 'postmaster.pid');
}

function readPidFile(pidFile: string): string[] {
  try {
    return readFileSync(pidFile, 'utf8').split('\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function logSizeBytes(logFile: string): number {
  return statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
}

function boundLog(logFile: string): void {
  if (logSizeBytes(logFile) > logLimitBytes) writeFileSync(logFile, '', { mode: 0o600 });
}
