import type { Customer } from '@lockstep/contract';
import { FailedByOperator, HoldPage } from '@lockstep/contract/console';
import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Api } from '../harness/api.ts';
import { ConsoleClient } from '../harness/browser/console.ts';
import { failOrders } from '../harness/databases/unchecked.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy, productToBuy } from '../harness/orders/orders.ts';
import { readResult } from '../harness/orders/sync-batches.ts';
import { type Ended, endEverything, newDataDir, runJob } from '../harness/processes/processes.ts';
import { type Stack, testStack } from '../harness/stack.ts';

/** Operators fail pending orders (rules 9). */

const PATIENTLY = { timeout: 60_000 };
const strict = { products: [productToBuy({ crmProductId: 'Strict' })] };

let stack: Stack;
let api: Api;
let customer: Customer;
let other: Customer;

beforeEach(async () => {
  ({ stack, api } = await testStack({ worker: false }));
  customer = await api.newCustomer();
  other = await api.newCustomer();
});
afterAll(endEverything);

function fail(...words: string[]): Promise<Ended> {
  const command = ['npm', 'run', '--silent', 'lockstep', '--', 'order', 'fail', ...words];
  return runJob(command, { DATABASE_URL: stack.url, DATA_DIR: newDataDir() });
}

async function accept(...orders: Parameters<typeof batchOf>) {
  const batch = batchOf(...orders);
  const accepted = await api.accept(batch);
  return { batch, ids: accepted.map(({ licenseOrderId }) => licenseOrderId) };
}

const refuseStrict = () =>
  sql`alter table product_instance add constraint stricter check (crm_product_id <> 'Strict')`.execute(stack.db);
const untilHeld = (batch: ReturnType<typeof batchOf>, held: number) =>
  vi.waitUntil(async () => (await readResult(api, batch)).held === held, PATIENTLY);
const readAuditLog = () =>
  stack.db.selectFrom('operator_audit').select(['action', 'target', 'after']).orderBy('id').execute();

/** A batch with a held order and two behind it, all of the same customer. */
async function acceptHeld() {
  await refuseStrict();
  const assetNum = newAssetNum();
  const sent = await accept(
    newBuy(customer, [assetNum], {}, strict),
    newBuy(customer, [assetNum]),
    deleteAsset(customer, [assetNum]),
    newBuy(other, [newAssetNum()]),
  );
  await stack.startWorker();
  await untilHeld(sent.batch, 3);
  return sent;
}

describe('lockstep order fail', () => {
  it('does nothing and prints the later orders until told to keep or fail them; then they run', async () => {
    const { batch, ids } = await acceptHeld();
    const undecided = await fail(ids[0]!, '--reason', 'ticket 4711');
    expect(undecided).toMatchObject({ status: 2, stdout: `${ids[1]}\n${ids[2]}\n` });
    expect(await readResult(api, batch)).toMatchObject({ failed: 0, held: 3 });
    expect(await readAuditLog()).toEqual([]);

    expect(await fail(ids[0]!, '--reason', 'ticket 4711', '--later', 'keep')).toMatchObject({
      status: 0,
      stdout: '{"failed":1}\n',
      stderr: '',
    });
    const result = await api.completed(batch);
    expect(result).toMatchObject({
      succeeded: 3,
      failed: 1,
      held: 0,
      orders: [{ state: 'failed', code: '500', cause: 'internal_error' }, {}, {}, {}],
    });
    expect(JSON.stringify(result)).not.toContain('ticket');
    expect(await readAuditLog()).toEqual([
      {
        action: 'order.failed',
        target: ids[0],
        after: { state: 'failed', cause: 'internal_error', reason: 'ticket 4711' },
      },
    ]);
    expect(await stack.db.selectFrom('order_hold').selectAll().execute()).toEqual([]);
  });

  it('fails orders that are not held, and later ones with them, all or none', async () => {
    const first = await accept(newBuy(customer, [newAssetNum()]), newBuy(other, [newAssetNum()]));
    const second = await accept(newBuy(customer, [newAssetNum()]), newBuy(other, [newAssetNum()]));
    expect(await fail(first.ids[0]!, '1', '--reason', 'none')).toMatchObject({ status: 4, stdout: '' });
    expect(await readResult(api, first.batch)).toMatchObject({ failed: 0, pending: 2 });
    expect(await fail(first.ids[0]!, '--reason', 'both', '--later', 'fail')).toMatchObject({ status: 0 });
    expect(await readResult(api, first.batch)).toMatchObject({ failed: 1, pending: 1 });
    expect(await readResult(api, second.batch)).toMatchObject({ failed: 1, pending: 1 });
    await stack.startWorker();
    for (const { batch } of [first, second])
      expect(await api.completed(batch)).toMatchObject({ succeeded: 1, failed: 1 });
    // Failing an order twice is an error and changes nothing.
    expect(await fail(first.ids[0]!, '--reason', 'again')).toMatchObject({ status: 2 });
    expect(await readAuditLog()).toHaveLength(2);
  });
});

it('orders that cannot be read can be failed one by one', async () => {
  const { batch, ids } = await accept(newBuy(customer, [newAssetNum()]), newBuy(customer, [newAssetNum()]));
  await sql`update lane_chunk set payload = '{}'`.execute(stack.db);
  const end = (id: string | undefined) => failOrders(stack.db, [id as never]);
  expect(await end(ids[0])).toMatchObject({ outcome: 'failed' });
  expect(await readResult(api, batch)).toMatchObject({ failed: 1, pending: 1, held: 1 });
  expect(await end(ids[1])).toMatchObject({ outcome: 'failed' });
  expect(await readResult(api, batch)).toMatchObject({ state: 'completed', failed: 2 });
});

describe('the console', () => {
  it('lists holds, and lets support fail an order as the command does', async () => {
    const { batch, ids } = await acceptHeld();
    const [viewer, support] = await Promise.all([
      ConsoleClient.logIn(stack, 'viewer'),
      ConsoleClient.logIn(stack, 'support'),
    ]);
    const page = await viewer.call('listHolds', { query: {} });
    HoldPage.strict().parse(page);
    expect(page).toMatchObject({
      holds: [
        {
          customerId: customer.customerId,
          licenseOrderId: ids[0],
          orders: 3,
          lastError: expect.stringContaining('stricter'),
        },
      ],
      nextCursor: null,
    });
    const end = (body: { reason: string; later?: 'keep' | 'fail' }) =>
      support.call('failOrder', { params: { licenseOrderId: ids[0]! }, body });
    const undecided = await end({ reason: 'ticket 4711' });
    FailedByOperator.strict().parse(undecided);
    expect(undecided).toEqual({ outcome: 'later_pending', licenseOrderIds: [ids[1], ids[2]], orders: 2 });
    expect(await end({ reason: 'ticket 4711', later: 'fail' })).toMatchObject({ outcome: 'failed', orders: 3 });
    expect(await api.completed(batch)).toMatchObject({ succeeded: 1, failed: 3 });
    expect(await end({ reason: 'again' })).toMatchObject({ outcome: 'not_pending', orders: 1 });
    const entries = await readAuditLog();
    expect(entries.filter(({ action }) => action === 'order.failed').map(({ target }) => target)).toEqual(
      ids.slice(0, 3),
    );
    expect((await viewer.call('listHolds', { query: {} })).holds).toEqual([]);
  });
});
