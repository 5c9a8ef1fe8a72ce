import type { Customer } from '@lockstep/contract';
import { lockLanes } from '@lockstep/orders/testing';
import { sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import { type Api, refusalOf } from '../../harness/api.ts';
import { dropTriggerFunction } from '../../harness/databases/past-triggers.ts';
import { countWaiting, countWaitingForRows } from '../../harness/databases/waiting.ts';
import { ForwardedAddress } from '../../harness/network/forwarded-address.ts';
import { firstLaneOf, newCustomersInLanes } from '../../harness/orders/lanes.ts';
import { batchOf, newAssetNum, newBuy, productToBuy } from '../../harness/orders/orders.ts';
import { countRows, expectSumsRight, syncOf } from '../../harness/orders/sync-batches.ts';
import { startAnotherApi } from '../../harness/processes/another-api.ts';
import { type Stack, testStack, untilTestsEnd } from '../../harness/stack.ts';

/** The service answers a sync call within 15 seconds (rules 6.3). A busy machine may take slightly longer. */
const WITHIN_MS = 17_500;

let stack: Stack;
let api: Api;

beforeEach(async () => {
  ({ stack, api } = await testStack({ worker: false }));
});

/** Submits a batch. Returns the cause of the refusal if the answer was in time. */
async function refusedInTime(batch: unknown): Promise<string | undefined> {
  const startedMs = performance.now();
  const answer = await api.submit(batch);
  expect(performance.now() - startedMs).toBeLessThan(WITHIN_MS);
  return refusalOf(answer).cause;
}

it('calls behind slow drains are refused in time, store nothing, and succeed when sent again', async () => {
  const customers = await newCustomersInLanes(api, 4);
  for (const customer of customers) await api.accept(batchOf(newBuy(customer, [newAssetNum()])));
  await sql`
    create function be_slow() returns trigger language plpgsql as $$ begin perform pg_sleep(25); return null; end $$`.execute(
    stack.db,
  );
  await sql`
    create trigger be_slow after insert on license_order for each statement execute function be_slow()`.execute(
    stack.db,
  );
  const calls = Array.from({ length: 36 }, (_, index) => syncOf(newBuy(customers[index % 4]!, [newAssetNum()])));
  const causes = await Promise.all(calls.map(refusedInTime));
  expect(new Set(causes)).toEqual(new Set(['overloaded']));
  await dropTriggerFunction(stack.db, 'license_order', 'be_slow');
  expect(await countRows(stack.db, 'batch')).toBe(customers.length);
  await Promise.all(calls.map((call) => api.accept(call)));
  await expectSumsRight(stack.db);
});

it('a call with a slow customer lookup is refused in time, too', async () => {
  const [held] = await newCustomersInLanes(api, 1);
  const call = syncOf(newBuy(held!, [newAssetNum()]));
  await stack.db.transaction().execute(async (drain) => {
    await lockLanes(drain, [firstLaneOf(held!.customerId)]);
    const refused = await stack.db.transaction().execute(async (trx) => {
      await sql`lock table customer in access exclusive mode`.execute(trx);
      const cause = refusedInTime(call);
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

/** A batch that waits for the turn of large work. */
const largeOf = (customer: Customer) =>
  syncOf(
    newBuy(
      customer,
      Array.from({ length: 300 }, () => newAssetNum()),
      { products: Array.from({ length: 70 }, (_, index) => productToBuy({ productUri: `product-${index}` })) },
    ),
  );

it('large calls that wait for each other are refused in time', async () => {
  const [held] = await newCustomersInLanes(api, 1);
  const calls = [largeOf(held!), largeOf(held!)];
  await stack.db.transaction().execute(async (trx) => {
    await lockLanes(trx, [firstLaneOf(held!.customerId)]);
    const first = refusedInTime(calls[0]);
    await expect.poll(() => countWaitingForRows(stack.db)).toBe(1);
    expect(await Promise.all([first, refusedInTime(calls[1])])).toEqual(['overloaded', 'overloaded']);
  });
  expect(await countRows(stack.db, 'batch')).toBe(0);
  await Promise.all(calls.map((call) => api.accept(call)));
  await expectSumsRight(stack.db);
});

it('a call whose commit is never acknowledged is answered in time, and a repeat gets the outcome', async () => {
  const batch = syncOf(newBuy(await api.newCustomer(), [newAssetNum()]));
  const lossy = await ForwardedAddress.open(stack.url);
  const other = await untilTestsEnd(startAnotherApi({ ...stack, url: lossy.url }, api));
  lossy.toLose = Number.POSITIVE_INFINITY;
  const startedMs = performance.now();
  const refusal = refusalOf(await other.api.submit(batch));
  expect(performance.now() - startedMs).toBeLessThan(WITHIN_MS);
  expect(refusal).toMatchObject({ code: '500', cause: 'outcome_unknown' });
  lossy.toLose = 0;
  expect(await other.api.accept(batch)).toEqual(await api.accept(batch));
  expect(await countRows(stack.db, 'license_order')).toBe(1);
  lossy.close();
});
