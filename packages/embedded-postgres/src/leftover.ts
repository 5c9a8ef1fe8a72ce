import { execFileSync } from 'node:child_process';
import { chownSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Places } from './cluster.ts';
import { type Launcher, run } from './launcher.ts';
import { pidFilePath, readPidFile } from './pid-file.ts';

/**
 * Stops the PostgreSQL that a killed process left behind. The caller holds the directory's lock, so no other process
 * uses it.
 * @param timeouts how long to wait for PostgreSQL's fast and immediate shutdown
 * @throws Error if it does not stop
 */
export async function stopLeftover(
  places: Places,
  launcher: Launcher,
  timeouts: { fastStopMs: number; immediateStopMs: number },
): Promise<void> {
  const pid = Number(readPidFile(pidFilePath(places.clusterDirectory))[0] ?? 0);
  if (pid <= 0) return;
  let failure: string | undefined;
  for (const [mode, timeoutMs] of [
    ['fast', timeouts.fastStopMs],
    ['immediate', timeouts.immediateStopMs],
  ] as const) {
    if (!isPostgresOfCluster(places.clusterDirectory, pid)) break;
    const command = [join(places.nativeDirectory, 'bin', 'pg_ctl'), 'stop', '-w', '-m', mode];
    command.push('-t', `${timeoutMs / 1_000}`, '-D', places.clusterDirectory);
    ({ failure } = await run(launcher, command));
    if (failure === undefined) return;
  }
  if (isPostgresOfCluster(places.clusterDirectory, pid)) {
    throw new Error(`the PostgreSQL that an earlier start left behind (pid ${pid}) does not stop: ${failure}`);
  }
  forgetPid(places, launcher);
}

/** Returns whether a process is a PostgreSQL of this cluster. The pid in an old file may belong to any process now. */
function isPostgresOfCluster(clusterDirectory: string, pid: number): boolean {
  try {
    if (process.platform === 'linux') {
      // Readable even when /proc/PID/cwd is not, as for root in a container.
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(clusterDirectory);
    }
    return execFileSync('ps', ['-o', 'command=', '-p', `${pid}`], { encoding: 'utf8' }).includes(clusterDirectory);
  } catch {
    return false;
  }
}

/** Greater than any pid that a kernel assigns. */
const NO_SUCH_PID = 2 ** 31 - 2;

/**
 * Replaces the pid in PostgreSQL's pid file, because PostgreSQL does not start while any process of its user has that
 * pid. Keeps the other lines, by which PostgreSQL finds sessions of its predecessor that still run.
 */
function forgetPid(places: Places, launcher: Launcher): void {
  const pidFile = pidFilePath(places.clusterDirectory);
  const lines = readPidFile(pidFile);
  if (lines.length === 0) return;
  lines[0] = `${NO_SUCH_PID}`;
  // Written outside the cluster and then moved. The cluster's directory belongs to another user, who could place a link
  // there, so root must not open a file in it for writing.
  const newFile = join(places.directory, 'postmaster.pid.new');
  rmSync(newFile, { force: true });
  writeFileSync(newFile, lines.join('\n'), { mode: 0o600, flag: 'wx' });
  if (launcher.owner !== undefined) chownSync(newFile, launcher.owner.uid, launcher.owner.gid);
  renameSync(newFile, pidFile);
}
