import type { BatchId, LicenseOrderId, Refusal } from '@lockstep/contract';
import type { Trx } from '@lockstep/platform';
import { failOrder } from '../planning/outcome.ts';
import { recordOutcomes } from './apply.ts';
import { finishOrders } from './finish-orders.ts';
import { asChunks, holdUnreadable, readHeldInBatch, releaseHeld, withId } from './holds.ts';
import { inAcceptanceOrder, readPendingInBatch } from './pending.ts';
import { type Applied, addApplied, buildApplied } from './work-log.ts';

/**
 * Fails the pending orders of a batch in some lanes: all, or the selected ones. This includes held orders and orders
 * that can't be read. Lock the lanes first.
 */
export async function failInLanes(
  trx: Trx,
  { batchId, lanes }: { batchId: BatchId; lanes: readonly number[] },
  refusal: Refusal,
  isSelected: (licenseOrderId: LicenseOrderId) => boolean = () => true,
): Promise<Applied> {
  const { chunks, unreadable } = await readPendingInBatch(trx, batchId, lanes);
  for (const chunk of unreadable) await holdUnreadable(trx, chunk);
  const held = (await readHeldInBatch(trx, batchId)).filter(
    ({ lane, licenseOrderId }) => lanes.includes(lane) && isSelected(licenseOrderId),
  );
  const free = inAcceptanceOrder(chunks).filter(({ licenseOrderId }) => isSelected(licenseOrderId));
  const outcomes = free.map((accepted) => failOrder(accepted, refusal));
  const heldOutcomes = held.map((each) => failOrder(withId(each), refusal));
  await recordOutcomes(trx, [...outcomes, ...heldOutcomes]);
  const finished = await finishOrders(trx, chunks, outcomes);
  const heldFinished = await finishOrders(trx, asChunks(held), heldOutcomes, { areHeld: true });
  await releaseHeld(trx, held);
  return addApplied([buildApplied(outcomes, finished), buildApplied(heldOutcomes, heldFinished)]);
}
