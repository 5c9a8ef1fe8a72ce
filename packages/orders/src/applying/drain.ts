import { type LedgerIds, splitOrderId } from '@lockstep/assets';
import type { CustomerId } from '@lockstep/contract';
import { type Database, inTransaction, send, type Trx, together } from '@lockstep/platform';
import { MAX_WEIGHT } from '../accepting/prepare.ts';
import { LOCK_WAIT_MS, readLocked, settingTimeout, tryingLanes } from '../lane-locks.ts';
import { channelOf, NO_CHANNEL } from '../lanes.ts';
import { LargeWork, LIMITS } from '../planning/limits.ts';
import { type OrderWithId, seesNothing } from '../planning/outcome.ts';
import { applyOrders } from './apply.ts';
import { endOrders, notFound } from './end-orders.ts';
import { finishOrders } from './finish-orders.ts';
import { findHeld, holdUnreadable } from './holds.ts';
import { buildPending, inAcceptanceOrder, type Pending, readingPending, type UnreadableChunk } from './pending.ts';
import { type Applied, addApplied, buildApplied } from './work-log.ts';

/** Which lanes to drain, those of them that nobody else has locked, and how. */
export interface LanesToDrain {
  lanes: readonly number[];
  /** What to take by weight, beyond a first chunk; MAX_WEIGHT if absent. */
  maxWeight?: number;
  /** The worker whose drain of a backlog it is. */
  bulkOf?: number | undefined;
  /** Whether it is for the turn of large work, and when to wait for that no longer. */
  isLarge?: boolean;
  signal?: AbortSignal;
}

/** What one drain did. */
export interface Drained extends Applied {
  /** The lanes that it drained. */
  lanes: readonly number[];
  /** Chunks that cannot be read. Their customers are held. */
  unreadable: UnreadableChunk[];
  /** By lane in which more is pending: the last batch up to which it was drained. */
  left: ReadonlyMap<number, bigint>;
  /** What the orders weigh that it read. */
  weight: number;
}

/** A drain that has failed after it had locked lanes. Nothing has changed. */
export class DrainFailed extends Error {
  readonly lanes: readonly number[];

  constructor(lanes: readonly number[], cause: unknown) {
    super('lanes could not be drained', { cause });
    this.lanes = lanes;
  }
}

/**
 * Applies the oldest pending orders of some lanes, a bounded number, as one group in one transaction (rules 6.2).
 * Orders of held customers are put aside, and so are chunks that cannot be read.
 *
 * It holds the lanes' locks, so only one drain of a lane runs anywhere, and orders of a lane take effect in acceptance
 * order. If it meets another transaction and runs again, it drains the same lanes, or those of them that it gets again.
 *
 * Throws a DrainFailed with what keeps the group from being applied, which may be a LargeWork; or what keeps it from
 * locking lanes. Then nothing has changed.
 */
export async function drainLanes(db: Database, wanted: LanesToDrain, ids: LedgerIds): Promise<Drained> {
  let taken: readonly number[] | null = null;
  try {
    return await inTransaction(db, async (trx) => {
      const { lanes, pending } = await lockAndRead(trx, { ...wanted, lanes: taken ?? wanted.lanes });
      taken ??= lanes;
      return { lanes, ...(await applyPending(trx, lanes, pending, ids, wanted.isLarge ?? false)) };
    });
  } catch (error) {
    throw taken === null ? error : new DrainFailed(taken, error);
  }
}

async function applyPending(
  trx: Trx,
  lanes: readonly number[],
  { chunks, unreadable, hasHolds, left, weight }: Pending,
  ids: LedgerIds,
  isLarge: boolean,
): Promise<Omit<Drained, 'lanes'>> {
  if (weight > LIMITS.small && !isLarge) throw new LargeWork();
  const ended: Applied[] = [];
  for (const chunk of unreadable) {
    const { batchId, lane } = chunk;
    if (channelOf(lane) !== NO_CHANNEL) await holdUnreadable(trx, chunk);
    // They fail, whatever they hold.
    else ended.push(await endOrders(trx, { batchId, lanes: [lane] }, notFound));
  }
  const orders = inAcceptanceOrder(chunks);
  const customerIds = orders.map(({ order }) => order.customerId);
  const mayBeHeld = hasHolds || unreadable.length > 0;
  const heldIds = mayBeHeld ? await findHeld(trx, customerIds) : new Set<CustomerId>();
  const free = orders.filter((each) => seesNothing(each) || !heldIds.has(each.order.customerId));
  const outcomes = free.length === 0 ? [] : await applyOrders(trx, free, ids, { isLarge });
  const next = free[outcomes.length];
  const finished = await finishOrders(trx, chunks, outcomes, { heldIds, endsBatches: true });
  return {
    ...addApplied([buildApplied(outcomes, finished), ...ended]),
    unreadable,
    weight,
    left: next === undefined ? left : new Map(lanes.map((lane) => [lane, before(next)])),
  };
}

const before = ({ licenseOrderId }: OrderWithId) => BigInt(splitOrderId(licenseOrderId).batchId) - 1n;

/** Locks lanes and reads what is pending there, at once. */
async function lockAndRead(
  trx: Trx,
  { lanes, maxWeight = MAX_WEIGHT, bulkOf, isLarge }: LanesToDrain,
): Promise<{ lanes: readonly number[]; pending: Pending }> {
  const [locked, rows] = await together(trx, [tryingLanes(lanes, { bulkOf }), readingPending(maxWeight)]);
  if (!isLarge) await send(trx, settingTimeout('lock_timeout', LOCK_WAIT_MS));
  return { lanes: readLocked(locked), pending: buildPending(rows) };
}
