import { type LedgerIds, splitOrderId } from '@lockstep/assets';
import type { CustomerId } from '@lockstep/contract';
import { type Database, inTransaction, send, type Trx, together } from '@lockstep/platform';
import { MAX_WEIGHT } from '../accepting/prepare.ts';
import { LOCK_WAIT_MS, readLocked, settingTimeout, tryingLanes } from '../lane-locks.ts';
import type { OrderWithId } from '../planning/outcome.ts';
import { applyOrders } from './apply.ts';
import { finishOrders } from './finish-orders.ts';
import { findHeld, holdUnreadable } from './holds.ts';
import { buildPending, inAcceptanceOrder, type Pending, readingPending, type UnreadableChunk } from './pending.ts';
import { type Applied, buildApplied } from './work-log.ts';

export interface LanesToDrain {
  lanes: readonly number[];
  /** How much weight to take beyond a first chunk. Default: MAX_WEIGHT. */
  maxWeight?: number;
  /** If this is a drain of a backlog: the number of its worker. */
  bulkOf?: number | undefined;
}

export interface Drained extends Applied {
  lanes: readonly number[];
  /** Chunks that could not be read. Their customers are held. */
  unreadable: UnreadableChunk[];
  /** Lanes with more pending orders, each with the last batch up to which it was drained. */
  left: ReadonlyMap<number, bigint>;
  weight: number;
}

/** Thrown if a drain failed after it had locked lanes. Nothing has changed. */
export class DrainFailed extends Error {
  readonly lanes: readonly number[];

  constructor(lanes: readonly number[], cause: unknown) {
    super('drain failed', { cause });
    this.lanes = lanes;
  }
}

/**
 * Applies the oldest pending orders of some lanes, up to a limit, as one group in one transaction (rules 6.2). Sets
 * aside orders of held customers and chunks that can't be read.
 *
 * A drain holds its lanes' locks until it commits. So only one drain of a lane runs at a time, in any process, and the
 * orders of a lane take effect in acceptance order. After a conflict, it runs again on the same lanes, or those that it
 * can lock again.
 *
 * Throws a DrainFailed if the group can't be applied, and other errors if the lanes can't be locked. Either way, nothing has changed.
 */
export async function drainLanes(db: Database, wanted: LanesToDrain, ids: LedgerIds): Promise<Drained> {
  let taken: readonly number[] | null = null;
  try {
    return await inTransaction(db, async (trx) => {
      const { lanes, pending } = await lockAndRead(trx, { ...wanted, lanes: taken ?? wanted.lanes });
      taken ??= lanes;
      return { lanes, ...(await applyPending(trx, lanes, pending, ids)) };
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
): Promise<Omit<Drained, 'lanes'>> {
  for (const chunk of unreadable) await holdUnreadable(trx, chunk);
  const orders = inAcceptanceOrder(chunks);
  const customerIds = orders.map(({ order }) => order.customerId);
  const mayBeHeld = hasHolds || unreadable.length > 0;
  const heldIds = mayBeHeld ? await findHeld(trx, customerIds) : new Set<CustomerId>();
  const free = orders.filter(({ order }) => !heldIds.has(order.customerId));
  const outcomes = free.length === 0 ? [] : await applyOrders(trx, free, ids);
  const next = free[outcomes.length];
  const finished = await finishOrders(trx, chunks, outcomes, { heldIds, completesBatches: true });
  return {
    ...buildApplied(outcomes, finished),
    unreadable,
    weight,
    left: next === undefined ? left : new Map(lanes.map((lane) => [lane, before(next)])),
  };
}

const before = ({ licenseOrderId }: OrderWithId) => BigInt(splitOrderId(licenseOrderId).batchId) - 1n;

async function lockAndRead(
  trx: Trx,
  { lanes, maxWeight = MAX_WEIGHT, bulkOf }: LanesToDrain,
): Promise<{ lanes: readonly number[]; pending: Pending }> {
  const [locked, rows] = await together(trx, [tryingLanes(lanes, { bulkOf }), readingPending(maxWeight)]);
  await send(trx, settingTimeout('lock_timeout', LOCK_WAIT_MS));
  return { lanes: readLocked(locked), pending: buildPending(rows) };
}
