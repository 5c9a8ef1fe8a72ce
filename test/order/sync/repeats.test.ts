import { LedgerIds } from '@lockstep/assets';
import { applyCalls, LANES_OF_CHANNEL, lockLanes, type SubmittedBatch } from '@lockstep/orders/testing';
import { Deadline, inTransaction, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { newAssetNum, newBuy } from '../../harness/orders/orders.ts';
import { syncOf } from '../../harness/orders/sync-batches.ts';
import { testStack } from '../../harness/stack.ts';

/** Resubmitted sync batches. */

const { stack, api } = await testStack({ worker: false });

/** Returns whether the transaction has an ID by now, so that its commit waits for disk and standbys. */
async function writes(trx: Trx): Promise<boolean> {
  const { rows } = await sql<{ writes: boolean }>`
    select pg_current_xact_id_if_assigned() is not null as writes`.execute(trx);
  return rows[0]!.writes;
}

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
    return { results, writes: await writes(trx) };
  });
}

it('a transaction that finds a stored batch and stores none has its commit confirmed by standbys', async () => {
  const batch = syncOf(newBuy(await api.newCustomer(), [newAssetNum()]));
  await api.accept(batch);
  const { rows } = await sql<{ id: string; digest: Buffer; application_id: string }>`
    select id, digest, application_id from batch`.execute(stack.db);
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
