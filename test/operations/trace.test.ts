import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AcceptedOrder } from '@lockstep/contract';
import { describe, expect, inject, it, vi } from 'vitest';
import { type Answer, dataOf, refusalOf } from '../harness/api.ts';
import { blocksOf } from '../harness/browser/pages.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy, productToBuy } from '../harness/orders/orders.ts';
import { testStack } from '../harness/stack.ts';

/** With the commands of docs/runbooks/calls.md, a call can be traced from HTTP to the ledger in the log. */

const { stack, api } = await testStack();
const customers = [await api.newCustomer(), await api.newCustomer()];

/** A line is written after its call has ended, and the machine may be busy. */
const PATIENTLY = { timeout: 30_000 };

type Line = Record<string, unknown> & { msg: string; batches?: Record<string, unknown>[] };
const linesOf = (text: string): Line[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

/** The two commands of the runbook: by a request id or a channelOrderId, and by a licenseOrderId. */
const [byName, byOrder] = blocksOf('docs/runbooks/calls.md', 'sh');

/**
 * Runs a command on the log of the service. Returns the lines that it finds, without those of GET. Lines of calls come
 * first: a drain may write its line before the call has ended.
 */
function find(command: string | undefined, id: string, { logLines } = stack): Line[] {
  const directory = mkdtempSync(join(inject('directory'), 'log-'));
  writeFileSync(join(directory, 'lockstep.log'), logLines.join(''));
  const script = `ID='${id}'\n${command}`;
  const found = execFileSync('bash', ['-c', script], { cwd: directory, encoding: 'utf8', maxBuffer: 2 ** 26 });
  const isWork = ({ msg }: Line) => Number(msg !== 'call');
  return linesOf(found)
    .filter(({ method }) => method !== 'GET')
    .toSorted((a, b) => isWork(a) - isWork(b));
}

/** Submits a batch with a new request id. */
async function submit(batch: object): Promise<{ answer: Answer; requestId: string }> {
  const requestId = randomUUID();
  return { answer: await api.submit(batch, { headers: { 'x-request-id': requestId } }), requestId };
}

/** Expects all three ids to lead to the line of the call and to the line of the work. */
async function expectFound(
  { batch, requestId, accepted }: { batch: { channelOrderId: string }; requestId: string; accepted: AcceptedOrder[] },
  call: object,
  work: object,
): Promise<void> {
  const batchId = String(BigInt(accepted[0]!.licenseOrderId) / 8192n);
  const { channelOrderId } = batch;
  const lines = [
    {
      msg: 'call',
      requestId,
      appKey: api.credentials.appKey,
      batchId,
      channelOrderId,
      orders: accepted.length,
      ...call,
    },
    { batches: expect.arrayContaining([{ batchId, channelOrderId, requestId, orders: accepted.length }]), ...work },
  ];
  const middle = accepted[Math.floor(accepted.length / 2)]!.licenseOrderId;
  await vi.waitFor(() => {
    for (const id of [requestId, channelOrderId]) expect(find(byName, id)).toMatchObject(lines);
    for (const id of [accepted[0]!.licenseOrderId, middle, accepted.at(-1)!.licenseOrderId]) {
      expect(find(byOrder, id)).toMatchObject(lines);
    }
  }, PATIENTLY);
}

const purchases = (count: number) => Array.from({ length: count }, () => newBuy(customers[0]!, [newAssetNum()]));

describe('a request id, a channelOrderId and a licenseOrderId lead from the call to the ledger', () => {
  it('of an async batch, by the line of the drain', async () => {
    const batch = batchOf(...purchases(2), deleteAsset(customers[0]!, ['8-nowhere']));
    const { answer, requestId } = await submit(batch);
    const accepted: AcceptedOrder[] = dataOf(answer);
    await api.completed(batch);
    const licenseOrderIds = accepted.map((order) => order.licenseOrderId);
    await expectFound(
      { batch, requestId, accepted },
      { status: 200, code: '0', channelCode: 'test', licenseOrderIds },
      {
        msg: 'drained',
        orders: 3,
        failed: 1,
        ms: expect.any(Number),
        causes: { asset_not_found: 1 },
        failures: [{ licenseOrderId: licenseOrderIds[2], cause: 'asset_not_found' }],
      },
    );
  });

  it('of a batch with more orders and failures than a line lists', async () => {
    const orders = Array.from({ length: 350 }, () => deleteAsset(customers[0]!, ['8-nowhere']));
    const batch = batchOf(...orders, ...purchases(50));
    const { answer, requestId } = await submit(batch);
    const accepted: AcceptedOrder[] = dataOf(answer);
    await api.completed(batch);
    const failures = accepted.slice(0, 20).map(({ licenseOrderId }) => ({ licenseOrderId, cause: 'asset_not_found' }));
    const drained = { msg: 'drained', orders: 400, failed: 350, causes: { asset_not_found: 350 }, failures };
    await expectFound({ batch, requestId, accepted }, { code: '0' }, drained);
  });

  it('of a sync batch, by the line of the transaction that it shares', async () => {
    const batch = { ...batchOf(...purchases(2)), syncMode: 'sync' };
    const { answer, requestId } = await submit(batch);
    const accepted: AcceptedOrder[] = dataOf(answer);
    await expectFound({ batch, requestId, accepted }, { code: '0' }, { msg: 'applied', failed: 0 });
  });

  it('of a resubmitted batch, by the call that accepted it', async () => {
    const batch = batchOf(...purchases(1));
    const first = await submit(batch);
    await api.completed(batch);
    const again = await submit(batch);
    expect(again.answer.body).toEqual(first.answer.body);
    const [{ licenseOrderId }] = dataOf(first.answer);
    await vi.waitFor(
      () =>
        expect(find(byOrder, licenseOrderId).map(({ msg, requestId }) => [msg, requestId])).toEqual([
          ['call', first.requestId],
          ['call', again.requestId],
          ['drained', undefined],
        ]),
      PATIENTLY,
    );
    const stored = stack.db.selectFrom('batch').select('request_id');
    expect(await stored.where('channel_order_id', '=', batch.channelOrderId).execute()).toEqual([
      { request_id: first.requestId },
    ]);
  });
});

describe('pending orders', async () => {
  const { stack: idle, api: caller } = await testStack({ worker: false });

  it('lead to the call that cancelled them', async () => {
    const customer = await caller.newCustomer();
    const batch = batchOf(...Array.from({ length: 30 }, () => newBuy(customer, [newAssetNum()])));
    const accepted = await caller.accept(batch);
    await caller.cancel(batch);
    const { channelOrderId } = batch;
    await vi.waitFor(() => {
      expect(find(byName, channelOrderId, idle).filter(({ msg }) => msg === 'call')).toMatchObject([
        { channelOrderId, orders: 30 },
        { channelOrderId, route: '/order/api/order/v1/licenseOrder/batchOrder/cancel' },
      ]);
      expect(find(byOrder, accepted[25]!.licenseOrderId, idle)).toMatchObject([
        { msg: 'call', channelOrderId },
        { msg: 'cancelled', orders: 30, failed: 30, causes: { cancelled: 30 }, batches: [{ channelOrderId }] },
      ]);
    }, PATIENTLY);
  });

  it('are named in lines that are never cut, even if a drain has many batches', async () => {
    const customer = await caller.newCustomer();
    const batches = Array.from({ length: 100 }, (_, index) => ({
      ...batchOf(newBuy(customer, [newAssetNum()])),
      channelOrderId: `${index}-`.padEnd(255, '店'),
    }));
    await Promise.all(batches.map((batch) => caller.accept(batch)));
    await idle.startWorker();
    await Promise.all(batches.map((batch) => caller.completed(batch)));
    const work = () => linesOf(idle.logLines.join('')).filter(({ msg }) => msg.startsWith('drained'));
    const named = () => work().flatMap((line) => line.batches!.map(({ channelOrderId }) => channelOrderId as string));
    await vi.waitFor(() => expect(named().length).toBe(100), PATIENTLY);
    expect(named().toSorted()).toEqual(batches.map(({ channelOrderId }) => channelOrderId).toSorted());
    expect(Math.max(...idle.logLines.map((line) => Buffer.byteLength(line)))).toBeLessThan(16 * 1024);
    const totals = work().filter(({ msg }) => msg === 'drained');
    expect(totals.reduce((sum, { orders }) => sum + (orders as number), 0)).toBe(100);
  });
});

describe('the line of a call', () => {
  it.each([
    ['its shape', 1],
    ['its shape, which a thread validates,', 400],
  ])('names a batch that is refused for %s, and its cause', async (_, count) => {
    const batch = { ...batchOf(...purchases(count), { orderType: 'nothing' }) };
    const { answer, requestId } = await submit(batch);
    const { code, cause } = refusalOf(answer);
    const { channelCode, channelOrderId } = batch;
    await vi.waitFor(() => {
      const line = { msg: 'call', requestId, status: 299, code, cause, channelCode, channelOrderId };
      expect(find(byName, channelOrderId)).toMatchObject([line]);
    }, PATIENTLY);
  });

  it('has the cause of a failed sync batch, and names the batch of a cancel and of a result call', async () => {
    const batch = { ...batchOf(deleteAsset(customers[0]!, ['8-nowhere'])), syncMode: 'sync' };
    const { requestId } = await submit(batch);
    await api.submitCancel(batch);
    const { channelCode, channelOrderId } = batch;
    await api.call('GET', '/licenseOrder/batchOrder', { query: { channelCode, channelOrderId } });
    await api.call('GET', '/licenseOrder/8191');
    const callLines = () => linesOf(stack.logLines.join('')).filter(({ msg }) => msg === 'call');
    await vi.waitFor(() => {
      expect(callLines().filter((line) => line.channelOrderId === channelOrderId)).toMatchObject([
        { requestId, orders: 1, cause: 'asset_not_found' },
        { cause: 'batch_not_found' },
        { cause: 'batch_not_found', method: 'GET' },
      ]);
      expect(callLines()).toContainEqual(
        expect.objectContaining({ licenseOrderIds: ['8191'], cause: 'order_not_found' }),
      );
    }, PATIENTLY);
  });

  it('names the application that got a token, has the cause if one got none, and repeats no unknown appKey', async () => {
    const { appKey: client_id, appSecret: client_secret } = api.credentials;
    const ask = async (form: Record<string, string>) => {
      const headers = { 'x-request-id': randomUUID() };
      const body = new URLSearchParams({ grant_type: 'client_credentials', ...form });
      await (await fetch(`${stack.baseUrl}/oauth2/token`, { method: 'POST', body, headers })).text();
      return await vi.waitFor(() => find(byName, headers['x-request-id']), PATIENTLY);
    };
    expect(await ask({ client_id, client_secret })).toMatchObject([{ code: '0', appKey: client_id }]);
    const refused = await ask({ client_id: client_secret, client_secret });
    expect(refused).toMatchObject([{ code: '401', cause: 'invalid_client' }]);
    expect(refused[0]).not.toHaveProperty('appKey');
  });

  it('has level debug for health checks and metrics', async () => {
    for (const path of ['/health/live', '/health/ready', '/metrics']) {
      await (await fetch(stack.baseUrl + path)).text();
      const lines = () => linesOf(stack.logLines.join('')).filter(({ route }) => route === path);
      await vi.waitFor(() => expect(lines().length).toBeGreaterThan(0), PATIENTLY);
      expect(lines().map(({ level }) => level)).toEqual(lines().map(() => 20));
    }
  });
});

describe('the log', () => {
  it('contains nothing personal or secret', async () => {
    const personal = {
      customerName: 'mark-name',
      adminName: 'mark-admin',
      adminAccount: 'mark-account',
      address: 'mark-address',
      adminEmail: 'mark@example.com',
      adminCellNumber: '13811112222',
      passwordMobile: '13833334444',
    };
    const products = [productToBuy({ passwords: ['mark-password'] })];
    const buy = newBuy(customers[1]!, [newAssetNum()], personal, { products });
    for (const syncMode of ['async', 'sync']) await api.accept({ ...batchOf(buy), syncMode });
    await submit(batchOf({ ...buy, orderType: 'nothing' }));
    await submit(batchOf({ ...buy, customerId: '1' }));
    const batch = batchOf(buy);
    await api.process(batch);
    const text = stack.logLines.join('');
    await vi.waitFor(() => expect(find(byName, batch.channelOrderId).length).toBe(2), PATIENTLY);
    for (const secret of [api.token, api.credentials.appSecret, 'mark', '13811112222', '13833334444']) {
      expect(text).not.toContain(secret);
    }
  });
});
