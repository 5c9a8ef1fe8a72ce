import { lockLanes } from '@lockstep/orders/testing';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { type Api, refusalOf } from '../../harness/api.ts';
import { dropTriggerFunction } from '../../harness/databases/past-triggers.ts';
import { countWaiting, countWaitingForRows } from '../../harness/databases/waiting.ts';
import { ForwardedAddress } from '../../harness/network/forwarded-address.ts';
import { firstLaneOf, newCustomersInLanes } from '../../harness/orders/lanes.ts';
import { batchOf, newAssetNum, newBuy, productToBuy } from '../../harness/orders/orders.ts';
import { countRows, expectSumsRight, syncOf } from '../../harness/orders/sync-batches.ts';
import { startAnotherApi } from '../../harness/processes/another-api.ts';
import { testStack } from '../../harness/stack.ts';

/** The service answers a sync call within 15 seconds (rules 6.3). A busy machine may take slightly longer. */
const WITHIN_MS = 17_500;

/** Submits a batch. Returns the cause of the refusal if the answer was in time. */
async function refusedInTime(api: Api, batch: unknown): Promise<string | undefined> {
  const startedMs = performance.now();
  const answer = await api.submit(batch);
  expect(performance.now() - startedMs).toBeLessThan(WITHIN_MS);
  return refusalOf(answer).cause;
}

/** The tests mostly wait, each on a stack of its own, so they wait together. */
describe.concurrent('in time', async () => {
  const [slow, lookup, large, lossy] = await Promise.all([1, 2, 3, 4].map(() => testStack({ worker: false })));

  it('calls behind slow drains are refused, store nothing, and succeed when sent again', async () => {
    const { stack, api } = slow!;
    const customers = await newCustomersInLanes(api, 4);
    for (const customer of customers) await api.accept(batchOf(newBuy(customer, [newAssetNum()])));
    await sql`
      create function be_slow() returns trigger language plpgsql
      as $$ begin perform pg_sleep(25); return null; end $$`.execute(stack.db);
    await sql`
      create trigger be_slow after insert on license_order
      for each statement execute function be_slow()`.execute(stack.db);
    const calls = Array.from({ length: 36 }, (_, index) => syncOf(newBuy(customers[index % 4]!, [newAssetNum()])));
    const causes = await Promise.all(calls.map((call) => refusedInTime(api, call)));
    expect(new Set(causes)).toEqual(new Set(['overloaded']));
    // Otherwise, the trigger can't be dropped before the last of the 25 seconds.
    await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where wait_event = 'PgSleep' and datname = current_database()`.execute(stack.db);
    await dropTriggerFunction(stack.db, 'license_order', 'be_slow');
    expect(await countRows(stack.db, 'batch')).toBe(customers.length);
    await Promise.all(calls.map((call) => api.accept(call)));
    await expectSumsRight(stack.db);
  });

  it('a call with a slow customer lookup is refused, too', async () => {
    const { stack, api } = lookup!;
    const [held] = await newCustomersInLanes(api, 1);
    const call = syncOf(newBuy(held!, [newAssetNum()]));
    await stack.db.transaction().execute(async (drain) => {
      await lockLanes(drain, [firstLaneOf(held!.customerId)]);
      const refused = await stack.db.transaction().execute(async (trx) => {
        await sql`lock table customer in access exclusive mode`.execute(trx);
        const cause = refusedInTime(api, call);
        await expect.poll(() => countWaiting(stack.db, 'relation')).toBe(1);
        // Shorter than the timeout of a query.
        await sql`select pg_sleep(8)`.execute(trx);
        return { cause };
      });
      expect(await refused.cause).toBe('overloaded');
    });
    expect(await countRows(stack.db, 'batch')).toBe(0);
    await api.accept(call);
  });

  it('large calls that wait for each other are refused', async () => {
    const { stack, api } = large!;
    const [held] = await newCustomersInLanes(api, 1);
    const products = Array.from({ length: 70 }, (_, index) => productToBuy({ productUri: `product-${index}` }));
    /** Batches that wait for the turn of large work. */
    const calls = [1, 2].map(() => syncOf(newBuy(held!, Array.from({ length: 300 }, newAssetNum), { products })));
    await stack.db.transaction().execute(async (trx) => {
      await lockLanes(trx, [firstLaneOf(held!.customerId)]);
      const first = refusedInTime(api, calls[0]);
      await expect.poll(() => countWaitingForRows(stack.db)).toBe(1);
      expect(await Promise.all([first, refusedInTime(api, calls[1])])).toEqual(['overloaded', 'overloaded']);
    });
    expect(await countRows(stack.db, 'batch')).toBe(0);
    await Promise.all(calls.map((call) => api.accept(call)));
    await expectSumsRight(stack.db);
  });

  it('a call whose commit is never acknowledged is answered, and a repeat gets the outcome', async ({
    onTestFinished,
  }) => {
    const { stack, api } = lossy!;
    const batch = syncOf(newBuy(await api.newCustomer(), [newAssetNum()]));
    const address = await ForwardedAddress.open(stack.url);
    const other = await startAnotherApi({ ...stack, url: address.url }, api);
    onTestFinished(other.close);
    address.toLose = Number.POSITIVE_INFINITY;
    const startedMs = performance.now();
    const refusal = refusalOf(await other.api.submit(batch));
    expect(performance.now() - startedMs).toBeLessThan(WITHIN_MS);
    expect(refusal).toMatchObject({ code: '500', cause: 'outcome_unknown' });
    address.toLose = 0;
    expect(await other.api.accept(batch)).toEqual(await api.accept(batch));
    expect(await countRows(stack.db, 'license_order')).toBe(1);
    address.close();
  });
});
