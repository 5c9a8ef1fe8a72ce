import { chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { findNativeDirectory } from './embedded-postgres.ts';
import { preparePlaces, randomPassword, writeDurably } from './embedded-postgres-cluster.ts';
import { chooseLauncher, type Launcher, run } from './embedded-postgres-launcher.ts';

/**
 * Makes the cluster of an embedded PostgreSQL from a base backup, so that startEmbeddedPostgres finds it as if it had
 * made it: whole, on disk, and with a superuser's password that this directory alone knows.
 * @param directory is made
 * @param backup an open tar file, as streamBaseBackup writes it
 * @throws Error where it is no such file, is cut off, or is of another PostgreSQL
 */
export async function unpackCluster(directory: string, backup: number): Promise<void> {
  const places = preparePlaces(directory, findNativeDirectory());
  const launcher = await chooseLauncher(places);
  const { clusterDirectory: cluster, nativeDirectory } = places;
  const program = (name: string) => join(nativeDirectory, 'bin', name);
  mkdirSync(cluster, { mode: 0o700 });
  if (launcher.owner !== undefined) chownSync(cluster, launcher.owner.uid, launcher.owner.gid);
  await must(run(launcher, ['tar', '--extract', '--file=-', `--directory=${cluster}`], backup));
  const password = randomPassword();
  // Alone on the cluster, which it recovers first, PostgreSQL asks for no password.
  await must(setPassword(launcher, program('postgres'), cluster, password));
  await must(run(launcher, [program('initdb'), '--sync-only', `--pgdata=${cluster}`]));
  writeDurably(places.superuserPasswordFile, password, launcher.owner);
}

function setPassword(launcher: Launcher, postgres: string, cluster: string, password: string) {
  const settings = ['-c', 'exit_on_error=on', '-c', 'dynamic_shared_memory_type=mmap'];
  const command = [postgres, '--single', ...settings, '-D', cluster, 'postgres'];
  // Through standard input: arguments can be seen by all.
  return run(launcher, command, `alter role postgres password '${password}'\n`);
}

async function must(done: Promise<{ failure: string | undefined }>): Promise<void> {
  const { failure } = await done;
  if (failure === undefined) return;
  const lines = failure.split('\n');
  const reason = lines.find((line) => /^tar: |FATAL|ERROR/.test(line)) ?? lines[0];
  throw new Error(`It is not a whole backup of npm start: ${reason}`);
}
