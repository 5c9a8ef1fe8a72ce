import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, vi } from 'vitest';
import { startBoundProcess } from '../harness/processes/bound-process.ts';
import { provideProgram } from '../harness/processes/installed-program.ts';

const PATIENTLY = { timeout: 60_000, interval: 100 };

/** A running HAProxy. */
export interface RunningProxy {
  /** Waits until exactly these addresses get calls. */
  untilServing(addresses: string[]): Promise<void>;
  /** Stops it at once. */
  stop(): Promise<void>;
}

/** Starts HAProxy with a configuration, which it writes to `directory`. The proxy ends with this process. */
export async function startProxy(directory: string, configuration: string): Promise<RunningProxy> {
  const file = join(directory, 'haproxy.cfg');
  const socket = join(directory, 'haproxy.sock');
  writeFileSync(file, `${configuration}\nglobal\n  stats socket ${socket}\n`);
  const proxy = startBoundProcess([findHaproxy(), '-f', file, '-db']);
  await vi.waitFor(() => expect(existsSync(socket)).toBe(true), PATIENTLY);
  return {
    async untilServing(addresses) {
      await vi.waitFor(async () => expect(await readServing(socket)).toEqual(addresses.toSorted()), PATIENTLY);
    },
    async stop() {
      if (proxy.kill()) await once(proxy, 'exit');
    },
  };
}

/** Returns the addresses of the servers that are up, in order. */
async function readServing(path: string): Promise<string[]> {
  const socket = createConnection(path);
  socket.write('show stat\n');
  const [head = '', ...rows] = (await text(socket)).trim().split('\n');
  const [addr, status] = ['addr', 'status'].map((name) => head.split(',').indexOf(name));
  const servers = rows.map((row) => row.split(','));
  const up = servers.filter((row) => row[addr!] !== '' && row[status!]!.startsWith('UP'));
  return up.map((row) => row[addr!]!.split(':')[0]!).toSorted();
}

/** Returns what is wrong with a configuration; an empty text if it is valid. */
export function findConfigurationFault(file: string): string {
  try {
    execFileSync(findHaproxy(), ['-c', '-q', '-f', file], { stdio: 'pipe' });
    return '';
  } catch (error) {
    return String((error as { stderr?: Buffer }).stderr);
  }
}

/** Returns the version of the installed HAProxy, such as 2.6. */
export function readHaproxyVersion(): string | undefined {
  return /version (\d+\.\d+)/.exec(execFileSync(findHaproxy(), ['-v'], { encoding: 'utf8' }))?.[1];
}

function findHaproxy(): string {
  return provideProgram({
    command: 'haproxy',
    debianPackage: 'haproxy',
    otherwise: 'This test needs HAProxy: install haproxy (Debian: apt-get install haproxy).',
  });
}
