import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { type Measure, median, scaled } from '../measure.ts';

const RUNS = 15;
const LOCKSTEP = 'node_modules/.bin/lockstep';
const WORDS = ['--version', '--help', 'complete -- b', 'batch list'];
const COMMANDS = ['node -e 0', ...WORDS.map((words) => `${LOCKSTEP} ${words}`)];
const acceptedTime = 1_790_000_000_000;
const batch = { channelCode: 'demo', channelOrderId: 'D', syncMode: 'async', state: 'completed', total: 2, failed: 0 };
const ANSWER = { code: 0, access_token: 'token', data: { batches: [{ ...batch, acceptedTime }], nextCursor: null } };

/**
 * Processor time of whole commands, also as a multiple of that of `node -e 0`. `batch list` gets a token and a list of
 * one batch.
 */
export const startMeasure: Measure = {
  name: 'start',
  async run(bench) {
    const service = createServer((_, response) => response.end(JSON.stringify(ANSWER))).listen(0, '127.0.0.1');
    await once(service, 'listening');
    const env = {
      ...process.env,
      LOCKSTEP_BASE_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
      LOCKSTEP_APP_KEY: 'key',
      LOCKSTEP_APP_SECRET: 'secret',
    };
    /** Measures user and system time in milliseconds; bash reports it for child processes that have exited. */
    const measureMs = async (command: string) => {
      const options = { env, cwd: bench.checkout.directory };
      const { stdout } = await promisify(execFile)('bash', ['-c', `${command} > /dev/null && times`], options);
      const times = stdout.split('\n')[1]!.matchAll(/(\d+)m([\d.]+)s/g);
      return times.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60_000 + Number(seconds) * 1_000, 0);
    };
    const runs: number[][] = [];
    // The first run fills the cache of compiled modules.
    for (let run = 0; run <= scaled(bench, RUNS); run++) {
      runs[run] = [];
      for (const command of COMMANDS) runs[run]!.push(await measureMs(command));
    }
    service.close();
    const [bareMs, ...medians] = COMMANDS.map((_, index) => median(runs.slice(1).map((times) => times[index]!)));
    const ratios = WORDS.map((words, index): [string, number] => [`${words} ÷ node`, medians[index]! / bareMs!]);
    return { 'node ms': bareMs!, ...Object.fromEntries(ratios) };
  },
};
