import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Places } from './cluster.ts';
import { type Launcher, launch } from './launcher.ts';
import { stopLeftover } from './leftover.ts';
import { pidFilePath, readPidFile } from './pid-file.ts';
import { startWatchdog } from './watchdog.ts';

/** A running PostgreSQL: a child process in a session of its own. */
interface Server {
  readonly port: number;
  /** Stops it, by force if it does not stop in time. Does nothing if it has ended. */
  stop(): Promise<void>;
}

const START_ATTEMPTS = 5;
const START_TIMEOUT_MS = 120_000;
// Their sum is below the 30 s that a stop of Lockstep may take.
const FAST_STOP_TIMEOUT_MS = 20_000;
const IMMEDIATE_STOP_TIMEOUT_MS = 5_000;
const READINESS_POLL_MS = 10;
const LOG_LIMIT_BYTES = 10 * 1024 * 1024;
const LOG_TAIL_LINES = 20;

const RETRY_DELAY_MS = 100;

/**
 * Transient failures: another program took the chosen port; a PostgreSQL of a killed process came up late; sessions of
 * a killed PostgreSQL have not all ended yet.
 */
const WORTH_RETRYING =
  /could not create any TCP\/IP sockets|lock file "postmaster.pid" already exists|pre-existing shared memory block/;

/**
 * Starts PostgreSQL on the cluster, after it stops the one that a killed process left behind. It listens only on a free
 * TCP port of 127.0.0.1, and writes only into the directory. A watchdog ends it when this process dies.
 * @param options.ownerFile holds this process's pid while it owns the directory
 * @param options.stop aborts the start and ends PostgreSQL
 * @throws Error with the last lines of the log; the reason of `stop`
 */
export async function startServer(
  places: Places,
  launcher: Launcher,
  {
    ownerFile,
    choosePort,
    stop,
  }: { ownerFile: string; choosePort: () => Promise<number>; stop?: AbortSignal | undefined },
): Promise<Server> {
  boundLog(places.logFile);
  for (let attempt = 1; ; attempt += 1) {
    stop?.throwIfAborted();
    await stopLeftover(places, launcher, {
      fastStopMs: FAST_STOP_TIMEOUT_MS,
      immediateStopMs: IMMEDIATE_STOP_TIMEOUT_MS,
    });
    const port = await choosePort();
    const logStartBytes = logSizeBytes(places.logFile);
    const watchdog = startWatchdog(ownerFile);
    const child = spawnPostgres(places, launcher, port);
    if (child.pid !== undefined) watchdog.watch(child.pid);
    const ended = (hasEnded(child) ? Promise.resolve() : once(child, 'exit').catch(() => {})).then(watchdog.dismiss);
    const server = { port, stop: () => stopChild(child).then(() => ended) };
    if (await waitUntilReady(child, pidFilePath(places.clusterDirectory), stop)) return server;
    await server.stop();
    stop?.throwIfAborted();
    const log = readFileSync(places.logFile).subarray(logStartBytes).toString('utf8').trim();
    if (attempt === START_ATTEMPTS || !WORTH_RETRYING.test(log)) {
      throw new Error(
        `PostgreSQL did not start; the end of ${places.logFile}:\n${log.split('\n').slice(-LOG_TAIL_LINES).join('\n')}`,
      );
    }
    await sleep(attempt * RETRY_DELAY_MS);
  }
}

/** Finds a TCP port of 127.0.0.1 that is free now. */
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
    // The default uses /dev/shm, which is small in a container.
    dynamic_shared_memory_type: 'mmap',
    max_connections: 200,
    shared_buffers: '256MB',
    fsync: 'on',
    timezone: 'UTC',
    log_timezone: 'UTC',
  };
  const command = [join(places.nativeDirectory, 'bin', 'postgres'), '-D', places.clusterDirectory];
  for (const [name, value] of Object.entries(settings)) command.push('-c', `${name}=${value}`);
  // This process opens it, because PostgreSQL's user may not be able to.
  const log = openSync(places.logFile, 'a', 0o600);
  try {
    // Not by pg_ctl, which passes the paths through a shell. Detached, so that Ctrl-C does not reach it.
    const child = launch(launcher, command, { stdio: ['ignore', log, log], detached: true });
    child.once('error', (error) => writeFileSync(places.logFile, `${error.message}\n`, { flag: 'a' }));
    child.unref();
    // Without a stop, as after an uncaught error or an interrupted shutdown, it ends with this process.
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

async function waitUntilReady(child: ChildProcess, pidFile: string, stop?: AbortSignal): Promise<boolean> {
  const deadlineMs = performance.now() + START_TIMEOUT_MS;
  do {
    await sleep(READINESS_POLL_MS);
    const lines = readPidFile(pidFile);
    if (Number(lines[0]) === child.pid && lines[7]?.trim() === 'ready') return true;
  } while (!hasEnded(child) && performance.now() < deadlineMs && stop?.aborted !== true);
  return false;
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const ended = new Promise<true>((resolve) => child.once('exit', () => resolve(true)));
  child.ref();
  // PostgreSQL calls the first two fast and immediate shutdown.
  const steps = [
    ['SIGINT', FAST_STOP_TIMEOUT_MS],
    ['SIGQUIT', IMMEDIATE_STOP_TIMEOUT_MS],
    ['SIGKILL', IMMEDIATE_STOP_TIMEOUT_MS],
  ] as const;
  for (const [signal, timeoutMs] of steps) {
    child.kill(signal);
    const timer = new AbortController();
    const timeout = sleep(timeoutMs, false, { signal: timer.signal }).catch(() => false);
    const done = await Promise.race([ended, timeout]);
    timer.abort();
    if (done) return;
  }
  throw new Error(`PostgreSQL (pid ${child.pid}) did not stop`);
}

function logSizeBytes(logFile: string): number {
  return statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
}

function boundLog(logFile: string): void {
  if (logSizeBytes(logFile) > LOG_LIMIT_BYTES) writeFileSync(logFile, '', { mode: 0o600 });
}
