import { LedgerIds } from '@lockstep/assets';
import { applyCalls, LANES_OF_CHANNEL, lockLanes, type SubmittedBatch } from '@lockstep/orders/testing';
import { Deadline, inTransaction } from '@lockstep/platform';
import { sql } from 'kysely';
import { afterAll, expect, it } from 'vitest';
import { ForwardedAddress } from '../../harness/network/forwarded-address.ts';
import { newAssetNum, newBuy } from '../../harness/orders/orders.ts';
import {
  endWaiting,
  expectSumsRight,
  readRecords,
  readResult,
  syncOf,
  untilOneWaits,
  whileHeld,
} from '../../harness/orders/sync-batches.ts';
import { startAnotherApi } from '../../harness/processes/another-api.ts';
import { testStack, untilTestsEnd } from '../../harness/stack.ts';

/** Sync calls that lose their connection during the commit, and resubmitted ones (rules 6.3). */

const { stack } = await testStack({ worker: false });
const lossy = await ForwardedAddress.open(stack.url);
afterAll(() => lossy.close());
const { api } = await untilTestsEnd(startAnotherApi({ ...stack, url: lossy.url }, await stack.newApi()));

it('a call whose commit succeeded is answered with what it stored', async () => {
  const assetNum = newAssetNum();
  const batch = syncOf(newBuy(await api.newCustomer(), [assetNum]));
  lossy.toLose = 1;
  const accepted = await api.accept(batch);
  expect(lossy.toLose).toBe(0);
  expect(await api.accept(batch)).toEqual(accepted);
  const { orders } = await readResult(api, batch);
  expect(orders.map(({ licenseOrderId }) => licenseOrderId)).toEqual(accepted.map((order) => order.licenseOrderId));
  expect(await readRecords(stack.db, assetNum)).toHaveLength(1);
  await expectSumsRight(stack.db);
});

it('a call whose commit failed is applied again', async () => {
  const assetNum = newAssetNum();
  const batch = syncOf(newBuy(await api.newCustomer(), [assetNum]));
  const { answer } = await whileHeld(stack.db, 'commit', async () => {
    const answer = api.accept(batch);
    await untilOneWaits(stack.db);
    await endWaiting(stack.db);
    return { answer };
  });
  expect(await answer).toHaveLength(1);
  expect(await readRecords(stack.db, assetNum)).toHaveLength(1);
  await expectSumsRight(stack.db);
});

/** Applies a call in a transaction. Returns the outcome, and whether the commit waits for disk and standbys. */
async function applyOne(batch: SubmittedBatch) {
  const call = {
    batch,
    channels: null,
    deadline: new Deadline(1_000),
    isNext: false,
    isRunning: false,
    isUnclear: false,
    orders: [],
  };
  return await inTransaction(stack.db, async (trx) => {
    const { results } = await applyCalls(trx, [call], new LedgerIds());
    // A transaction that has an ID waits for disk and standbys.
    const { rows } = await sql<{ writes: boolean }>`
      select pg_current_xact_id_if_assigned() is not null as writes`.execute(trx);
    return { results, ...rows[0] };
  });
}

it('a transaction that finds a stored batch and stores none has its commit confirmed by standbys', async () => {
  const batch = syncOf(newBuy(await api.newCustomer(), [newAssetNum()]));
  await api.accept(batch);
  const { rows } = await sql<{ id: string; digest: Buffer; application_id: string }>`
    select id, digest, application_id from batch where channel_order_id = ${batch.channelOrderId}`.execute(stack.db);
  const { id, digest, application_id: applicationId } = rows[0]!;
  const repeat = { ...batch, applicationId, digest, chunks: [], customerIds: [] } as unknown as SubmittedBatch;
  expect(await applyOne(repeat)).toEqual({ results: [id], writes: true });
});

it('a transaction in which no call got its lanes commits without waiting', async () => {
  const fresh = {
    channelOrderId: 'fresh',
    chunks: [{ lane: LANES_OF_CHANNEL }],
    customerIds: [],
  } as unknown as SubmittedBatch;
  await stack.db.transaction().execute(async (other) => {
    await lockLanes(other, [LANES_OF_CHANNEL]);
    expect(await applyOne({ ...fresh, applicationId: '1' as never, channelCode: 'test' })).toEqual({
      results: [null],
      writes: false,
    });
  });
});
