import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { BatchOrder, type BatchResult } from '@lockstep/contract';
import { DEMO_ENTERPRISES } from '@lockstep/customers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../harness/network/redis.ts';
import { COMMAND, tableIn } from '../harness/processes/command-line.ts';
import {
  type Ended,
  endEverything,
  newDataDir,
  npmStart,
  REPOSITORY,
  type RunningStack,
  runJob,
  startJob,
} from '../harness/processes/processes.ts';
import { type Stack, startStack } from '../harness/stack.ts';

const readExample = (name: string) => JSON.parse(readFileSync(join(REPOSITORY, 'examples', name), 'utf8'));

const lockstep = (dataDir: string, ...words: string[]) => runJob([...COMMAND, ...words], { DATA_DIR: dataDir });

const MESSAGES = {
  product_not_found:
    'Asset 8100000001 has no active product gms-survey that matches; the nearest has limitConcurrent 1.',
  asset_not_found: 'Asset 8400000001 is not an active asset of the customer.',
  enterprise_mismatch: 'Customer 2003 does not belong to enterprise 1001.',
};

/**
 * The outcomes of examples/mixed-batch.json after examples/first-batch.json: sequence, order, assets, products,
 * outcome.
 */
const MIXED_OUTCOMES: [number, string, number, number, string][] = [
  [1, 'new_buy', 2, 2, 'succeeded'],
  [2, 'new_buy', 1, 1, 'succeeded'],
  [3, 'new_buy', 1, 3, 'succeeded'],
  [4, 'new_buy', 0, 2, 'succeeded'],
  [5, 'delete_product', 0, 1, 'succeeded'],
  [6, 'delete_product', 0, 2, 'succeeded'],
  [7, 'delete_product', 0, 0, 'product_not_found'],
  [8, 'delete_asset', 1, 1, 'succeeded'],
  [9, 'new_buy', 1, 1, 'succeeded'],
  [10, 'new_buy', 0, 1, 'succeeded'],
  [11, 'new_buy', 1, 1, 'succeeded'],
  [12, 'new_buy', 3, 3, 'succeeded'],
  [13, 'delete_asset', 2, 2, 'succeeded'],
  [14, 'new_buy', 1, 1, 'succeeded'],
  [15, 'delete_asset', 0, 0, 'asset_not_found'],
  [16, 'new_buy', 0, 0, 'enterprise_mismatch'],
];

describe('lockstep submit', () => {
  let stack: RunningStack;
  let mixed: Ended;

  beforeAll(async () => {
    stack = await npmStart(newDataDir());
  });
  afterAll(endEverything);

  const shell = (line: string) => runJob(['bash', '-c', line], { DATA_DIR: stack.dataDir });
  const submit = (...words: string[]) => lockstep(stack.dataDir, 'submit', ...words);

  /** Writes a changed mixed batch into a file beside the data directory. */
  function changedBatch(change: (batch: ReturnType<typeof readExample>) => void): string {
    const batch = readExample('mixed-batch.json');
    change(batch);
    const file = join(dirname(stack.dataDir), 'changed.json');
    writeFileSync(file, JSON.stringify(batch));
    return file;
  }

  it('shows the outcome of every order of the examples', async () => {
    const first = await submit('examples/first-batch.json');
    expect(first.status).toBe(0);
    expect(tableIn(first.stdout, 'sequence').map(({ outcome }) => outcome)).toEqual(['succeeded', 'succeeded']);

    mixed = await submit('examples/mixed-batch.json');
    expect({ status: mixed.status, stderr: mixed.stderr }).toEqual({ status: 0, stderr: '' });
    const shown = tableIn(mixed.stdout, 'sequence');
    expect(shown.map((row) => [row.sequence, row.order, row.assets, row.products, row.outcome])).toEqual(
      MIXED_OUTCOMES.map((outcome) => outcome.map(String)),
    );
    for (const message of Object.values(MESSAGES)) expect(mixed.stdout).toContain(message);
    const { orderList } = readExample('mixed-batch.json') as { orderList: { customerId: string }[] };
    expect(shown.map(({ customer }) => customer)).toEqual(orderList.map(({ customerId }) => customerId));
    expect(mixed.stdout).toContain('13 succeeded, 3 failed');
  });

  it('shows the same again for the same file', async () => {
    expect((await submit('examples/mixed-batch.json')).stdout).toBe(mixed.stdout);
  });

  it('writes no terminal codes if there is no terminal', () => {
    expect(mixed.stdout).toContain('13 succeeded');
    expect(mixed.stdout).not.toContain('\x1b');
  });

  /** Two pages of orders in descending sequence; two of them fail. */
  const largeBatch = () =>
    changedBatch((batch) => {
      const [order] = batch.orderList;
      batch.channelOrderId = 'DEMO-PAGES';
      batch.orderList = Array.from({ length: 1_001 }, (_, index) => ({ ...order, sequence: 2_000 - index }));
      for (const index of [3, 999]) batch.orderList[index].enterpriseGlobalId = '1002';
    });
  const failureOf = (sequence: number) =>
    expect.stringMatching(
      new RegExp(`^${sequence} \\(\\d+\\) enterprise_mismatch: Customer 2001 does not belong to enterprise 1002\\.$`),
    );

  it('shows only the failed ones of more than 50 orders, and how many', async () => {
    const { status, stdout } = await submit(largeBatch());
    expect(status).toBe(0);
    expect(stdout.trimEnd().split('\n')).toEqual([
      'Batch DEMO-PAGES of channel demo: 1001 orders accepted',
      failureOf(1_997),
      failureOf(1_001),
      '999 succeeded, 2 failed',
    ]);
  });

  it('shows as JSON every order of a batch of several pages, in the order sent', async () => {
    const { status, stdout, stderr } = await submit('--json', largeBatch());
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: 'Batch DEMO-PAGES of channel demo: 1001 orders accepted\n',
    });
    const { orders, ...result } = JSON.parse(stdout) as Omit<BatchResult, 'nextCursor'>;
    expect(result).toEqual({
      channelCode: 'demo',
      channelOrderId: 'DEMO-PAGES',
      syncMode: 'async',
      state: 'completed',
      total: 1_001,
      succeeded: 999,
      failed: 2,
      pending: 0,
      held: 0,
      acceptedTime: expect.any(Number),
      completedTime: expect.any(Number),
      estimatedCompletionTime: null,
    });
    expect(orders.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 1_001 }, (_, index) => 2_000 - index));
    expect(orders[3]).toMatchObject({ state: 'failed', cause: 'enterprise_mismatch' });
  });

  it('ends with status 2 if an order failed, where that is asked for', async () => {
    const [failing, plain] = await Promise.all([
      submit('--fail-on-failed', 'examples/mixed-batch.json'),
      submit('--fail-on-failed', 'examples/first-batch.json'),
    ]);
    expect(failing).toEqual({ ...mixed, status: 2 });
    expect(plain.status).toBe(0);
  });

  it('accepts a file with a byte order mark, as Windows programs write it', async () => {
    const marked = join(dirname(stack.dataDir), 'marked.json');
    writeFileSync(marked, `\uFEFF${readFileSync(join(REPOSITORY, 'examples/mixed-batch.json'), 'utf8')}`);
    expect(await submit(marked)).toEqual(mixed);
  });

  it('reads standard input for -', async () => {
    expect(await shell(`${COMMAND.join(' ')} submit - < examples/mixed-batch.json`)).toEqual(mixed);
  });

  it('ends silently if nobody reads its output', async () => {
    const { stderr } = await shell(`${COMMAND.join(' ')} submit examples/mixed-batch.json | true`);
    expect(stderr).toBe('');
  });

  it('takes the service and the application from its options or the environment', async () => {
    const { baseUrl, appKey, appSecret } = stack.demo;
    const where = ['--base-url', baseUrl, '--app-key', appKey, '--app-secret', appSecret];
    const elsewhere = newDataDir();
    expect((await lockstep(elsewhere, 'submit', ...where, 'examples/mixed-batch.json')).stdout).toBe(mixed.stdout);
    const ended = await runJob(['npm', 'run', '--silent', 'lockstep', '--', 'submit', 'examples/mixed-batch.json'], {
      DATA_DIR: elsewhere,
      LOCKSTEP_BASE_URL: baseUrl,
      LOCKSTEP_APP_KEY: appKey,
      LOCKSTEP_APP_SECRET: appSecret,
    });
    expect(ended.stdout).toBe(mixed.stdout);
  });

  it.each<[what: string, status: number, run: () => Promise<Ended>, message: RegExp]>([
    [
      'a batch of the wrong shape',
      2,
      () => submit(changedBatch((batch) => delete batch.orderList[2].customerId)),
      /13004.*field_missing.*orderList\[2\]\.customerId/,
    ],
    [
      'other content under a channelOrderId that was used',
      2,
      () => submit(changedBatch((batch) => batch.orderList.pop())),
      /13004.*channel_order_id_conflict.*DEMO-2026-0002/,
    ],
    [
      'a sync batch whose order names what is not there',
      2,
      () => submit('examples/wrong-revocation.json'),
      /product_not_found/,
    ],
    ['a file that is not JSON', 64, () => submit('README.md'), /README\.md is not JSON: /],
    ['an empty standard input', 64, () => submit('-'), /Standard input is empty/],
    ['a file that is not there', 64, () => submit('examples/none.json'), /examples\/none\.json.*no such file/],
    ['a wrong secret', 2, () => submit('--app-secret', 'wrong', 'examples/mixed-batch.json'), /secret is wrong/],
    [
      'an empty secret',
      64,
      () => submit('--app-secret', '', 'examples/mixed-batch.json'),
      /--app-secret must not be empty/,
    ],
    [
      'nothing that listens on this machine',
      69,
      async () => submit('--base-url', `http://127.0.0.1:${await freePort()}`, 'examples/mixed-batch.json'),
      /http:\/\/127\.0\.0\.1:\d+ refuses connections.*Is npm start running\?/,
    ],
    [
      'an address that is none, without its password',
      64,
      () => submit('--base-url', 'postgres://me:hunter2@db', 'examples/mixed-batch.json'),
      /^(?!.*hunter2).*--base-url \(LOCKSTEP_BASE_URL\) must be http:\/\//,
    ],
    [
      'nothing to send it to',
      64,
      () => lockstep(newDataDir(), 'submit', 'examples/mixed-batch.json'),
      /npm start.*--base-url/,
    ],
  ])('refuses %s with status %i and says why', async (_, expected, run, message) => {
    const { status, stdout, stderr } = await run();
    expect({ status, stdout }).toEqual({ status: expected, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});

describe('lockstep submit that is stopped while its batch waits', () => {
  let waiting: Stack;
  let command: string[];
  beforeAll(async () => {
    // Without a worker, no order is applied.
    waiting = await startStack({ worker: false });
    const { credentials } = await waiting.newApi();
    const { appKey, appSecret } = credentials;
    const service = ['--base-url', waiting.baseUrl, '--app-key', appKey, '--app-secret', appSecret];
    command = [...COMMAND, 'submit', ...service, 'examples/first-batch.json'];
  });
  afterAll(async () => {
    await endEverything();
    await waiting.close();
  });

  const goesOn = () =>
    new RegExp(
      `lockstep: Stopped\\. Batch DEMO-2026-0001 of channel demo is accepted and goes on\\. Run the same command again to watch it.*` +
        `${waiting.baseUrl}/order/api/order/v1/licenseOrder/batchOrder\\?channelCode=demo&channelOrderId=DEMO-2026-0001\\r?\\n$`,
    );

  // On other systems the command `script` has other options.
  it.runIf(process.platform === 'linux')(
    'by Ctrl-C restores the terminal and says that the batch goes on',
    async () => {
      const inTerminal = ['script', '--quiet', '--return', '--command', command.join(' '), '/dev/null'];
      const job = startJob(inTerminal, { TERM: 'xterm' }, 'pipe');
      await job.shown(/ 0\/2 orders/);
      job.type('\x03');
      const { status, stdout } = await job.ended;
      expect(status).toBe(130);
      expect(stdout).toMatch(goesOn());
      for (const [taken, given] of [
        ['\x1b[?25l', '\x1b[?25h'],
        ['\x1b[?7l', '\x1b[?7h'],
      ] as const) {
        expect(stdout).toContain(taken);
        expect(stdout.lastIndexOf(given)).toBeGreaterThan(stdout.lastIndexOf(taken));
      }
    },
  );

  it('by SIGTERM says that the batch goes on', async () => {
    const job = startJob(command);
    await job.line(/accepted$/);
    const { status, stderr } = await job.end('SIGTERM');
    expect(status).toBe(143);
    expect(stderr).toMatch(goesOn());
  });

  it('because the service has gone says so, and that the batch goes on', async () => {
    // Stands for a service that stops while the command asks it: the connection is cut.
    const target = new URL(waiting.baseUrl);
    const connections = new Set<Socket>();
    const way = createServer((client) => {
      const service = connect(Number(target.port), target.hostname);
      for (const socket of [client, service]) connections.add(socket.on('error', () => {}));
      client.pipe(service).pipe(client);
    });
    await once(way.listen(0, '127.0.0.1'), 'listening');
    const urlOfWay = `http://127.0.0.1:${(way.address() as AddressInfo).port}`;
    const job = startJob(command.map((word) => (word === waiting.baseUrl ? urlOfWay : word)));
    await job.line(/accepted$/);
    way.close();
    for (const connection of connections) connection.destroy();
    const { status, stderr } = await job.ended;
    expect(status).toBe(69);
    expect(stderr).toMatch(/^lockstep: http:\/\/127.0.0.1:\d+ (closed|refuses).*\nBatch DEMO-2026-0001.* goes on\./);
  });
});

it('lockstep --version is that of package.json', async () => {
  const { version } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8'));
  expect(await lockstep(newDataDir(), '--version')).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: '' });
});

describe('examples', () => {
  it.each(['first-batch.json', 'mixed-batch.json'])('%s has the shape of O5 and names demo customers', (name) => {
    const { orderList } = BatchOrder.parse(readExample(name));
    const known = DEMO_ENTERPRISES.flatMap(({ customers }) => customers.map(({ id }): string => id));
    expect(orderList.map(({ customerId }) => customerId).filter((id) => !known.includes(id))).toEqual([]);
  });
});
