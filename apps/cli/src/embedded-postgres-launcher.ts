import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The user that PostgreSQL runs as and that owns its files. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** How PostgreSQL's programs are run. Without an owner: as the user that we are. */
export interface Launcher {
  readonly owner: Owner | undefined;
  /** A command in front of PostgreSQL's own, which then changes the user; empty: spawn changes it. */
  readonly prefix: readonly string[];
}

/** Runs a program in `/` with an environment that holds nothing of ours: no PG* variable, no secret. */
export function launch(
  launcher: Launcher,
  command: readonly string[],
  options: { stdio: StdioOptions; detached?: boolean },
): ChildProcess {
  const [file = '', ...args] = [...launcher.prefix, ...command];
  const environment = { PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' };
  const user = launcher.owner !== undefined && launcher.prefix.length === 0 ? launcher.owner : {};
  // The working directory must be one that any user may enter.
  return spawn(file, args, { ...options, ...user, env: environment, cwd: '/' });
}

/**
 * Runs a program to its end. Never throws: `failure` says what went wrong, with the program's output.
 * @param input its standard input: a text, or an open file
 */
export function run(
  launcher: Launcher,
  command: readonly string[],
  input: string | number = '',
): Promise<{ failure: string | undefined }> {
  const stdin = typeof input === 'number' ? input : 'pipe';
  const child = launch(launcher, command, { stdio: [stdin, 'pipe', 'pipe'] });
  // A program that ends before it has read all has said why.
  child.stdin?.on('error', () => {}).end(input);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  return new Promise((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      const missing = `the program ${launcher.prefix[0] ?? command[0]} is not there`;
      resolve({ failure: error.code === 'ENOENT' ? missing : error.message });
    });
    child.once('close', (code, signal) => {
      resolve({ failure: code === 0 ? undefined : `${output.trim()} (exit status ${code ?? signal})` });
    });
  });
}

/**
 * Finds how to run PostgreSQL on these directories (decisions.md 9: as root, it runs as an unprivileged user). As root
 * that is `nobody`, or the user that a cluster already belongs to; where that user cannot reach the directories, with
 * one capability that lets it.
 * @throws Error that says what to do, where there is no way
 */
export async function chooseLauncher(places: {
  directory: string;
  clusterDirectory: string;
  nativeDirectory: string;
}): Promise<Launcher> {
  if (process.geteuid?.() !== 0) return { owner: undefined, prefix: [] };
  const owner = ownerOf(places.clusterDirectory) ?? findNobody();
  const failures: string[] = [];
  // Override comes last because it may write, too; but Docker grants it and not the other, and it alone lets nobody
  // execute what a umask of 077 left to root.
  for (const prefix of [[], setpriv(owner, 'dac_read_search'), setpriv(owner, 'dac_override')]) {
    const { failure } = await run({ owner, prefix }, reachCommand(places));
    if (failure === undefined) return { owner, prefix };
    failures.push(`${prefix.length === 0 ? 'without help' : prefix.join(' ')}: ${failure}`);
  }
  throw new Error(
    `PostgreSQL refuses to run as root, and the user ${owner.uid} that it would run as cannot use ` +
      `${places.nativeDirectory} and ${places.directory}. Start as an unprivileged user, or install setpriv ` +
      '(util-linux), or let every user search the directories above these two (chmod o+x), or set DATABASE_URL.\n' +
      `What was tried:\n${failures.join('\n')}`,
  );
}

function ownerOf(clusterDirectory: string): Owner | undefined {
  const cluster = statSync(clusterDirectory, { throwIfNoEntry: false });
  return cluster === undefined || cluster.uid === 0 ? undefined : { uid: cluster.uid, gid: cluster.gid };
}

function findNobody(): Owner {
  const [, uid, gid] = /^nobody:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8')) ?? [];
  return { uid: Number(uid ?? 65_534), gid: Number(gid ?? 65_534) };
}

function setpriv(owner: Owner, capability: string): string[] {
  return [
    'setpriv',
    `--reuid=${owner.uid}`,
    `--regid=${owner.gid}`,
    '--clear-groups',
    '--no-new-privs',
    // PostgreSQL asks access(2) about its own programs, which ignores the capabilities of all but root without this.
    '--securebits=+no_setuid_fixup',
    `--inh-caps=+${capability}`,
    `--ambient-caps=+${capability}`,
  ];
}

/** Does what PostgreSQL will have to do, because mode bits alone do not tell (ACLs, NFS, containers). */
function reachCommand(places: { directory: string; nativeDirectory: string }): string[] {
  const script = 'cd "$1" && cat "$2" > /dev/null && exec "$3" --show -D "$1"';
  const dataFile = join(places.nativeDirectory, 'share', 'postgresql', 'postgres.bki');
  const initdb = join(places.nativeDirectory, 'bin', 'initdb');
  return ['/bin/sh', '-c', script, 'sh', places.directory, dataFile, initdb];
}
