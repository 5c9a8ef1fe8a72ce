import { chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { preparePlaces, randomPassword } from './cluster.ts';
import { chooseLauncher, type Launcher, run } from './launcher.ts';
import { findNativeDirectory } from './native-directory.ts';
import { writeDurably } from './own-files.ts';

/**
 * Creates the cluster of an embedded PostgreSQL from a base backup, as startEmbeddedPostgres would have created it:
 * complete, on disk, and with a new superuser password.
 * @param directory where to create it; must not have a cluster yet
 * @param backup descriptor of an open tar file of backUpCluster
 * @throws Error if the file is not such a backup, is truncated, or is from another version of PostgreSQL
 */
export async function unpackCluster(directory: string, backup: number): Promise<void> {
  const places = preparePlaces(directory, findNativeDirectory());
  const launcher = await chooseLauncher(places);
  const { clusterDirectory: cluster, nativeDirectory } = places;
  const program = (name: string) => join(nativeDirectory, 'bin', name);
  mkdirSync(cluster, { mode: 0o700 });
  if (launcher.owner !== undefined) chownSync(cluster, launcher.owner.uid, launcher.owner.gid);
  await requireSuccess(run(launcher, ['tar', '--extract', '--file=-', `--directory=${cluster}`], { input: backup }));
  const password = randomPassword();
  // Single-user mode needs no password. It recovers the cluster first.
  await requireSuccess(setPassword(launcher, program('postgres'), cluster, password));
  await requireSuccess(run(launcher, [program('initdb'), '--sync-only', `--pgdata=${cluster}`]));
  writeDurably(places.superuserPasswordFile, password, launcher.owner);
}

function setPassword(launcher: Launcher, postgres: string, cluster: string, password: string) {
  const settings = ['-c', 'exit_on_error=on', '-c', 'dynamic_shared_memory_type=mmap'];
  const command = [postgres, '--single', ...settings, '-D', cluster, 'postgres'];
  // Through standard input, because every user can see the arguments of a process.
  return run(launcher, command, { input: `alter role postgres password '${password}'\n` });
}

async function requireSuccess(done: Promise<{ failure: string | undefined }>): Promise<void> {
  const { failure } = await done;
  if (failure === undefined) return;
  const lines = failure.split('\n');
  const reason = lines.find((line) => /^tar: |FATAL|ERROR/.test(line)) ?? lines[0];
  throw new Error(`This is not a complete backup of npm start: ${reason}`);
}
