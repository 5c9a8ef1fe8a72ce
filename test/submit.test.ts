import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { batchOrderBody } from '@lockstep/contract';
import { DEMO_ENTERPRISES } from '@lockstep/customers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Ended,
  endEverything,
  lockstep,
  newDataDir,
  npmStart,
  REPOSITORY,
  type RunningStack,
  runJob,
} from './harness/processes.ts';
import { freePort } from './harness/redis.ts';

const readExample = (name: string) => JSON.parse(readFileSync(join(REPOSITORY, 'examples', name), 'utf8'));

/** The cells of the table that lockstep submit prints, by its header. */
function tableIn(stdout: string): Record<string, string>[] {
  const rows = stdout
    .split('\n')
    .filter((line) => line.startsWith('│'))
    .map((line) =>
      line
        .split('│')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  const [header = [], ...body] = rows;
  return body.map((cells) => Object.fromEntries(cells.map((cell, index) => [header[index], cell])));
}

const MESSAGES = {
  product_not_found:
    'Asset 8100000001 has no active product gms-survey that matches; the nearest has limitConcurrent 1.',
  asset_not_found: 'Asset 8400000001 is not an active asset of the customer.',
  enterprise_mismatch: 'Customer 2003 does not belong to enterprise 1001.',
};

/** What examples/mixed-batch.json comes to after examples/first-batch.json: sequence, order, assets, products, outcome. */
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

  const submit = (...words: string[]) => lockstep(stack.dataDir, 'submit', ...words);

  /** A file with the mixed batch changed, that lies beside the data directory. */
  function changedBatch(change: (batch: ReturnType<typeof readExample>) => void): string {
    const batch = readExample('mixed-batch.json');
    change(batch);
    const file = join(dirname(stack.dataDir), 'changed.json');
    writeFileSync(file, JSON.stringify(batch));
    return file;
  }

  it('shows what became of every order of the examples', async () => {
    const first = await submit('examples/first-batch.json');
    expect(first.status).toBe(0);
    expect(tableIn(first.stdout).map(({ outcome }) => outcome)).toEqual(['succeeded', 'succeeded']);

    mixed = await submit('examples/mixed-batch.json');
    expect(mixed.status).toBe(0);
    const shown = tableIn(mixed.stdout);
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

  it('shows every order of a batch of several pages, in the order sent', async () => {
    const file = changedBatch((batch) => {
      const [order] = batch.orderList;
      batch.channelOrderId = 'DEMO-PAGES';
      batch.orderList = Array.from({ length: 1_001 }, (_, index) => ({ ...order, sequence: 2_000 - index }));
    });
    const { status, stdout } = await submit(file);
    expect(status).toBe(0);
    const sequences = tableIn(stdout).map(({ sequence }) => Number(sequence));
    expect(sequences).toEqual(Array.from({ length: 1_001 }, (_, index) => 2_000 - index));
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

  it.each<[string, () => Promise<Ended>, RegExp]>([
    [
      'a batch of the wrong shape',
      () => submit(changedBatch((batch) => delete batch.orderList[2].customerId)),
      /13004.*field_missing.*orderList\[2\]\.customerId/,
    ],
    [
      'other content under a channelOrderId that was used',
      () => submit(changedBatch((batch) => batch.orderList.pop())),
      /13004.*channel_order_id_conflict.*DEMO-2026-0002/,
    ],
    ['a file that is not JSON', () => submit('README.md'), /13004.*json_malformed/],
    ['a file that is not there', () => submit('examples/none.json'), /examples\/none\.json/],
    ['a wrong secret', () => submit('--app-secret', 'wrong', 'examples/mixed-batch.json'), /secret is wrong/],
    [
      'a service that does not answer',
      async () => submit('--base-url', `http://127.0.0.1:${await freePort()}`, 'examples/mixed-batch.json'),
      /http:\/\/127\.0\.0\.1:\d+ does not answer/,
    ],
    [
      'nothing to send it to',
      () => lockstep(newDataDir(), 'submit', 'examples/mixed-batch.json'),
      /npm start.*--base-url/,
    ],
  ])('refuses %s with status 1 and says why', async (_, run, message) => {
    const { status, stdout, stderr } = await run();
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});

describe('examples', () => {
  it.each(['first-batch.json', 'mixed-batch.json'])('%s has the shape of O5 and names demo customers', (name) => {
    const { orderList } = batchOrderBody.parse(readExample(name));
    const known = DEMO_ENTERPRISES.flatMap(({ customers }) => customers.map(({ id }): string => id));
    expect(orderList.map(({ customerId }) => customerId).filter((id) => !known.includes(id))).toEqual([]);
  });
});
