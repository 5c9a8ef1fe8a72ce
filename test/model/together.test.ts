import { LedgerIds } from '@lockstep/assets';
import { BatchOrder, type LicenseOrderId, parse } from '@lockstep/contract';
import { LIMITS, type OrderWithId, planOnLoaded, storeApplied } from '@lockstep/orders/testing';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { batchOf } from '../harness/orders/orders.ts';
import { testDatabase } from '../harness/stack.ts';
import { histories } from './histories.ts';
import { bodyOf, type History, type HistoryBatch, type Names, SENDERS } from './history.ts';
import { sortedLedger } from './ledger-value.ts';
import { limits } from './planner.ts';
import { readLedger } from './stored-ledger.ts';
import { newWorlds } from './world.ts';

const FIRST_ORDER_ID = 1_001;

const { db } = await testDatabase();
const [world] = await newWorlds(db, 1);
const { ids, channelCodes, numberPrefix } = world!;
const names: Names = {
  id: (label) => ids[label]!,
  assetNum: (label) => numberPrefix + label,
  order: (place) => String(place === 'unknown' ? 999_999 : FIRST_ORDER_ID + place),
};

function acceptedOf({ sender, orders }: HistoryBatch): OrderWithId[] {
  const channels = SENDERS[sender]?.map((label) => channelCodes[label]) ?? null;
  return orders.map((order) => ({
    licenseOrderId: names.order(order.place) as LicenseOrderId,
    order: parse(BatchOrder, batchOf(bodyOf(order, names))).orderList[0]!,
    channels,
  }));
}

/** Returns what groups of orders store when as many of a group as may run together do. Rolls back. */
async function storedBy(groups: Iterable<OrderWithId[]>, within: typeof LIMITS) {
  const trx = await db.startTransaction().execute();
  try {
    for (let left of groups) {
      while (left.length > 0) {
        const { ledger, outcomes } = await planOnLoaded(trx, left, within);
        await storeApplied(trx, ledger, outcomes, new LedgerIds());
        left = left.slice(outcomes.length);
      }
    }
    const outcomes = await trx.selectFrom('license_order').selectAll().orderBy('id').execute();
    const withoutTime = outcomes.map(({ finished_time: _, ...outcome }) => outcome);
    return { outcomes: withoutTime, ledger: sortedLedger(await readLedger(trx, numberPrefix)) };
  } finally {
    await trx.rollback().execute();
  }
}

const history = histories({ maxBatches: 2, maxOrders: 5 });
const groupSize = fc.integer({ min: 2, max: 6 });

it('orders applied together leave the same rows as orders applied one by one', async () => {
  const property = fc.asyncProperty(history, groupSize, limits, async ({ batches }: History, size, some) => {
    const together = some.onAsset + some.ofOrder;
    const orders = batches.flatMap(acceptedOf);
    const groups = Map.groupBy(orders, (_, index) => Math.floor(index / size)).values();
    const alone = orders.map((order) => [order]);
    expect(await storedBy(groups, { ...LIMITS, ...some, together })).toEqual(
      await storedBy(alone, { ...LIMITS, ...some }),
    );
  });
  // How long shrinking a counterexample may take.
  await fc.assert(property, { numRuns: 120, interruptAfterTimeLimit: 15_000 });
});
