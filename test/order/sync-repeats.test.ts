import { LedgerIds } from '@lockstep/assets';
import { inTransaction, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { EarlierBatch, SubmittedBatch } from '../../packages/orders/src/batch.ts';
import { applyCalls } from '../../packages/orders/src/sync-calls.ts';
import type { Api } from '../harness/api.ts';
import { newAssetNum, newBuy } from '../harness/orders.ts';
import { type Stack, startStack } from '../harness/stack.ts';
import { syncOf } from '../harness/sync-batches.ts';

/** Sync batches that are sent again. */

let stack: Stack;
let api: Api;

beforeAll(async () => {
  stack = await startStack({ worker: false });
  api = await stack.newApi();
});
afterAll(() => stack.close());

/** Whether the commit of a transaction waits for disk and standbys, as of what it has done so far. */
async function writes(trx: Trx): Promise<boolean> {
  const { rows } = await sql<{ writes: boolean }>`
    select pg_current_xact_id_if_assigned() is not null as writes`.execute(trx);
  return rows[0]!.writes;
}

it('a transaction that finds a batch, and stores none, has a commit that standbys confirm', async () => {
  await api.accept(syncOf(newBuy(await api.newCustomer(), [newAssetNum()])));
  const { rows } = await sql<EarlierBatch>`select id, digest, digest_version from batch`.execute(stack.db);
  const [earlier] = rows;
  const batch = { digest: earlier!.digest } as SubmittedBatch;
  const call = {
    batch,
    orders: () => Promise.reject(new Error('not read')),
    channels: null,
    deadlineMs: 0,
    isLarge: false,
  };
  const found = await inTransaction(stack.db, async (trx) => {
    const { batchIds, newBatches } = await applyCalls(trx, [call], { earlier: [earlier], newIds: [] }, new LedgerIds());
    return { batchIds, newBatches, writes: await writes(trx) };
  });
  expect(found).toEqual({ batchIds: [earlier!.id], newBatches: [], writes: true });
});

it('a transaction in which no call has got its lanes waits for nobody', async () => {
  const waits = await inTransaction(stack.db, async (trx) => {
    await applyCalls(trx, [], { earlier: [], newIds: [] }, new LedgerIds());
    return await writes(trx);
  });
  expect(waits).toBe(false);
});
