import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { backUpCluster } from '@lockstep/embedded-postgres';

/** A running PostgreSQL server: the directory given to `startEmbeddedPostgres`, and the URL of a database in it. */
interface SourceServer {
  directory: string;
  databaseUrl: string;
}

/** Writes a base backup of a running server to a new directory, owned by the user of the source. */
export async function copyCluster(source: SourceServer, cluster: string): Promise<void> {
  mkdirSync(cluster, { mode: 0o700 });
  const { uid, gid } = statSync(join(source.directory, 'cluster'));
  chownSync(cluster, uid, gid);
  // As root, tar gives each file the owner that it has in the source.
  const tar = spawn('tar', ['--extract', '--numeric-owner', '--file=-', `--directory=${cluster}`], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const ended = once(tar, 'exit');
  // If tar ends early, its exit status says so.
  tar.stdin.on('error', () => {});
  await backUpCluster(source.directory, source.databaseUrl, (part) => void tar.stdin.write(Buffer.from(part)));
  tar.stdin.end();
  const [status] = await ended;
  if (status !== 0) throw new Error(`tar ended with status ${status}`);
}

/** Returns the connection string with which a standby, under this name, follows the primary of a superuser URL. */
export function describePrimary(superuserUrl: string, name: string): string {
  const { username, password, hostname, port } = new URL(superuserUrl);
  const parts = { host: hostname, port, user: username, password, application_name: name, sslmode: 'disable' };
  return Object.entries(parts)
    .map(([key, value]) => `${key}=${value}`)
    .join(' ');
}

/** Writes a file of a cluster, owned by the user of the cluster. */
export function writeClusterFile(file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o600 });
  const { uid, gid } = statSync(dirname(file));
  chownSync(file, uid, gid);
}
