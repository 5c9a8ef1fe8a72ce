import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, vi } from 'vitest';
import { provideProgram } from '../processes/installed-program.ts';

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
  // The shell reads its standard input, which ends with the tests' process, however that ends.
  const script = '"$0" -f "$1" -db </dev/null & cat; kill $!; wait $!';
  const child = spawn('sh', ['-c', script, findHaproxy(), file], { stdio: ['pipe', 'ignore', 'ignore'] });
  await once(child, 'spawn');
  return {
    async untilServing(addresses) {
      const look = async () => expect(await readServing(socket)).toEqual(addresses.toSorted());
      await vi.waitFor(look, { timeout: 60_000, interval: 100 });
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}

/** Returns the addresses of the servers that are up, in order. */
async function readServing(path: string): Promise<string[]> {
  const socket = createConnection(path);
  socket.write('show stat\n');
  const [head = [], ...rows] = (await text(socket))
    .replace(/^# /, '')
    .trim()
    .split('\n')
    .map((line) => line.split(','));
  const of = (row: string[], name: string) => row[head.indexOf(name)] ?? '';
  return rows
    .filter((row) => of(row, 'addr') !== '' && of(row, 'status').startsWith('UP'))
    .map((row) => of(row, 'addr').split(':')[0]!)
    .toSorted();
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
