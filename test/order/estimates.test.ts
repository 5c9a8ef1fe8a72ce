import type { Customer } from '@lockstep/contract';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Api } from '../harness/api.ts';
import { batchOf, newAssetNum, newBuy } from '../harness/orders.ts';
import { type Stack, startStack } from '../harness/stack.ts';
import { readResult, syncOf } from '../harness/sync-batches.ts';

/** When an open batch should be completed (rules 6.4), by what its channel has to do and has done. */

const MINUTE_MS = 60_000;

let stack: Stack;
let api: Api;
let customer: Customer;
let batch: ReturnType<typeof batchOf>;

beforeAll(async () => {
  stack = await startStack({ worker: false });
  api = await stack.newApi();
  customer = await api.newCustomer();
  batch = batchOf(newBuy(customer, [newAssetNum()]));
  await api.accept(batch);
});
afterAll(() => stack.close());

/** Notes what others had done in the channel of the batch, as if workers had done it. */
async function note({ pending, succeeded }: { pending: number; succeeded: number }): Promise<void> {
  await sql`
    insert into uncounted_activity (application_id, channel_id, pending, accepted, succeeded, failed, causes)
    select application_id, lane >> 4, ${pending}, 0, ${succeeded}, 0, '{}'
    from lane_chunk join batch on id = batch_id`.execute(stack.db);
}

/** Notes that orders were accepted behind the batch, and that somebody added this up. */
async function noteBehind(queued: number): Promise<void> {
  await sql`
    insert into channel_activity (channel_id, period_start, queued, accepted, succeeded, failed)
    select lane >> 4, now() + interval '1 s', ${queued}, ${queued}, 0, 0 from lane_chunk`.execute(stack.db);
}

/** How long the batch still takes by the estimate, in milliseconds; null if it has none. Calls share a reading for a second. */
async function msLeft(): Promise<number | null> {
  const { estimatedCompletionTime } = await readResult(api, batch);
  return estimatedCompletionTime === null ? null : estimatedCompletionTime - Date.now();
}

it('is not known while nothing moves in its channel', async () => {
  expect(await msLeft()).toBeNull();
});

it('is late when much was accepted before it, and soon when that came behind it', async () => {
  await note({ pending: 1_000_000, succeeded: 100 });
  await expect.poll(msLeft).toBeGreaterThan(10 * MINUTE_MS);
  await noteBehind(1_000_000);
  await expect.poll(msLeft).toBeLessThan(MINUTE_MS);
});

it('is not known while an order of it is held', async () => {
  await sql`
    with hold as (
      insert into order_hold (customer_id, lane, license_order_id, next_try, last_error)
      select ${customer.customerId}, lane, batch_id * 8192, now(), 'test' from lane_chunk
    )
    insert into held_order (license_order_id, customer_id, batch_id, lane, sequence)
    select batch_id * 8192, ${customer.customerId}, batch_id, lane, 1 from lane_chunk`.execute(stack.db);
  expect(await msLeft()).toBeNull();
  await sql`delete from held_order`.execute(stack.db);
  await sql`delete from order_hold`.execute(stack.db);
  expect(await msLeft()).not.toBeNull();
});

it('is not known while its channel is paused', async () => {
  await sql`update channel set paused_time = now()`.execute(stack.db);
  await expect.poll(msLeft).toBeNull();
  await sql`update channel set paused_time = null`.execute(stack.db);
  await expect.poll(msLeft).not.toBeNull();
});

it('is null of a batch that is completed', async () => {
  const sync = syncOf(newBuy(await api.newCustomer(), [newAssetNum()]));
  await api.accept(sync);
  expect(await readResult(api, sync)).toMatchObject({ state: 'completed', estimatedCompletionTime: null });
});
