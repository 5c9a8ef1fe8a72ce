import { ORDER_ROOT, operations } from '@lockstep/contract';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { countWaiting } from '../harness/databases/waiting.ts';
import { buildCall, send } from '../harness/network/raw-calls.ts';
import { batchOf, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { countRows, syncOf } from '../harness/orders/sync-batches.ts';
import { testStack } from '../harness/stack.ts';

/** O5 calls whose client disconnects during the customer lookup. */
const BATCH_ORDER = operations.createBatchOrder.path.slice(ORDER_ROOT.length);

const { stack, api } = await testStack({ worker: false });

const countLeft = () => stack.logLines.filter((line) => line.includes('"client left"')).length;

it.each([
  ['async', batchOf],
  ['sync', syncOf],
])('%s: the call ends at once and stores nothing', async (_, batchOfMode) => {
  const customer = await api.newCustomer();
  const [left, stored] = [countLeft(), await countRows(stack.db, 'batch')];
  const newBatch = () => batchOfMode(newBuy(customer, [newAssetNum()]));
  await stack.db.transaction().execute(async (trx) => {
    await sql`lock table customer in access exclusive mode`.execute(trx);
    const socket = await send(api.baseUrl, buildCall(api, BATCH_ORDER, JSON.stringify(newBatch())));
    await expect.poll(() => countWaiting(stack.db, 'relation')).toBe(1);
    socket.destroy();
    await expect.poll(countLeft).toBe(left + 1);
    // The lookup itself is still blocked.
    expect(await countWaiting(stack.db, 'relation')).toBe(1);
  });
  // A call whose lookup queues behind the other one is answered.
  await api.accept(newBatch());
  await expect.poll(() => countRows(stack.db, 'batch')).toBe(stored + 1);
});
