import { ORDERS_PER_BATCH, splitOrderId } from '@lockstep/assets';
import { type BatchId, type Channels, type CustomerId, type LicenseOrderId, Refusal } from '@lockstep/contract';
import { ConsoleRefusal } from '@lockstep/contract/console';
import { type Database, inTransaction, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { recordOutcomes } from '../applying/apply.ts';
import { type Applied, finishOrders } from '../applying/finish.ts';
import { asChunks, holdUnreadable, readHeldInBatch, releaseHeld, withId } from '../applying/holds.ts';
import { inAcceptanceOrder, readPendingInBatch } from '../applying/pending.ts';
import { completeBatches } from '../completion/complete-batches.ts';
import { findLanes, lockLanes } from '../lanes.ts';
import { failOrder } from '../planning/order.ts';
import { isOfChannel } from '../reading/viewer.ts';

interface FailRequest {
  /** Only orders of batches in these channels are failed; null: in any. */
  channels: Channels;
  licenseOrderIds: readonly LicenseOrderId[];
  /** What to do with the customers' later pending orders. Null: do nothing if there are any. */
  later: 'keep' | 'fail' | null;
  /** Writes the audit entry. */
  record: (trx: Trx, failedIds: readonly LicenseOrderId[]) => Promise<void>;
  /** Called if the batches could not be completed. The sweep completes them. */
  onNotCompleted: (error: unknown) => void;
}

/**
 * The result: the failed orders. Or nothing was done because of later pending orders, or because orders are not
 * pending; these are listed.
 */
export interface FailResult {
  outcome: 'failed' | 'later_pending' | 'not_pending';
  licenseOrderIds: LicenseOrderId[];
}

/**
 * Fails pending orders with internal_error, including held ones, in one transaction (rules 9). Throws a ConsoleRefusal
 * (not_found) that names unknown orders.
 */
export async function failPendingOrders(db: Database, request: FailRequest): Promise<FailResult> {
  const named = [...new Set(request.licenseOrderIds)];
  const { result, finishedBatchIds } = await inTransaction(db, async (trx) => {
    const known = await readNamed(trx, named);
    const absent = named.filter((id) => !known.some((order) => order.id === id));
    if (absent.length > 0) {
      const ids = new Intl.ListFormat('en', { type: 'disjunction' }).format(absent);
      throw new ConsoleRefusal('not_found', 'order', ids);
    }
    const customerIds = [...new Set(known.map(({ customerId }) => customerId))];
    // Nothing is pending of a customer that doesn't exist.
    const laneOf = await findLanes(trx, customerIds);
    const lanes = [...new Set(laneOf.values())];
    await lockLanes(trx, lanes);
    const pending: PendingOrder[] = [];
    for (const [customerId, lane] of laneOf) {
      const first = known.find((order) => order.customerId === customerId)!;
      pending.push(...(await readPendingFrom(trx, request, first, lane)));
    }
    const notPending = named.filter((id) => !pending.some((order) => order.id === id));
    if (notPending.length > 0) return nothing('not_pending', notPending);
    const later = pending.filter(({ id }) => !named.includes(id)).map(({ id }) => id);
    if (later.length > 0 && request.later === null) return nothing('later_pending', later);
    const failedIds = request.later === 'fail' ? pending.map(({ id }) => id) : named;
    const meant = new Set(failedIds);
    const finishedBatchIds = [];
    for (const batchId of new Set(failedIds.map((id) => splitOrderId(id).batchId))) {
      const failed = await failInLanes(trx, { batchId, lanes }, new Refusal('internal_error'), (id) => meant.has(id));
      finishedBatchIds.push(...failed.finishedBatchIds);
    }
    await request.record(trx, failedIds);
    return { result: { outcome: 'failed', licenseOrderIds: failedIds } satisfies FailResult, finishedBatchIds };
  });
  // The orders have failed, even if this does not work.
  await completeBatches(db, finishedBatchIds).catch(request.onNotCompleted);
  return result;
}

function nothing(outcome: FailResult['outcome'], licenseOrderIds: LicenseOrderId[]) {
  return { result: { outcome, licenseOrderIds } satisfies FailResult, finishedBatchIds: [] };
}

interface PendingOrder {
  id: LicenseOrderId;
  customerId: CustomerId;
  sequence: number;
}

/** Returns these orders with their customers, in the order in which they take effect. */
async function readNamed(trx: Trx, ids: readonly LicenseOrderId[]): Promise<PendingOrder[]> {
  const places = ids.map(splitOrderId);
  const { rows } = await sql<PendingOrder>`
    select wanted.id, customer_ids[index + 1] as "customerId", sequences[index + 1] as sequence
    from unnest(
      ${ids}::bigint[], ${places.map(({ batchId }) => batchId)}::bigint[], ${places.map(({ index }) => index)}::int[]
    ) as wanted (id, batch_id, index)
    join batch on batch.id = wanted.batch_id
    where index < cardinality(sequences) order by batch.id, sequence`.execute(trx);
  return rows;
}

/**
 * Returns the pending orders of a customer in its lane, in the order in which they take effect, starting with `first`.
 */
async function readPendingFrom(
  trx: Trx,
  viewer: Pick<FailRequest, 'channels'>,
  first: PendingOrder,
  lane: number,
): Promise<PendingOrder[]> {
  const { customerId } = first;
  const { batchId } = splitOrderId(first.id);
  const { rows } = await sql<PendingOrder>`
    with open as (
      select batch_id from lane_chunk
      where lane = ${lane} and finished_time is null and not is_held and batch_id >= ${batchId}
        and ${customerId} = any (customer_ids)
      union select batch_id from held_order where customer_id = ${customerId} and batch_id >= ${batchId}
    )
    select placed.id, ${customerId} as "customerId", placed.sequence
    from open join batch on batch.id = open.batch_id
    cross join lateral (
      select batch.id * ${sql.lit(ORDERS_PER_BATCH)} + place - 1 as id, sequence
      from unnest(customer_ids, sequences) with ordinality as sent (customer_id, sequence, place)
      where customer_id = ${customerId}
    ) as placed
    left join license_order on license_order.id = placed.id
    where license_order.id is null and ${isOfChannel(viewer)} and (batch.id > ${batchId} or placed.sequence >= ${first.sequence})
    order by batch.id, placed.sequence`.execute(trx);
  return rows;
}

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
  const ofFree = await finishOrders(trx, chunks, outcomes);
  const ofHeld = await finishOrders(trx, asChunks(held), heldOutcomes, { areHeld: true });
  await releaseHeld(trx, held);
  return {
    ...ofFree,
    failedOrders: [...ofFree.failedOrders, ...ofHeld.failedOrders],
    batches: [...ofFree.batches, ...ofHeld.batches],
    finishedBatchIds: [...ofFree.finishedBatchIds, ...ofHeld.finishedBatchIds],
  };
}
