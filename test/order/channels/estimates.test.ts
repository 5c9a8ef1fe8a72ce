import { countActivity } from '@lockstep/orders/testing';
import { sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import { countRows, recordQueries } from '../../harness/databases/explain.ts';
import { batchOf, newAssetNum, newBuy } from '../../harness/orders/orders.ts';
import { readResult, syncOf } from '../../harness/orders/sync-batches.ts';
import { testStack } from '../../harness/stack.ts';

/** The estimated completion time of a batch (rules 6.4) depends on its channel's backlog and throughput. */

const MINUTE_MS = 60_000;

const { stack, api } = await testStack({ worker: false });
const customer = await api.newCustomer();
const batch = batchOf(newBuy(customer, [newAssetNum()]));
await api.accept(batch);

/** Writes notes of other work in the batch's channel, as workers do. */
async function note({ pending, queued = 0, succeeded = 0 }: { pending: number; queued?: number; succeeded?: number }) {
  await sql`
    insert into uncounted_activity (noted_time, application_id, channel_id, pending, accepted, succeeded, failed, causes)
    select now() + ${queued === 0 ? '0 s' : '4 s'}::interval, application_id, lane / 4, ${pending}, ${queued}, ${succeeded}, 0, '{}'
    from lane_chunk join batch on id = batch_id`.execute(stack.db);
}

/**
 * Returns the estimated time to completion in milliseconds; null if there is no estimate. Calls share a reading for a
 * second.
 */
async function msLeft(): Promise<number | null> {
  const { estimatedCompletionTime } = await readResult(api, batch);
  return estimatedCompletionTime === null ? null : estimatedCompletionTime - Date.now();
}

it('is unknown while nothing moves in its channel', async () => {
  expect(await msLeft()).toBeNull();
});

it('depends on the orders accepted before the batch, not on those after it', async () => {
  await countActivity(stack.db);
  await note({ pending: 1_000_000, queued: 1_000_000, succeeded: 100 });
  await countActivity(stack.db);
  await expect.poll(msLeft).toBeLessThan(MINUTE_MS);
  await note({ pending: 1_000_000 });
  await expect.poll(msLeft).toBeGreaterThan(10 * MINUTE_MS);
});

it('costs the same however many orders were accepted behind it', async () => {
  const queries = recordQueries();
  await readResult(api, batch);
  const reading = queries.find(({ name }) => name === 'read_result_pages')!;
  vi.restoreAllMocks();
  const rows = await countRows(stack.db, reading);
  await sql`
    insert into channel_activity
    select channel_id, period_start + n * interval '2 s', queued_before, 0, 0, 0
    from channel_activity cross join generate_series(1, 3600) as n on conflict do nothing`.execute(stack.db);
  await sql`analyze channel_activity`.execute(stack.db);
  expect(await countRows(stack.db, reading)).toBe(rows);
});

it('is unknown while an order of the batch is held', async () => {
  await sql`
    with hold as (
      insert into order_hold (customer_id, lane, license_order_id, next_try, last_error)
      select ${customer.customerId}, lane, batch_id * 8192, now(), 'test' from lane_chunk
    )
    insert into held_order (license_order_id, customer_id, batch_id, lane, sequence, payload_version, content)
    select batch_id * 8192, ${customer.customerId}, batch_id, lane, 1, 1, '[]' from lane_chunk`.execute(stack.db);
  expect(await msLeft()).toBeNull();
  await sql`delete from held_order`.execute(stack.db);
  await sql`delete from order_hold`.execute(stack.db);
  expect(await msLeft()).not.toBeNull();
});

it('is unknown while its channel is paused', async () => {
  await sql`update channel set paused_time = now()`.execute(stack.db);
  await expect.poll(msLeft).toBeNull();
  await sql`update channel set paused_time = null`.execute(stack.db);
  await expect.poll(msLeft).not.toBeNull();
});

it('is null for a completed batch', async () => {
  const sync = syncOf(newBuy(await api.newCustomer(), [newAssetNum()]));
  await api.accept(sync);
  expect(await readResult(api, sync)).toMatchObject({ state: 'completed', estimatedCompletionTime: null });
});
