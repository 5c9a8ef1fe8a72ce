import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { type Launcher, type Owner, run } from './embedded-postgres-launcher.ts';

/** What lies in the directory of an embedded PostgreSQL. */
export interface Places {
  readonly directory: string;
  readonly clusterDirectory: string;
  readonly logFile: string;
  readonly superuserPasswordFile: string;
  readonly passwordFile: string;
  /** PostgreSQL's own programs and libraries. */
  readonly nativeDirectory: string;
}

/** Role and database that Lockstep uses. */
export const lockstepName = 'lockstep';

/** Makes the directory where it is absent, and names what lies in it. */
export function preparePlaces(wantedDirectory: string, nativeDirectory: string): Places {
  // As root, PostgreSQL's user must pass through; the files inside each have a mode of their own.
  const mode = process.geteuid?.() === 0 ? 0o711 : 0o700;
  const created = mkdirSync(wantedDirectory, { recursive: true, mode }) !== undefined;
  const directory = realpathSync(wantedDirectory);
  if (created) chmodSync(directory, mode);
  return {
    directory,
    clusterDirectory: join(directory, 'cluster'),
    logFile: join(directory, 'postgres.log'),
    superuserPasswordFile: join(directory, 'superuser-password'),
    passwordFile: join(directory, 'lockstep-password'),
    nativeDirectory: realpathSync(nativeDirectory),
  };
}

const unfinishedPrefix = 'initdb-';

/**
 * Makes the cluster where there is none. It appears under its name in one rename, on disk, so that an initdb that
 * was killed leaves only a directory for the next start to remove.
 * @throws Error with the output of initdb
 */
export async function ensureCluster(places: Places, launcher: Launcher): Promise<void> {
  await removeUnfinished(places.directory);
  if (existsSync(places.clusterDirectory)) return;
  rmSync(places.passwordFile, { force: true });
  if (!existsSync(places.superuserPasswordFile)) {
    // initdb reads it, as the user that owns the cluster and so could change the password anyway.
    writeDurably(places.superuserPasswordFile, randomPassword(), launcher.owner);
  }
  const unfinished = mkdtempSync(join(places.directory, unfinishedPrefix));
  if (launcher.owner !== undefined) chownSync(unfinished, launcher.owner.uid, launcher.owner.gid);
  const { failure } = await run(launcher, [
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
  ]);
  if (failure !== undefined) throw new Error(`PostgreSQL's initdb failed: ${failure}`);
  renameSync(unfinished, places.clusterDirectory);
  syncDirectory(places.directory);
  syncDirectory(dirname(places.directory));
}

async function removeUnfinished(directory: string): Promise<void> {
  for (const name of readdirSync(directory)) {
    if (!name.startsWith(unfinishedPrefix)) continue;
    // An initdb that outlived its starter may still write there, until its closed output ends it: hence the retries.
    await rm(join(directory, name), { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}

/**
 * Makes Lockstep's role and database where they are absent, and returns the role's password. The file with the
 * password is written last: while it is absent, all is done again.
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
    const role = await client.query('select from pg_roles where rolname = $1', [lockstepName]);
    await client.query(
      `${role.rowCount === 0 ? 'create' : 'alter'} role ${lockstepName} with login createdb password '${password}'`,
    );
    const database = await client.query('select from pg_database where datname = $1', [lockstepName]);
    if (database.rowCount === 0) await client.query(`create database ${lockstepName} owner ${lockstepName}`);
  } finally {
    await client.end();
  }
  writeDurably(places.passwordFile, password, undefined);
  return password;
}

/** Letters and digits only, so that it needs no escapes in SQL or in a URL. */
export function randomPassword(): string {
  return randomBytes(24).toString('hex');
}

/** Writes a file for its owner's eyes only, whole or not at all. */
export function writeDurably(file: string, text: string, owner: Owner | undefined): void {
  const temporaryFile = `${file}.new`;
  rmSync(temporaryFile, { force: true });
  writeFileSync(temporaryFile, `${text}\n`, { mode: 0o600, flag: 'wx', flush: true });
  if (owner !== undefined) chownSync(temporaryFile, owner.uid, owner.gid);
  renameSync(temporaryFile, file);
  syncDirectory(dirname(file));
}

/** Has the names in a directory on disk. */
export function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
