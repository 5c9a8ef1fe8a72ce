import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncDirectory, writeDurably } from './own-files.ts';
import { type Programs, run } from './programs.ts';

/** The passwords of a cluster: hexadecimal digits, which need no escapes in SQL or in a URL. */
export interface Passwords {
  /** Of PostgreSQL's superuser, `postgres`. */
  readonly postgres: string;
  /** Of the role `lockstep`: derived, so that the file with the other one is the only one. */
  readonly lockstep: string;
}

/** Returns the path of the file with the superuser's password. */
const superuserFile = (directory: string) => join(directory, 'superuser-password');

/** Reads the passwords of the cluster in a directory. */
export function readPasswords(directory: string): Passwords {
  const postgres = readFileSync(superuserFile(directory), 'utf8').trim();
  return { postgres, lockstep: createHmac('sha256', postgres).update('lockstep').digest('hex') };
}

/** Writes new passwords for the cluster in a directory. */
export function writePasswords(directory: string, { owner }: Programs): Passwords {
  writeDurably(superuserFile(directory), randomBytes(24).toString('hex'));
  // initdb reads it as the user that owns the cluster.
  if (owner !== undefined) chownSync(superuserFile(directory), owner.uid, owner.gid);
  return readPasswords(directory);
}

/** Creates an empty directory for a cluster. */
export function makeClusterDirectory(cluster: string, { owner }: Programs): void {
  mkdirSync(cluster, { mode: 0o700 });
  if (owner !== undefined) chownSync(cluster, owner.uid, owner.gid);
}

const UNFINISHED = 'initdb-';

/**
 * Creates the cluster if it does not exist. A rename gives the finished cluster its name, so a killed initdb leaves
 * only a directory that the next start removes.
 * @throws Error with the output of initdb
 */
export async function ensureCluster(directory: string, programs: Programs): Promise<void> {
  const cluster = join(directory, 'cluster');
  if (existsSync(cluster)) return;
  for (const name of readdirSync(directory)) {
    if (!name.startsWith(UNFINISHED)) continue;
    // Retries, because an initdb that outlived its starter writes there until its closed output ends it.
    await rm(join(directory, name), { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
  writePasswords(directory, programs);
  const unfinished = join(directory, `${UNFINISHED}${randomUUID()}`);
  makeClusterDirectory(unfinished, programs);
  await run(programs, [
    join(programs.bin, 'initdb'),
    `--pgdata=${unfinished}`,
    '--username=postgres',
    `--pwfile=${superuserFile(directory)}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
  ]);
  renameSync(unfinished, cluster);
  syncDirectory(directory);
  syncDirectory(dirname(directory));
}
