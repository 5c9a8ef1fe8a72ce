import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The user that PostgreSQL runs as and that owns its files. */
export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

/** How to run PostgreSQL's programs. Without an owner, they run as this process's user. */
export interface Launcher {
  readonly owner: SystemUser | undefined;
  /** A command that changes the user and then runs PostgreSQL's; if empty, spawn changes the user. */
  readonly prefix: readonly string[];
}

/** Starts a program in `/` with a clean environment, without PG* variables and secrets. */
export function launch(
  launcher: Launcher,
  command: readonly string[],
  options: { stdio: StdioOptions; detached?: boolean; signal?: AbortSignal },
): ChildProcess {
  const [file = '', ...args] = [...launcher.prefix, ...command];
  const environment = { PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' };
  const user = launcher.owner !== undefined && launcher.prefix.length === 0 ? launcher.owner : {};
  // Any user may enter this working directory.
  return spawn(file, args, { ...options, ...user, env: environment, cwd: '/' });
}

/**
 * Runs a program to its end. Never throws: `failure` says what went wrong, with the program's output.
 * @param options.input its standard input: text or a file descriptor
 * @param options.stop ends the program
 */
export function run(
  launcher: Launcher,
  command: readonly string[],
  { input = '', stop }: { input?: string | number; stop?: AbortSignal | undefined } = {},
): Promise<{ failure: string | undefined }> {
  const stdin = typeof input === 'number' ? input : 'pipe';
  const child = launch(launcher, command, { stdio: [stdin, 'pipe', 'pipe'], ...(stop && { signal: stop }) });
  // If a program ends before it has read everything, its output says why.
  child.stdin?.on('error', () => {}).end(input);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  return new Promise((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      // Aborted, but the program has not ended yet.
      if (stop?.aborted === true) return;
      const missing = `the program ${launcher.prefix[0] ?? command[0]} does not exist`;
      resolve({ failure: error.code === 'ENOENT' ? missing : error.message });
    });
    child.once('close', (code, signal) => {
      resolve({ failure: code === 0 ? undefined : `${output.trim()} (exit status ${code ?? signal})` });
    });
  });
}

/**
 * Finds how to run PostgreSQL on these directories. PostgreSQL refuses to run as root; if this process is root, it runs
 * as the owner of the cluster or as `nobody`. A user that cannot reach the directories gets one capability for that.
 * @throws Error that says what to do, if nothing works
 */
export async function chooseLauncher(places: {
  directory: string;
  clusterDirectory: string;
  nativeDirectory: string;
}): Promise<Launcher> {
  if (process.geteuid?.() !== 0) return { owner: undefined, prefix: [] };
  const owner = readClusterOwner(places.clusterDirectory) ?? findNobody();
  const failures: string[] = [];
  // dac_override comes last because it also permits writing. Docker grants only this one, and `nobody` needs it to
  // execute root's files under a umask of 077.
  for (const prefix of [[], setprivCommand(owner, 'dac_read_search'), setprivCommand(owner, 'dac_override')]) {
    const { failure } = await run({ owner, prefix }, reachCommand(places));
    if (failure === undefined) return { owner, prefix };
    failures.push(`${prefix.length === 0 ? 'without help' : prefix.join(' ')}: ${failure}`);
  }
  throw new Error(
    `PostgreSQL refuses to run as root, and the user ${owner.uid} that it would run as cannot use ` +
      `${places.nativeDirectory} and ${places.directory}. Start as an unprivileged user, or install setpriv ` +
      '(util-linux), or let every user search the directories above these two (chmod o+x), or set DATABASE_URL.\n' +
      `Attempts:\n${failures.join('\n')}`,
  );
}

function readClusterOwner(clusterDirectory: string): SystemUser | undefined {
  const cluster = statSync(clusterDirectory, { throwIfNoEntry: false });
  return cluster === undefined || cluster.uid === 0 ? undefined : { uid: cluster.uid, gid: cluster.gid };
}

function findNobody(): SystemUser {
  const [, uid, gid] = /^nobody:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8')) ?? [];
  return { uid: Number(uid ?? 65_534), gid: Number(gid ?? 65_534) };
}

function setprivCommand(owner: SystemUser, capability: string): string[] {
  return [
    'setpriv',
    `--reuid=${owner.uid}`,
    `--regid=${owner.gid}`,
    '--clear-groups',
    '--no-new-privs',
    // PostgreSQL checks its programs with access(2), which otherwise ignores the capabilities of unprivileged users.
    '--securebits=+no_setuid_fixup',
    `--inh-caps=+${capability}`,
    `--ambient-caps=+${capability}`,
  ];
}

/** Tries what PostgreSQL will do, because mode bits don't tell (ACLs, NFS, containers). */
function reachCommand(places: { directory: string; nativeDirectory: string }): string[] {
  const script = 'cd "$1" && cat "$2" > /dev/null && exec "$3" --show -D "$1"';
  const dataFile = join(places.nativeDirectory, 'share', 'postgresql', 'postgres.bki');
  const initdb = join(places.nativeDirectory, 'bin', 'initdb');
  return ['/bin/sh', '-c', script, 'sh', places.directory, dataFile, initdb];
}
