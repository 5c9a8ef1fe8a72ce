import { type LedgerIds, splitOrderId } from '@lockstep/assets';
import {
  type BatchId,
  type Channels,
  type CustomerId,
  faultAt,
  findConcerned,
  type Order,
  Refusal,
} from '@lockstep/contract';
import { type Deadline, type Statement, type Trx, together, untilConfirmed } from '@lockstep/platform';
import {
  type EarlierBatch,
  findingEarlier,
  keyLockOf,
  readEarlier,
  type SubmittedBatch,
  sameBatchId,
} from '../accepting/batch.ts';
import { applyOrders } from '../applying/apply.ts';
import { findingHeld } from '../applying/holds.ts';
import { findingPending, inAcceptanceOrder } from '../applying/pending.ts';
import { findingPaused, refusePaused } from '../channels/pauses.ts';
import { insertCompletedBatches } from '../completion/complete-batches.ts';
import { channelOf, freeLanes, readLocked } from '../lanes.ts';
import { type Outcome, tooLarge } from '../planning/order.ts';

export interface SyncCall {
  batch: SubmittedBatch;
  orders: readonly Order[];
  channels: Channels;
  /** The time by which its transaction has started and is ready to commit. */
  deadline: Deadline;
  /** Whether the orders that were pending of its customers when it arrived have taken effect. */
  isNext: boolean;
  /** Whether a transaction with this call is running. */
  isRunning: boolean;
  /** Whether an unanswered commit may have stored the batch, or its commit may not have reached the standbys. */
  isUnclear: boolean;
}

/**
 * The result of a call in a transaction: its batch, or its refusal. Null: it has to wait for its lanes, for orders that
 * are pending there, or for its key.
 */
export type SyncResult = BatchId | Refusal | null;

/** Returns the customers of a batch that exist for its application, which must not learn of others. */
export const knownIn = ({ chunks }: SubmittedBatch): CustomerId[] => chunks.flatMap(({ customerIds }) => customerIds);

/** Returns the lanes that batches need, without duplicates. */
export function lanesOf(...batches: readonly SubmittedBatch[]): number[] {
  return [...new Set(batches.flatMap(({ chunks }) => chunks.map(({ lane }) => lane)))];
}

/**
 * Applies sync calls in one transaction, which tries to lock their lanes and keys first. All orders of the calls that
 * have theirs and are not refused succeed, or nothing is stored. A call whose batch was stored earlier gets that batch.
 *
 * Throws a BatchFailed, or a Refusal (batch_too_large).
 */
export async function applyCalls(
  trx: Trx,
  calls: readonly SyncCall[],
  ids: LedgerIds,
): Promise<{ results: SyncResult[]; newBatches: NewBatch[] }> {
  const batches = calls.map(({ batch }) => batch);
  const lanes = lanesOf(...batches);
  const [lockedRows, drawn, earlierRows, pendingRows, heldRows, pausedRows] = await together(trx, [
    freeLanes(lanes),
    drawingBatchIds(batches.map(keyLockOf)),
    findingEarlier(batches),
    findingPending(lanes),
    findingHeld(batches.flatMap(knownIn)),
    findingPaused(lanes),
  ]);
  const locked = new Set(readLocked(lockedRows));
  const pending = new Set(pendingRows.map(({ lane }) => lane));
  const held = new Set(heldRows.map(({ customer_id }) => customer_id));
  const paused = new Map(pausedRows.map(({ id, code }) => [id, code]));
  const earlier = readEarlier(earlierRows, batches);
  const results: SyncResult[] = [];
  const newBatches: NewBatch[] = [];
  for (const [place, call] of calls.entries()) {
    const { batch, orders, channels } = call;
    const found = identify(batch, earlier[place]);
    const pausedCode = findPaused(batch, paused);
    const hasLanes = lanesOf(batch).every((lane) => locked.has(lane));
    const isNext = call.isNext || !lanesOf(batch).some((lane) => pending.has(lane));
    // An earlier, unanswered transaction of this call held the same lanes, so it has ended.
    if (hasLanes) call.isUnclear = false;
    // The batch is stored here. The commit tells whether the standbys have it, too.
    if (typeof found === 'string') call.isUnclear = true;
    if (found !== null) results.push(found);
    else if (!hasLanes || !drawn[place]!.has_key) results.push(null);
    else if (pausedCode !== undefined) results.push(refusePaused(pausedCode));
    else if (!isNext) results.push(null);
    else if (knownIn(batch).some((customerId) => held.has(customerId))) {
      results.push(new Refusal('service_unavailable'));
    } else {
      const id = drawn[place]!.id;
      newBatches.push({ id, batch, orders, channels });
      results.push(id);
    }
  }
  if (newBatches.length > 0) await applyNewBatches(trx, newBatches, ids);
  // A commit without writes would not wait for the standbys, but the answer for an earlier batch must.
  else if (earlierRows.length > 0) await untilConfirmed(trx);
  return { results, newBatches };
}

/** Returns the code of a paused channel among those of the batch's customers. */
function findPaused(batch: SubmittedBatch, paused: ReadonlyMap<number, string>): string | undefined {
  if (paused.size === 0) return undefined;
  return lanesOf(batch)
    .map((lane) => paused.get(channelOf(lane)))
    .find((code) => code !== undefined);
}

function identify(batch: SubmittedBatch, stored: EarlierBatch | undefined): SyncResult {
  try {
    return stored === undefined ? null : sameBatchId(batch, stored);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** A sync batch that has not been stored before, with its orders and its new id. */
export interface NewBatch {
  id: BatchId;
  batch: SubmittedBatch;
  orders: readonly Order[];
  channels: Channels;
}

/** A statement that draws a batch id for each key lock, and tries the lock. Unused ids stay gaps. */
const drawingBatchIds = (keyLocks: readonly string[]): Statement<{ id: BatchId; has_key: boolean }> => ({
  name: 'draw_batch_ids',
  text: `select nextval('batch_id') as id, pg_try_advisory_xact_lock(lock) as has_key from unnest($1::bigint[]) as lock`,
  values: [keyLocks],
});

/**
 * Applies sync batches and stores them as completed. Either all of their orders succeed, or nothing is stored.
 *
 * Throws a BatchFailed, or a Refusal (batch_too_large) if they touch too much together.
 */
async function applyNewBatches(trx: Trx, newBatches: readonly NewBatch[], ids: LedgerIds): Promise<void> {
  if (newBatches.length === 0) return;
  const orders = inAcceptanceOrder(newBatches.flatMap(splitUnknown));
  await applyOrders(trx, orders, ids, (outcomes) => {
    const failures = outcomes.filter(({ failure }) => failure !== null);
    if (failures.length > 0) throw new BatchFailed(failures, newBatches);
    if (outcomes.length < orders.length) throw tooLarge(splitOrderId(orders[outcomes.length]!.licenseOrderId).index);
  });
  await insertCompletedBatches(trx, newBatches);
}

/** Separates the orders of unknown customers. No channel's customers exist for them, so they fail (rules 6.2). */
function splitUnknown({ id, batch, orders, channels }: NewBatch) {
  const unknown = new Set(batch.unknownOrders.map(({ index }) => index));
  const entries = [...orders.entries()];
  return [
    { batchId: id, orders: entries.filter(([index]) => !unknown.has(index)), channels },
    { batchId: id, orders: entries.filter(([index]) => unknown.has(index)), channels: [] },
  ];
}

const MAX_NAMED_FAILURES = 20;
const NEXT_STEP = 'Fix the failed orders and send the batch again.';

/** Refuses sync calls with the cause of the first failed order; message and faults name up to 20 (rules 6.3). */
export class BatchFailed extends Refusal {
  readonly batches: ReadonlySet<SubmittedBatch>;

  constructor(failures: Outcome[], newBatches: readonly NewBatch[]) {
    const { cause, args } = failures[0]!.failure!;
    super(cause, ...args);
    const batchIds = new Set(failures.map(({ accepted }) => splitOrderId(accepted.licenseOrderId).batchId));
    this.batches = new Set(newBatches.filter(({ id }) => batchIds.has(id)).map(({ batch }) => batch));
    const total = newBatches.reduce((sum, { orders }) => sum + orders.length, 0);
    const first = failures.slice(0, MAX_NAMED_FAILURES);
    const placed = first.map(({ accepted }) => `orderList[${splitOrderId(accepted.licenseOrderId).index}]`);
    this.faults = first.map(({ failure }, nth) => {
      const { places } = findConcerned(failure!.cause, failure!.args);
      return faultAt([placed[nth], ...places].join('.'), failure!.cause, ...failure!.args);
    });
    const named = first.map(
      ({ accepted: { order } }, nth) => `${placed[nth]} (sequence ${order.sequence}): ${this.faults![nth]!.message}`,
    );
    const others = failures.length - named.length;
    const more = others > 0 ? ` And ${others} more.` : '';
    this.message = `${failures.length} of ${total} orders failed; nothing was stored. ${named.join(' ')}${more} ${NEXT_STEP}`;
  }
}
