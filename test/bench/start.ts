import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { say } from './bench-run.ts';
import { median } from './measures/measure.ts';

/**
 * `npm run bench:start`: compares the processor time of whole commands with that of `node -e 0`. `batch list` gets a
 * token and a list of one batch. Compare ratios within one run, not figures of different runs.
 */
const RUNS = 15;
const LOCKSTEP = 'node_modules/.bin/lockstep';
const COMMANDS: [name: string, command: string[], most: number | null][] = [
  ['node -e 0', [process.execPath, '-e', '0'], null],
  ['lockstep --version', [LOCKSTEP, '--version'], 2.5],
  ['lockstep --help', [LOCKSTEP, '--help'], 2.5],
  ['lockstep complete -- b', [LOCKSTEP, 'complete', '--', 'b'], 2.5],
  ['lockstep batch list', [LOCKSTEP, 'batch', 'list'], 6],
];
const batch = {
  channelCode: 'demo',
  channelOrderId: 'DEMO-1',
  syncMode: 'async',
  state: 'completed',
  total: 2,
  failed: 0,
  acceptedTime: 1_790_000_000_000,
};
const answer = JSON.stringify({ code: 0, access_token: 'token', data: { batches: [batch], nextCursor: null } });
const service = createServer((_, response) => response.end(answer)).listen(0, '127.0.0.1');
await once(service, 'listening');
const env = {
  ...process.env,
  LOCKSTEP_BASE_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
  LOCKSTEP_APP_KEY: 'key',
  LOCKSTEP_APP_SECRET: 'secret',
};

/** Measures a command's user and system time in milliseconds; bash reports it for child processes that have exited. */
async function measureMs(command: readonly string[]): Promise<number> {
  const line = '"$@" > /dev/null && times';
  const { stdout } = await promisify(execFile)('bash', ['-c', line, 'bash', ...command], { env });
  const [, children = ''] = stdout.split('\n');
  return [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60_000 + Number(seconds) * 1_000,
    0,
  );
}

// Fill the cache of compiled modules.
for (const [, command] of COMMANDS) await measureMs(command);
const times = COMMANDS.map((): number[] => []);
for (let run = 0; run < RUNS; run++) {
  for (const [index, [, command]] of COMMANDS.entries()) times[index]!.push(await measureMs(command));
}
const bareMs = median(times[0]!);
for (const [index, [name, , most]] of COMMANDS.entries()) {
  const ms = median(times[index]!);
  const goal = most === null ? '' : `, goal: at most ${most.toFixed(1)} x`;
  say(`${name.padEnd(24)} ${ms.toFixed(0).padStart(5)} ms  ${(ms / bareMs).toFixed(1)} x${goal}`);
}
service.close();
