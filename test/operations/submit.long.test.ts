import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { BatchResult } from '@lockstep/contract';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { ForwardedAddress } from '../harness/network/forwarded-address.ts';
import { batchOf, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { COMMAND, tableIn } from '../harness/processes/command-line.ts';
import {
  type Ended,
  endEverything,
  newDataDir,
  npmStart,
  REPOSITORY,
  runJob,
  startJob,
} from '../harness/processes/processes.ts';
import { testStack } from '../harness/stack.ts';

const readExample = (name: string) => JSON.parse(readFileSync(join(REPOSITORY, 'examples', name), 'utf8'));

const lockstep = (dataDir: string, ...words: string[]) => runJob([...COMMAND, ...words], { DATA_DIR: dataDir });

/** The lines for the failed orders of examples/mixed-batch.json. */
const MESSAGES = [/^7: .*8100000001.*gms-survey.*limitConcurrent 1/m, /^15: .*8400000001/m, /^16: .*2003.*1001/m];

/**
 * The outcomes of examples/mixed-batch.json after examples/first-batch.json: sequence, type, assets, products,
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

/** The last line of the output for examples/mixed-batch.json. */
const TOTALS = /\n13 .*, 3 .*\n$/;

describe('lockstep submit', async () => {
  const stack = await npmStart(newDataDir());
  let mixed: Ended;
  afterAll(endEverything);

  const shell = (line: string) => runJob(['bash', '-c', line], { DATA_DIR: stack.dataDir });
  const submit = (...words: string[]) => lockstep(stack.dataDir, 'submit', ...words);

  /** Writes a changed mixed batch to a file beside the data directory. */
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
    expect(shown.map((row) => [row.sequence, row.type, row.assets, row.products, row.outcome])).toEqual(
      MIXED_OUTCOMES.map((outcome) => outcome.map(String)),
    );
    for (const message of MESSAGES) expect(mixed.stdout).toMatch(message);
    const { orderList } = readExample('mixed-batch.json') as { orderList: { customerId: string }[] };
    expect(shown.map(({ customer }) => customer)).toEqual(orderList.map(({ customerId }) => customerId));
    expect(mixed.stdout).toMatch(TOTALS);
    // There is no terminal that would obey codes.
    expect(mixed.stdout).not.toContain('\x1b');
  });

  it('shows the same again for the same file', async () => {
    expect((await submit('examples/mixed-batch.json')).stdout).toBe(mixed.stdout);
  });

  /** Writes two pages of orders in descending sequence, two of which fail. */
  const largeBatch = () =>
    changedBatch((batch) => {
      const [order] = batch.orderList;
      batch.channelOrderId = 'DEMO-PAGES';
      batch.orderList = Array.from({ length: 1_001 }, (_, index) => ({ ...order, sequence: 2_000 - index }));
      for (const index of [3, 999]) batch.orderList[index].enterpriseGlobalId = '1002';
    });
  const failureOf = (sequence: number) =>
    expect.stringMatching(new RegExp(`^${sequence} \\(\\d+\\) enterprise_mismatch: .*2001.*1002`));

  it('shows only the failed orders of more than 50, and the totals', async () => {
    const { status, stdout } = await submit(largeBatch());
    expect(status).toBe(0);
    expect(stdout.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/DEMO-PAGES.*1001/),
      failureOf(1_997),
      failureOf(1_001),
      expect.stringMatching(/^999 .*, 2 /),
    ]);
  });

  it('prints all orders of several pages as JSON, in the order sent', async () => {
    const { status, stdout, stderr } = await submit('--json', largeBatch());
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringMatching(/^.*DEMO-PAGES.*1001.*\n$/) });
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

  it('exits with status 2 if an order failed and --fail-on-failed is set', async () => {
    const [failing, plain] = await Promise.all([
      submit('--fail-on-failed', 'examples/mixed-batch.json'),
      submit('--fail-on-failed', 'examples/first-batch.json'),
    ]);
    expect(failing).toEqual({ ...mixed, status: 2 });
    expect(plain.status).toBe(0);
  });

  it('reads the service and the application from options', async () => {
    const { baseUrl, appKey, appSecret } = stack.demo;
    const elsewhere = newDataDir();
    const options = `--base-url ${baseUrl} --app-key ${appKey} --app-secret-file -`;
    const line = `cat | ${COMMAND.join(' ')} submit ${options} examples/mixed-batch.json <<< ${appSecret}`;
    expect((await runJob(['bash', '-c', line], { DATA_DIR: elsewhere })).stdout).toBe(mixed.stdout);
  });

  it.each<[what: string, status: number, run: () => Promise<Ended>, message: RegExp]>([
    [
      'a batch of the wrong shape',
      2,
      () => submit(changedBatch((batch) => delete batch.orderList[2].customerId)),
      /13004.*field_missing.*orderList\[2\]\.customerId/,
    ],
    [
      'different content under a used channelOrderId',
      2,
      () => submit(changedBatch((batch) => batch.orderList.pop())),
      /13004.*channel_order_id_conflict.*DEMO-2026-0002/,
    ],
    [
      'a sync batch with an order that names an unknown product',
      2,
      () => submit('examples/wrong-revocation.json'),
      /product_not_found/,
    ],
    ['an empty standard input', 64, () => submit('-'), /Standard input/],
    [
      'one standard input for the secret and the batch',
      64,
      () => shell(`echo a | ${COMMAND.join(' ')} submit --base-url http://a --app-key a --app-secret-file - -`),
      /Standard input.*batch/,
    ],
  ])('refuses %s with status %i and says why', async (_, expected, run, message) => {
    const { status, stdout, stderr } = await run();
    expect({ status, stdout }).toEqual({ status: expected, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});

describe('lockstep submit that is stopped while its batch is pending', async () => {
  const { stack: waiting, api } = await testStack({ worker: false });
  const { appKey, appSecret } = api.credentials;
  const directory = mkdtempSync(join(inject('directory'), 'submit-'));
  const [secretFile, batchFile] = [join(directory, 'secret'), join(directory, 'batch.json')];
  writeFileSync(secretFile, appSecret);
  const customer = await api.newCustomer();
  const batch = batchOf(newBuy(customer, [newAssetNum()]), newBuy(customer, [newAssetNum()]));
  writeFileSync(batchFile, JSON.stringify({ ...batch, channelCode: 'demo', channelOrderId: 'DEMO-2026-0001' }));
  const service = ['--base-url', waiting.baseUrl, '--app-key', appKey, '--app-secret-file', secretFile];
  const command = [...COMMAND, 'submit', ...service, batchFile];
  afterAll(() => endEverything());

  /** The message names the batch and the address of its outcome. */
  const whereabouts = () =>
    new RegExp(
      'lockstep: .*DEMO-2026-0001.*' +
        `${waiting.baseUrl}/order/api/order/v1/licenseOrder/batchOrder\\?channelCode=demo&channelOrderId=DEMO-2026-0001\\n$`,
    );

  it('by SIGTERM says where to find the outcome', async () => {
    const job = startJob(command);
    await job.line(/DEMO-2026-0001/);
    const { status, stderr } = await job.end('SIGTERM');
    expect(status).toBe(143);
    expect(stderr).toMatch(whereabouts());
  });

  it('because the service is gone says so, and where to find the outcome', async () => {
    // Simulates a service that stops during a call: the connection is cut.
    const way = await ForwardedAddress.open(waiting.baseUrl);
    const job = startJob(command.map((word) => (word === waiting.baseUrl ? way.url : word)));
    await job.line(/DEMO-2026-0001/);
    way.close();
    const { status, stderr } = await job.ended;
    expect(status).toBe(69);
    expect(stderr).toMatch(/^lockstep: http:\/\/127.0.0.1:\d+ .*\n.*DEMO-2026-0001.*\n$/);
  });
});
