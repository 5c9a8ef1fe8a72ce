import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A running HAProxy. */
export interface Proxy {
  /** Stops it at once. */
  stop(): Promise<void>;
}

/**
 * Starts HAProxy with a configuration, which is written into `directory`. It ends with the tests: as a child in the
 * foreground that the kernel ends with its parent's pipe is no proxy, so `stop` has to be called.
 */
export async function startProxy(directory: string, configuration: string): Promise<Proxy> {
  const file = join(directory, 'haproxy.cfg');
  writeFileSync(file, configuration);
  const child = spawn(findHaproxy(), ['-f', file, '-db'], { stdio: ['ignore', 'inherit', 'inherit'] });
  await once(child, 'spawn');
  return {
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

/** Says what is wrong with a configuration; an empty text if it is valid. */
export function findConfigurationFault(file: string): string {
  try {
    execFileSync(findHaproxy(), ['-c', '-q', '-f', file], { stdio: 'pipe' });
    return '';
  } catch (error) {
    return String((error as { stderr?: Buffer }).stderr);
  }
}

/** Returns the version of the HAProxy of this machine, such as 2.6. */
export function readHaproxyVersion(): string | undefined {
  return /version (\d+\.\d+)/.exec(execFileSync(findHaproxy(), ['-v'], { encoding: 'utf8' }))?.[1];
}

function findHaproxy(): string {
  const found = findOnPath();
  if (found !== undefined) return found;
  if (process.getuid?.() === 0 && existsSync('/etc/debian_version')) {
    installWithApt();
    const installed = findOnPath();
    if (installed !== undefined) return installed;
  }
  throw new Error('This test needs HAProxy: install haproxy (Debian: apt-get install haproxy).');
}

function findOnPath(): string | undefined {
  return [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
    .map((directory) => join(directory, 'haproxy'))
    .find((file) => existsSync(file));
}

function installWithApt(): void {
  process.stdout.write('Installing haproxy for the tests (apt-get install haproxy)\n');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  execFileSync('apt-get', ['update', '-qq'], { env, stdio: 'ignore' });
  execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'haproxy'], { env, stdio: 'ignore' });
}
