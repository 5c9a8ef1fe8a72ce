import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { backUpCluster } from '@lockstep/embedded-postgres';

/**
 * A running PostgreSQL server, by the directory that `startEmbeddedPostgres` was given and a URL of a database in it.
 */
interface SourceServer {
  directory: string;
  databaseUrl: string;
}

/** Writes a base backup of a running server into a new directory, for the user whose cluster the source is. */
export async function copyCluster(source: SourceServer, cluster: string): Promise<void> {
  mkdirSync(cluster, { mode: 0o700 });
  const { uid, gid } = statSync(join(source.directory, 'cluster'));
  chownSync(cluster, uid, gid);
  // When we are root, tar gives each file to the user that has it in the source.
  const tar = spawn('tar', ['--extract', '--numeric-owner', '--file=-', `--directory=${cluster}`], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const ended = once(tar, 'exit');
  // When tar ends early, its status says so.
  tar.stdin.on('error', () => {});
  await backUpCluster(source.directory, source.databaseUrl, (part) => void tar.stdin.write(Buffer.from(part)));
  tar.stdin.end();
  const [status] = await ended;
  if (status !== 0) throw new Error(`tar ended with status ${status}`);
}

/** The connection by which a standby follows a primary, whose superuser's URL this is, under a name of its own. */
export function describePrimary(superuserUrl: string, name: string): string {
  const { username, password, hostname, port } = new URL(superuserUrl);
  const parts = { host: hostname, port, user: username, password, application_name: name, sslmode: 'disable' };
  return Object.entries(parts)
    .map(([key, value]) => `${key}=${value}`)
    .join(' ');
}

/** Writes a file of a cluster, for the user whose cluster it is. */
export function writeClusterFile(file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o600 });
  const { uid, gid } = statSync(dirname(file));
  chownSync(file, uid, gid);
}
