import type { LedgerIds } from '@lockstep/assets';
import type { BatchId, CustomerId, LicenseOrderId } from '@lockstep/contract';
import { type Database, inTransaction, run, type Trx, together } from '@lockstep/platform';
import { applyOrders } from './apply.ts';
import { Attempts } from './attempt.ts';
import { DrainTurns } from './drain-turns.ts';
import { finishOrders, type WorkedBatch } from './finish-orders.ts';
import type { Failure, Holds } from './holds.ts';
import { lockingLanes, readLocked, tryingLanes } from './lane-locks.ts';
import type { OrderWithId, Outcome } from './outcome.ts';
import {
  buildPending,
  type Chunk,
  inAcceptanceOrder,
  type Pending,
  type Place,
  readCustomerIds,
  readingPending,
  START,
  type UnreadableChunk,
} from './pending.ts';
import { lookAtPending, readSeen } from './pending-look.ts';
import { mayLieInOneOrder } from './plan-fault.ts';
import { type FailedOrder, listFailedOrders } from './work-log.ts';

/** The weight of chunks that one drain takes at most, beyond its first chunk; prepare.ts weighs orders. */
const MAX_WEIGHT = 2_500;
/** The weight of chunks that one drain takes at most while orders are applied one by one. */
const MAX_WEIGHT_ONE_BY_ONE = 100;

/** Which lanes to drain: all of them, or some that nobody else has locked. */
export interface LanesToDrain {
  lanes: readonly number[];
  /** How many to take at most, without waiting for any. If absent, it waits for all. */
  atMost?: number;
  /** Told which ones are locked, before they are drained. */
  onTaken?: (lanes: readonly number[]) => void;
}

/** What one drain did. */
export interface Drained {
  succeeded: number;
  failed: number;
  /** The orders that failed, and why. */
  failedOrders: FailedOrder[];
  /** Batches in which orders got their outcome. */
  batches: WorkedBatch[];
  /** Batches of which a chunk was finished: they may end now. */
  finishedBatchIds: BatchId[];
  /** The last batch up to which these lanes were read; null if nothing more was pending in them. */
  throughBatchId: bigint | null;
  /** Customers who have orders left in what was read: their oldest cannot be applied, or was tried first and alone. */
  leftCustomerIds: ReadonlySet<CustomerId>;
  /** Orders that could not be applied and stay pending. */
  failures: Failure[];
  /** Orders that ended with internal_error, and why. */
  ended: { licenseOrderId: LicenseOrderId; error: unknown }[];
  /** Stored orders that could not be read. */
  unreadable: UnreadableChunk[];
}

/**
 * Applies the oldest pending orders of some lanes, a bounded number, in one transaction (rules 6.2).
 *
 * It holds the lanes' locks, so only one drain of a lane runs anywhere, and orders of a lane take effect in acceptance
 * order. Draining again finds what is left. If a group cannot be applied, its orders are tried one by one, to find out
 * whether one of them is why. That one is held, with the later orders of its customer, and tried again by itself later.
 * See Attempts for what ends an order.
 *
 * Throws the error that keeps every order from being applied, or the last one if other transactions kept winning. Then
 * nothing has changed.
 */
export async function drainLanes(db: Database, wanted: LanesToDrain, means: Means): Promise<Drained> {
  let taken = wanted.lanes;
  const onTaken = (lanes: readonly number[]) => {
    taken = lanes;
    wanted.onTaken?.(lanes);
  };
  try {
    return await drain(db, { ...wanted, onTaken }, { ...means, together: true });
  } catch (error) {
    if (!mayLieInOneOrder(error)) throw error;
    return await drain(db, { ...wanted, lanes: taken }, { ...means, together: false });
  }
}

interface Means {
  ids: LedgerIds;
  holds: Holds;
}

interface Way extends Means {
  /** Whether to apply what is not held as one group. */
  together: boolean;
}

async function drain(db: Database, wanted: LanesToDrain, way: Way): Promise<Drained> {
  const { lanes, ...drained } = await inTransaction(db, async (trx) => {
    const { lanes, first } = await lockAndRead(trx, wanted, way);
    wanted.onTaken?.(lanes);
    const pending = await readWorkable(trx, lanes, first, way);
    const { outcomes, failures, ended } = await apply(trx, pending, way);
    const { batches, finishedBatchIds, leftCustomerIds } = await finishOrders(trx, pending.chunks, outcomes);
    const failedOrders = listFailedOrders(outcomes);
    const failed = failedOrders.length;
    return {
      lanes,
      ...{ succeeded: outcomes.length - failed, failed, failures, ended, unreadable: pending.unreadable },
      ...{ failedOrders, batches, finishedBatchIds },
      throughBatchId: pending.cutAtBatchId === null ? null : BigInt(pending.cutAtBatchId) - 1n,
      leftCustomerIds: pending.leftCustomerIds.union(leftCustomerIds),
      triedAlone: pending.alone,
    };
  });
  remember(way.holds, lanes, drained);
  return drained;
}

/** Notes who is held and who is not any more. Only now, after the commit. */
function remember(holds: Holds, lanes: readonly number[], drained: Drained & { triedAlone: OrderWithId[] }): void {
  for (const { order } of drained.triedAlone) {
    if (!drained.failures.some(({ accepted }) => accepted.order.customerId === order.customerId)) {
      holds.release(order.customerId);
    }
  }
  for (const failure of drained.failures) holds.hold(failure, performance.now());
  if (drained.throughBatchId === null) holds.releaseAllBut(drained.leftCustomerIds, lanes);
}

/** What a drain can work on. */
interface Workable {
  /** Chunks in which somebody has a turn; the others are not read. */
  chunks: Chunk[];
  cutAtBatchId: BatchId | null;
  unreadable: UnreadableChunk[];
  /** Customers who have orders left in what is not among the chunks. */
  leftCustomerIds: ReadonlySet<CustomerId>;
  together: OrderWithId[];
  /** The oldest order of each customer who is held and whose turn it is to be tried again. */
  alone: OrderWithId[];
}

/**
 * Locks lanes and reads what is pending there, at once. It does not read it (null) where somebody may be held: what has to
 * wait is not read, however much it is.
 */
async function lockAndRead(
  trx: Trx,
  { lanes, atMost }: LanesToDrain,
  way: Way,
): Promise<{ lanes: number[]; first: Pending | null }> {
  const locking = atMost === undefined ? lockingLanes(lanes) : tryingLanes(lanes, atMost);
  if (way.holds.findHeldIn(lanes, performance.now()).ids.size > 0) {
    return { lanes: readLocked(await run(trx, locking)), first: null };
  }
  const reading = readingPending({ maxWeight: maxWeightOf(way), after: START });
  const [locked, rows] = await together(trx, [locking, reading]);
  return { lanes: readLocked(locked), first: buildPending(rows, START) };
}

const maxWeightOf = (way: Way) => (way.together ? MAX_WEIGHT : MAX_WEIGHT_ONE_BY_ONE);

/**
 * Reads the oldest pending orders on which there is something to do. If all that it finds has to wait, it goes on, so that
 * nobody is kept behind. What has to wait is not read, however much it is. `first`: what was read from the start, if it was.
 */
async function readWorkable(trx: Trx, lanes: readonly number[], first: Pending | null, way: Way): Promise<Workable> {
  const turns = new DrainTurns(way.holds.findHeldIn(lanes, performance.now()), maxWeightOf(way));
  const unreadable: UnreadableChunk[] = [];
  const chunks: Chunk[] = [];
  const alone: OrderWithId[] = [];
  for (let after = START, ready = first; ; ready = null) {
    const pending = ready ?? (await readNext(trx, { turns, after }, way));
    turns.block(await readCustomerIds(trx, pending.unreadable));
    const turn = turns.take(inAcceptanceOrder(pending.chunks));
    unreadable.push(...pending.unreadable);
    chunks.push(...pending.chunks);
    alone.push(...turn.alone);
    const { cutAtBatchId } = pending;
    if (turn.together.length > 0 || cutAtBatchId === null) {
      return { chunks, cutAtBatchId, unreadable, leftCustomerIds: turns.leftIds, together: turn.together, alone };
    }
    after = pending.end;
  }
}

async function readNext(trx: Trx, { turns, after }: { turns: DrainTurns; after: Place }, way: Way): Promise<Pending> {
  if (turns.hasWaiting) return await readChosen(trx, { turns, after });
  return buildPending(await run(trx, readingPending({ maxWeight: maxWeightOf(way), after })), after);
}

/** Reads the chunks behind a place in which somebody has a turn, while others wait. */
async function readChosen(trx: Trx, { turns, after }: { turns: DrainTurns; after: Place }): Promise<Pending> {
  const seen = await lookAtPending(trx, after);
  const { chosen, judged } = turns.choose(seen.chunks);
  const cutAtBatchId = seen.chunks[judged]?.batchId ?? seen.cutAtBatchId;
  return { ...(await readSeen(trx, chosen)), cutAtBatchId, end: seen.chunks[judged - 1] ?? after };
}

async function apply(trx: Trx, { together, alone }: Workable, way: Way) {
  const outcomes: Outcome[] = way.together && together.length > 0 ? await applyOrders(trx, together, way.ids) : [];
  const failures: Failure[] = [];
  const ended: Drained['ended'] = [];
  const attempts = new Attempts(trx, way.ids, way.holds);
  const stopped = new Set<CustomerId>();
  for (const accepted of way.together ? alone : [...alone, ...together]) {
    const { customerId } = accepted.order;
    if (stopped.has(customerId)) continue;
    const { outcome, ...attempt } = await attempts.attempt(accepted);
    if (outcome !== null) outcomes.push(outcome);
    if ('failure' in attempt) {
      stopped.add(customerId);
      failures.push(attempt.failure);
    } else if (attempt.error !== null) {
      ended.push({ licenseOrderId: accepted.licenseOrderId, error: attempt.error });
    }
  }
  return { outcomes, failures, ended };
}
