import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BatchOrder, BatchSummary, ListedOrder, OrderPreview } from '@lockstep/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { batchOf, deleteAsset, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import {
  COMMAND,
  environmentOf,
  objectsIn,
  resultOf,
  runLine,
  TIME,
  tableIn,
} from '../harness/processes/command-line.ts';
import { endEverything, newDataDir, startJob } from '../harness/processes/processes.ts';
import { testStack } from '../harness/stack.ts';

/** The commands for batches and orders, as processes, on a service whose worker starts late. */
/** Three orders: the second fails because of its enterprise, the third because of its asset. */
let mixed: ReturnType<typeof batchOf>;
let [bought, unknown] = ['', ''];

const { stack, api } = await testStack({ worker: false });
const customer = await api.newCustomer();
const env = environmentOf(api);
beforeAll(async () => {
  [bought, unknown] = [newAssetNum(), newAssetNum()];
  const elsewhere = { ...customer, enterpriseGlobalId: '1' };
  const orders = [newBuy(customer, [bought]), newBuy(elsewhere, [newAssetNum()]), deleteAsset(customer, [unknown])];
  mixed = {
    ...batchOf(...orders.map((order, index) => ({ ...order, sequence: index + 1 }))),
    channelOrderId: 'SEEN-1',
  };
  await api.accept(mixed);
});
afterAll(() => endEverything());

const run = (line: string) => runLine(line, env);
const show = (line: string) => resultOf(run(line));
const CAUSES = ['succeeded', 'enterprise_mismatch', 'asset_not_found'];

describe('while the orders are pending', () => {
  it('batch show shows that', async () => {
    const [people, json] = await Promise.all([
      show('lockstep batch show test SEEN-1'),
      show('lockstep batch show test SEEN-1 --json'),
    ]);
    expect(people).toMatch(new RegExp(`^.*SEEN-1.*accepted.*async.*3.* ${TIME}\n`));
    expect(tableIn(people, 'sequence').map(({ outcome }) => outcome)).toEqual(['pending', 'pending', 'pending']);
    expect(people).toMatch(/^0 .*, 0 .*, 3 .*\n$/m);
    expect(objectsIn(json)).toMatchObject([{ channelOrderId: 'SEEN-1', pending: 3, orders: [{}, {}, {}] }]);
  });

  // On other systems the command `script` has other options.
  it.runIf(process.platform === 'linux')(
    'batch show --wait waits, and names the batch when it is stopped',
    async () => {
      const command = [...COMMAND, 'batch', 'show', 'test', 'SEEN-1', '--wait'].join(' ');
      const inTerminal = ['script', '--quiet', '--return', '--command', command, '/dev/null'];
      const job = startJob(inTerminal, { ...env, TERM: 'xterm' }, 'pipe');
      await job.shown(/ 0\/3 orders/);
      job.type('\x03');
      const { status, stdout } = await job.ended;
      expect(status).toBe(130);
      expect(stdout).toMatch(/lockstep: .*SEEN-1.*\r?\n$/);
    },
  );

  it('batch retry refuses, because more orders may fail, and batch failed prints nothing', async () => {
    const [retry, failed] = await Promise.all([
      run('lockstep batch retry test SEEN-1'),
      run('lockstep batch failed test SEEN-1'),
    ]);
    expect(retry).toMatchObject({ status: 2, stdout: '' });
    expect(retry.stderr).toMatch(/^lockstep: .*SEEN-1.*3 .*\n$/);
    expect(failed).toMatchObject({ status: 0, stdout: '', stderr: expect.stringContaining('SEEN-1') });
  });

  it('batch cancel cancels them once', async () => {
    const batch = {
      ...batchOf(newBuy(customer, [newAssetNum()]), newBuy(customer, [newAssetNum()])),
      channelOrderId: 'GONE',
    };
    await api.accept(batch);
    expect(await show('lockstep batch cancel test GONE')).toMatch(/^2 .*, 0 .*\n$/);
    expect(objectsIn(await show('lockstep batch cancel test GONE --json'))).toEqual([{ cancelled: 0, finished: 2 }]);
  });
});

describe('when the batch is completed', () => {
  beforeAll(async () => {
    await stack.startWorker();
    await api.completed(mixed);
  });

  it('batch show shows the outcome of each order, and exits with status 2 if requested', async () => {
    const [people, json, waited, status2, failedOnly] = await Promise.all([
      show('lockstep batch show test SEEN-1'),
      show('lockstep batch show test SEEN-1 --json'),
      show('lockstep batch show test SEEN-1 --wait'),
      run('lockstep batch show test SEEN-1 --fail-on-failed'),
      show('lockstep batch show test SEEN-1 --state failed'),
    ]);
    expect(people).toMatch(new RegExp(`^.*SEEN-1.*completed.*async.* ${TIME}, .* ${TIME}\n`));
    expect(tableIn(people, 'sequence').map(({ outcome }) => outcome)).toEqual(CAUSES);
    const { orders } = objectsIn(json)[0];
    expect(people).toMatch(new RegExp(`\n3: .*${unknown}.*\n1 .*, 2 .*\n$`));
    expect(people).toContain(orders[2].message);
    expect(orders.map(({ cause }: { cause: string }) => cause)).toEqual([null, ...CAUSES.slice(1)]);
    expect(waited).toBe(people);
    expect(status2).toMatchObject({ status: 2, stdout: people, stderr: '' });
    expect(tableIn(failedOnly, 'sequence').map(({ sequence }) => sequence)).toEqual(['2', '3']);
  });

  it('batch list shows the batches, newest first, with each filter', async () => {
    const line = async (filters: string) =>
      objectsIn(await show(`lockstep batch list --json ${filters}`)).map(({ channelOrderId }) => channelOrderId);
    const [people, all, failed, other, open, later, sooner, one] = await Promise.all([
      show('lockstep batch list'),
      show('lockstep batch list --json --all'),
      line('--has-failed --channel test --state completed'),
      line('--channel other'),
      line('--state processing'),
      line('--accepted-from 2126-11-22'),
      line(`--accepted-to ${Date.now()} --accepted-from 2026-01-01T00:00Z`),
      run('lockstep batch list --limit 1'),
    ]);
    expect(tableIn(people, 'accepted').map(({ batch, orders, failed }) => [batch, orders, failed])).toEqual([
      ['GONE', '2', '2'],
      ['SEEN-1', '3', '2'],
    ]);
    expect(z.array(z.strictObject(BatchSummary.shape)).parse(objectsIn(all))).toHaveLength(2);
    expect([failed, other, open, later, sooner]).toEqual([['GONE', 'SEEN-1'], [], [], [], ['GONE', 'SEEN-1']]);
    expect(tableIn(one.stdout, 'accepted').map(({ batch }) => batch)).toEqual(['GONE']);
    expect(one).toMatchObject({ status: 0, stderr: expect.stringContaining('--limit 2') });
  });

  it('order list shows the orders, newest first, with each filter', async () => {
    const count = async (filters: string) => objectsIn(await show(`lockstep order list --json ${filters}`)).length;
    const [people, all, ...counts] = await Promise.all([
      show('lockstep order list --channel test'),
      show('lockstep order list --json --all'),
      count(`--asset ${unknown}`),
      count(`--asset ${bought} --type new_buy`),
      count(`--customer ${customer.customerId} --state failed`),
      count('--cause asset_not_found'),
      count('--accepted-to 2025-11-22'),
    ]);
    const shown = tableIn(people, 'accepted');
    expect(shown.map(({ outcome }) => outcome).toSorted()).toEqual(['cancelled', 'cancelled', ...CAUSES].toSorted());
    expect(shown.map(({ batch }) => batch)).toEqual(['test GONE', 'test GONE', ...Array(3).fill('test SEEN-1')]);
    expect(z.array(z.strictObject(ListedOrder.shape)).parse(objectsIn(all))).toHaveLength(5);
    expect(counts).toEqual([1, 1, 4, 1, 0]);
  });

  it('order show shows the outcome of an order', async () => {
    const { orders } = await api.completed(mixed);
    const { licenseOrderId } = orders[2]!;
    const [people, json] = await Promise.all([
      show(`lockstep order show ${licenseOrderId}`),
      show(`lockstep order show ${licenseOrderId} --json`),
    ]);
    expect(people).toMatch(/^cause +asset_not_found$/m);
    expect(people).toMatch(/^channelOrderId +SEEN-1$/m);
    expect(people).toMatch(new RegExp(`^finished +${TIME}$`, 'm'));
    expect(objectsIn(json)).toEqual([{ ...orders[2], channelCode: 'test', channelOrderId: 'SEEN-1' }]);
  });

  it('batch preview shows what a file would do, also from standard input', async () => {
    const file = join(newDataDir(), '..', 'preview.json');
    writeFileSync(file, JSON.stringify({ ...mixed, channelOrderId: 'SEEN-2' }));
    const [people, json] = await Promise.all([
      run(`lockstep batch preview --fail-on-failed ${file}`),
      show(`lockstep batch preview --json - < ${file}`),
    ]);
    expect(people).toMatchObject({ status: 2, stderr: '' });
    expect(tableIn(people.stdout, 'sequence').map(({ outcome }) => outcome)).toEqual(CAUSES);
    expect(people.stdout).toMatch(/\n1 .*, 2 .*\n$/);
    const orders = z.array(z.strictObject(OrderPreview.shape)).parse(objectsIn(json));
    expect(orders.map(({ cause }) => cause)).toEqual([null, ...CAUSES.slice(1)]);
  });

  it('batch failed prints the failed orders as a batch, and replaces no file', async () => {
    const file = join(newDataDir(), '..', 'failed.json');
    const [printed, oneLine] = await Promise.all([
      show('lockstep batch failed test SEEN-1'),
      show('lockstep batch failed test SEEN-1 --json'),
    ]);
    const batch = JSON.parse(printed);
    expect(objectsIn(oneLine)).toEqual([batch]);
    expect(batch).toMatchObject({ channelCode: 'test', channelOrderId: 'SEEN-1-retry', syncMode: 'async' });
    expect(BatchOrder.parse(batch).orderList).toEqual(BatchOrder.parse(mixed).orderList.slice(1));
    expect(await show(`lockstep batch failed test SEEN-1 --out ${file}`)).toContain(file);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(batch);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    writeFileSync(file, 'corrected');
    expect(await run(`lockstep batch failed test SEEN-1 --out ${file}`)).toMatchObject({
      status: 64,
      stdout: '',
      stderr: expect.stringContaining(file),
    });
    expect(readFileSync(file, 'utf8')).toBe('corrected');
  });

  it('batch retry resends them once, with another channelOrderId', async () => {
    const first = await show('lockstep batch retry test SEEN-1');
    expect(first).toMatch(/^.*SEEN-1-retry.*2.*\n/);
    expect(tableIn(first, 'sequence').map(({ outcome }) => outcome)).toEqual(CAUSES.slice(1));
    expect(await run('lockstep batch retry test SEEN-1 --fail-on-failed')).toMatchObject({ status: 2, stdout: first });
    const { stdout } = await run('lockstep batch retry test SEEN-1 --as SEEN-1-again --json');
    expect(objectsIn(stdout)).toMatchObject([{ channelOrderId: 'SEEN-1-again', total: 2, failed: 2 }]);
  });

  it('batch retry sends a fixed batch, and then has nothing to send', async () => {
    const correct = `sed 's/"enterpriseGlobalId":"1"/"enterpriseGlobalId":"${customer.enterpriseGlobalId}"/; s/${unknown}/${bought}/'`;
    const line = `lockstep batch failed --json test SEEN-1 | ${correct} | lockstep batch retry test SEEN-1 --file - --as RIGHT`;
    expect(await show(line)).toMatch(/\n2 .*, 0 .*\n$/);
    expect(await run('lockstep batch retry test RIGHT')).toMatchObject({
      status: 0,
      stdout: '',
      stderr: expect.stringContaining('RIGHT'),
    });
  });
});

it('a closed pipe is no error', async () => {
  expect(await run('lockstep batch list --json | head -1')).toMatchObject({ status: 0, stderr: '' });
});
