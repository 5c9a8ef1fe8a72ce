import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, join, sep } from 'node:path';
import { inject } from 'vitest';

export const REPOSITORY = join(import.meta.dirname, '..', '..', '..');

/** How a process ended, and its whole output. */
export interface Ended {
  status: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

const jobs = new Set<Job>();
const directories = new Set<string>();

/** A command in its own process group, as a shell starts one. `endEverything` ends what is left of it. */
class Job {
  readonly ended: Promise<Ended>;
  readonly #child: ChildProcess;
  readonly #output = { stdout: '', stderr: '' };
  readonly #listeners = new Set<() => void>();

  constructor(child: ChildProcess) {
    this.#child = child;
    for (const name of ['stdout', 'stderr'] as const) {
      child[name]?.setEncoding('utf8').on('data', (text: string) => {
        this.#output[name] += text;
        for (const look of this.#listeners) look();
      });
    }
    this.ended = once(child, 'close').then(([status, signal]) => ({ status, signal, ...this.#output }));
  }

  /** The id of the process and of its group. */
  get pid(): number {
    if (this.#child.pid === undefined) throw new Error('The process could not be started');
    return this.#child.pid;
  }

  /** Its output so far. */
  get output(): { stdout: string; stderr: string } {
    return { ...this.#output };
  }

  /** Waits for a line of standard output. Rejects with the output if the command ends first. */
  line(pattern: RegExp): Promise<string> {
    return this.#find(pattern, (stdout) => stdout.split('\n').slice(0, -1));
  }

  /** Waits until standard output contains a match, in a whole line or not, like `line`. */
  async shown(pattern: RegExp): Promise<void> {
    await this.#find(pattern, (stdout) => [stdout]);
  }

  /** Types on its standard input, which must be a pipe. */
  type(text: string): void {
    this.#child.stdin?.write(text);
  }

  async #find(pattern: RegExp, split: (stdout: string) => string[]): Promise<string> {
    const found = new Promise<string>((resolve) => {
      const look = () => {
        const line = split(this.#output.stdout).find((each) => pattern.test(each));
        if (line !== undefined && this.#listeners.delete(look)) resolve(line);
      };
      this.#listeners.add(look);
      look();
    });
    const over = this.ended.then((ended) => {
      throw new Error(`It ended without ${pattern}: ${JSON.stringify(ended, null, 2)}`);
    });
    over.catch(() => {});
    return Promise.race([found, over]);
  }

  /** Signals only this process and waits for its end. */
  end(signal: NodeJS.Signals): Promise<Ended> {
    process.kill(this.pid, signal);
    return this.ended;
  }

  /** Signals its whole group, as a terminal does, and waits for its end. */
  endGroup(signal: NodeJS.Signals): Promise<Ended> {
    process.kill(-this.pid, signal);
    return this.ended;
  }
}

export type { Job };

/**
 * Starts a command in the repository as a person at a terminal would: with the machine's Node.js, and with only the
 * environment variables that locate programs and Node.js's compile cache.
 */
export function startJob(
  command: readonly string[],
  env: Record<string, string> = {},
  stdin: 'ignore' | 'pipe' = 'ignore',
  directory = REPOSITORY,
): Job {
  const [file = '', ...args] = command;
  const child = spawn(file, args, {
    cwd: directory,
    detached: true,
    env: { ...personalEnvironment(), ...env },
    stdio: [stdin, 'pipe', 'pipe'],
  });
  const job = new Job(child);
  jobs.add(job);
  return job;
}

/** Runs a command to its end. */
export function runJob(command: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  return startJob(command, env).ended;
}

function personalEnvironment(): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) =>
    ['HOME', 'LANG', 'NODE_COMPILE_CACHE', 'TMPDIR', 'USER'].includes(name),
  );
  const path = (process.env.PATH ?? '').split(delimiter).filter((directory) => !directory.includes('node_modules'));
  return { ...(Object.fromEntries(kept) as Record<string, string>), PATH: path.join(delimiter) };
}

/** A running `npm start` that is ready. */
export interface RunningStack {
  job: Job;
  dataDir: string;
  /** The content of DATA_DIR/demo.json. */
  demo: Record<string, string> & { baseUrl: string; appKey: string; appSecret: string };
}

/** Runs `npm start` on any free port until its ready line. */
export async function npmStart(dataDir: string, env: Record<string, string> = {}): Promise<RunningStack> {
  const job = startJob(['npm', 'start'], { DATA_DIR: dataDir, PORT: '0', ...env });
  await job.line(/\bready\b/);
  const demo = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) as RunningStack['demo'];
  return { job, dataDir, demo };
}

/** Runs `npm run --silent lockstep -- …` to its end. */
export function lockstep(dataDir: string, ...args: string[]): Promise<Ended> {
  return runJob(['npm', 'run', '--silent', 'lockstep', '--', ...args], { DATA_DIR: dataDir });
}

/** Returns a data directory that does not exist yet; `endEverything` removes it. */
export function newDataDir(): string {
  const parent = mkdtempSync(join(inject('directory'), 'start-'));
  // If the tests run as root, PostgreSQL's user must be able to traverse the directory.
  chmodSync(parent, 0o711);
  directories.add(parent);
  return join(parent, 'data');
}

/**
 * Returns the command lines of processes in the job's group or on its data directory: PostgreSQL has its own session.
 */
export function livingProcesses(stack: { job: Job; dataDir: string }): string[] {
  return listProcesses()
    .filter(({ group, command }) => group === stack.job.pid || command.includes(join(stack.dataDir, sep)))
    .map(({ command }) => command);
}

/** Finds a process of the job's group by part of its command line. */
export function findProcess(job: Job, part: string): number {
  const found = listProcesses().find(({ group, command }) => group === job.pid && command.includes(part));
  if (found === undefined) throw new Error(`No process of the job is ${part}`);
  return found.pid;
}

/** Reads the pid of the data directory's PostgreSQL from its pid file. */
export function readPostgresPid(dataDir: string): number {
  const [pid] = readFileSync(getPidFile(dataDir), 'utf8').split('\n');
  return Number(pid);
}

const getPidFile = (dataDir: string) => join(dataDir, 'postgres', 'cluster', 'postmaster.pid');

/**
 * Kills everything that the tests have started, even a PostgreSQL that outlived its starter, and removes the
 * directories.
 */
export async function endEverything(): Promise<void> {
  for (const job of jobs) {
    try {
      process.kill(-job.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
    await job.ended;
  }
  jobs.clear();
  for (const directory of directories) {
    const dataDir = join(directory, 'data');
    const runs = listProcesses().some(({ command }) => command.includes(join(dataDir, sep)));
    try {
      if (runs && existsSync(getPidFile(dataDir))) process.kill(readPostgresPid(dataDir), 'SIGKILL');
    } catch {
      // Its supervisor was faster.
    }
    rmSync(directory, { recursive: true, force: true, maxRetries: 50, retryDelay: 20 });
  }
  directories.clear();
}

/** Lists the machine's processes, without zombies. */
export function listProcesses(): { pid: number; parent: number; group: number; command: string }[] {
  if (process.platform === 'linux') {
    // Without ps, which a small system lacks.
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((pid) => {
        try {
          const [state, parent, group] = readFileSync(`/proc/${pid}/stat`, 'utf8')
            .replace(/^.*\) /s, '')
            .split(' ');
          const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
          return state === 'Z' || state === 'X'
            ? []
            : [{ pid: Number(pid), parent: Number(parent), group: Number(group), command }];
        } catch {
          return [];
        }
      });
  }
  return execFileSync('ps', ['-A', '-ww', '-o', 'pid=,ppid=,pgid=,stat=,command='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state]) => state !== undefined && !state.startsWith('Z'))
    .map(([pid, parent, group, , ...command]) => {
      return { pid: Number(pid), parent: Number(parent), group: Number(group), command: command.join(' ') };
    });
}
