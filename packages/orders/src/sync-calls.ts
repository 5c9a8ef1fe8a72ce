import type { LedgerIds } from '@lockstep/assets';
import type { BatchId, Channels, Order } from '@lockstep/contract';
import { type Trx, untilConfirmed } from '@lockstep/platform';
import { type EarlierBatch, type SubmittedBatch, sameBatchId } from './batch.ts';
import { channelOf, NO_CHANNEL } from './lanes.ts';
import { applyNewBatches, type NewBatch } from './sync-batches.ts';

/** A sync call that is to be applied. */
export interface SyncCall {
  batch: SubmittedBatch;
  /** Reads them. Called only when it is their turn, because those of a large batch take memory. */
  orders: () => Promise<Order[]>;
  /** The channels that its application is bound to. */
  channels: Channels;
  /** A time of performance.now. */
  deadlineMs: number;
  /** Whether it has the turn of large work. Then it shares its transaction with no other. */
  isLarge: boolean;
}

/** What a transaction of sync calls has stored. */
export interface AppliedBatches {
  newBatches: readonly NewBatch[];
  startedMs: number;
}

/** Bounds of the calls that share a transaction. */
export const MAX_GROUP_BATCHES = 64;
export const MAX_GROUP_WEIGHT = 4_000;

/** The lanes that some batches need, each once: none of NO_CHANNEL, whose orders fail whatever is there. */
export function lanesOf(batches: readonly SubmittedBatch[]): number[] {
  const lanes = batches.flatMap(({ chunks }) => chunks.map(({ lane }) => lane));
  return [...new Set(lanes.filter((lane) => channelOf(lane) !== NO_CHANNEL))];
}

/**
 * Applies sync calls in one transaction that holds their lanes: all of their orders succeed, or nothing is stored. Calls that
 * were stored before get the batch that was stored. Returns the batch of each call. The commit confirms all of them.
 *
 * Throws a BatchFailed, a Refusal (channel_order_id_conflict, batch_too_large), or a LargeWork.
 */
export async function applyCalls(
  trx: Trx,
  calls: readonly SyncCall[],
  { earlier, newIds }: { earlier: readonly (EarlierBatch | undefined)[]; newIds: readonly BatchId[] },
  ids: LedgerIds,
): Promise<{ batchIds: BatchId[]; newBatches: NewBatch[] }> {
  const batchIds = calls.map(({ batch }, place) => {
    const stored = earlier[place];
    return stored === undefined ? newIds[place]! : sameBatchId(batch, stored);
  });
  const newBatches: NewBatch[] = [];
  for (const [place, { batch, orders, channels }] of calls.entries()) {
    if (earlier[place] !== undefined) continue;
    newBatches.push({ id: newIds[place]!, batch, orders: await orders(), channels });
  }
  const work = { isLarge: calls.some(({ isLarge }) => isLarge) };
  if (newBatches.length > 0) await applyNewBatches(trx, newBatches, ids, work);
  // Answers of a batch that was found wait for the standbys, too: a commit that has written nothing would not.
  else if (calls.length > 0) await untilConfirmed(trx);
  return { batchIds, newBatches };
}
