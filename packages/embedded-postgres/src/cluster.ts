import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { type Launcher, run } from './launcher.ts';
import { lockPaths } from './lock.ts';
import { requireOwn, syncDirectory, writeDurably } from './own-files.ts';

/** The paths in the directory of an embedded PostgreSQL. */
export interface Places {
  readonly directory: string;
  readonly clusterDirectory: string;
  readonly logFile: string;
  readonly superuserPasswordFile: string;
  readonly passwordFile: string;
  /** PostgreSQL's own programs and libraries. */
  readonly nativeDirectory: string;
}

/** The name of the role and of the database that Lockstep uses. */
export const LOCKSTEP_NAME = 'lockstep';

/** Returns the path of the file with the password of PostgreSQL's superuser, `postgres`. */
export function superuserPasswordPath(directory: string): string {
  return join(directory, 'superuser-password');
}

/**
 * Creates the directory if it does not exist, and returns the paths in it.
 * @throws Error if another user may have prepared it, or a file that this process opens
 */
export function preparePlaces(wantedDirectory: string, nativeDirectory: string): Places {
  // If this process is root, PostgreSQL's user must be able to traverse it. Each file inside has its own mode.
  const mode = process.geteuid?.() === 0 ? 0o711 : 0o700;
  const created = mkdirSync(wantedDirectory, { recursive: true, mode }) !== undefined;
  requireOwn(wantedDirectory);
  const directory = realpathSync(wantedDirectory);
  if (created) chmodSync(directory, mode);
  const [logFile, passwordFile] = [join(directory, 'postgres.log'), join(directory, 'lockstep-password')];
  requireOwn(logFile, passwordFile, ...lockPaths(directory));
  return {
    directory,
    clusterDirectory: join(directory, 'cluster'),
    logFile,
    superuserPasswordFile: superuserPasswordPath(directory),
    passwordFile,
    nativeDirectory: realpathSync(nativeDirectory),
  };
}

const UNFINISHED_PREFIX = 'initdb-';

/**
 * Creates the cluster if it does not exist. A rename gives the finished cluster its name, so a killed initdb leaves
 * only a directory that the next start removes.
 * @throws Error with the output of initdb; the reason of `stop`, which ends initdb and removes its files
 */
export async function ensureCluster(places: Places, launcher: Launcher, stop?: AbortSignal): Promise<void> {
  await removeUnfinished(places.directory);
  if (existsSync(places.clusterDirectory)) return;
  rmSync(places.passwordFile, { force: true });
  // initdb reads it as the user that owns the cluster, and who could change the password anyway.
  writeDurably(places.superuserPasswordFile, randomPassword(), launcher.owner);
  const unfinished = mkdtempSync(join(places.directory, UNFINISHED_PREFIX));
  if (launcher.owner !== undefined) chownSync(unfinished, launcher.owner.uid, launcher.owner.gid);
  const initdb = [
    join(places.nativeDirectory, 'bin', 'initdb'),
    `--pgdata=${unfinished}`,
    '--username=postgres',
    `--pwfile=${places.superuserPasswordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
  ];
  const { failure } = await run(launcher, initdb, { stop });
  if (failure !== undefined || stop?.aborted === true) await removeUnfinished(places.directory);
  stop?.throwIfAborted();
  if (failure !== undefined) throw new Error(`PostgreSQL's initdb failed: ${failure}`);
  renameSync(unfinished, places.clusterDirectory);
  syncDirectory(places.directory);
  syncDirectory(dirname(places.directory));
}

async function removeUnfinished(directory: string): Promise<void> {
  for (const name of readdirSync(directory)) {
    if (!name.startsWith(UNFINISHED_PREFIX)) continue;
    // Retries, because an initdb that outlived its starter writes there until its closed output ends it.
    await rm(join(directory, name), { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}

/**
 * Creates Lockstep's role and database if they do not exist, and returns the role's password. The file with the
 * password is written last: without it, the next start does all of this again.
 */
export async function ensureRoleAndDatabase(places: Places, port: number): Promise<string> {
  if (existsSync(places.passwordFile)) return readFileSync(places.passwordFile, 'utf8').trim();
  const password = randomPassword();
  const client = new pg.Client({
    host: '127.0.0.1',
    port,
    user: 'postgres',
    password: readFileSync(places.superuserPasswordFile, 'utf8').trim(),
    database: 'postgres',
    ssl: false,
  });
  await client.connect();
  try {
    const role = await client.query('select from pg_roles where rolname = $1', [LOCKSTEP_NAME]);
    await client.query(
      `${role.rowCount === 0 ? 'create' : 'alter'} role ${LOCKSTEP_NAME} with login createdb password '${password}'`,
    );
    const database = await client.query('select from pg_database where datname = $1', [LOCKSTEP_NAME]);
    if (database.rowCount === 0) await client.query(`create database ${LOCKSTEP_NAME} owner ${LOCKSTEP_NAME}`);
  } finally {
    await client.end();
  }
  writeDurably(places.passwordFile, password, undefined);
  return password;
}

/** Returns a random password of 48 hexadecimal digits, which need no escapes in SQL or in a URL. */
export function randomPassword(): string {
  return randomBytes(24).toString('hex');
}
