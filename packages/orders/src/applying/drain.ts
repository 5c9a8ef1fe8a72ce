import { type LedgerIds, splitOrderId } from '@lockstep/assets';
import type { CustomerId } from '@lockstep/contract';
import {
  type Database,
  endSpan,
  inTransaction,
  type Logger,
  lostAgainstOthers,
  run,
  SpanKind,
  type Statement,
  send,
  startSpan,
  type Trx,
  together,
} from '@lockstep/platform';
import { completeBatches } from '../completion/complete-batches.ts';
import type { EventNumbering } from '../feed/numbering.ts';
import { failedLanes, LOCK_WAIT_MS, type LockedRow, readLocked, timeout, usedTurns } from '../lanes.ts';
import type { OrderMetrics } from '../metrics.ts';
import type { OrderWithId } from '../planning/order.ts';
import { applyOrders } from './apply.ts';
import { applyInParts, type FailedOrder } from './apply-in-parts.ts';
import { type Applied, finishOrders, logApplied, NOTHING_APPLIED } from './finish.ts';
import { findHeld, holdUnreadable, insertHolds } from './holds.ts';
import {
  type Ahead,
  buildPending,
  type Chunk,
  inAcceptanceOrder,
  MAX_WEIGHT,
  type Pending,
  pendingChunks,
  type UnreadableChunk,
} from './pending.ts';

/** The weight of orders among which those that make a drain fail are looked for. */
const FAILED_WEIGHT = 20_000;

export interface Drained extends Applied {
  /** Chunks that could not be read. Their customers are held. */
  unreadable: UnreadableChunk[];
  /** Orders that could not be applied. Their customers are held. */
  held: readonly FailedOrder[];
  /** Why some orders have to wait although others of their lane were applied; undefined if none has to. */
  waitsFor: unknown;
  /** When it began and ended to apply its orders. */
  appliedMs: readonly [number, number];
}

/** Thrown if a drain failed after it had locked lanes. Nothing has changed. */
export class DrainFailed extends Error {
  readonly lanes: readonly number[];

  constructor(lanes: readonly number[], cause: unknown) {
    super('drain failed', { cause });
    this.lanes = lanes;
  }
}

interface DrainScope<Row> {
  locked?: (row: Row) => void;
  ahead?: Ahead;
}

const NOTHING: Drained = {
  ...NOTHING_APPLIED,
  unreadable: [],
  held: [],
  waitsFor: undefined,
  appliedMs: [0, 0],
};

/**
 * Applies the oldest pending orders of some lanes, up to a weight, as one group in one transaction (rules 6.2): locks
 * the lanes that `choice` chooses, reads their orders, loads what they name, plans each, writes effects and outcomes,
 * and finishes chunks and batches. Sets aside orders of held customers and chunks that can't be read. Calls `locked`
 * when the lanes are locked. `ahead`: applies only the orders that a sync call must not overtake, which is no turn of
 * the lanes.
 *
 * A drain holds its lanes until it commits. So one drain at a time decides on a lane, in any process, and the orders of
 * a customer take effect in the order of acceptance.
 *
 * Throws a DrainFailed if the orders can't be applied, and other errors if lanes can't be locked.
 */
export async function drainLanes<Row extends LockedRow>(
  db: Database,
  choice: Statement<Row>,
  ids: LedgerIds,
  { locked = () => {}, ahead }: DrainScope<Row> = {},
): Promise<Drained> {
  const startedMs = performance.now();
  let lanes: number[] = [];
  try {
    return await inTransaction(db, async (trx) => {
      const [, lockedRows, rows] = await together(trx, [
        timeout('lock_timeout', LOCK_WAIT_MS),
        choice,
        pendingChunks(MAX_WEIGHT, ahead),
      ] as const);
      lanes = readLocked(lockedRows);
      locked(lockedRows[0]!);
      if (lanes.length === 0) return NOTHING;
      const { failures } = lockedRows[0]!;
      const isLookedThrough = failures > 0 && ahead === undefined;
      const pending = buildPending(isLookedThrough ? await run(trx, pendingChunks(FAILED_WEIGHT)) : rows);
      const drained = await applyPending(trx, pending, { failures, ahead }, ids);
      const usedMs = performance.now() - startedMs;
      if (ahead === undefined) await send(trx, endTurns(lanes, pending, drained.waitsFor, usedMs));
      return drained;
    });
  } catch (error) {
    throw lanes.length === 0 ? error : new DrainFailed(lanes, error);
  }
}

async function applyPending(
  trx: Trx,
  { chunks, unreadable, hasHolds }: Pending,
  { failures, ahead }: { failures: number; ahead: Ahead | undefined },
  ids: LedgerIds,
): Promise<Drained> {
  const startedMs = performance.now();
  for (const chunk of unreadable) await holdUnreadable(trx, chunk);
  const orders = inAcceptanceOrder(chunks).filter(({ order }) => ahead?.customerIds.has(order.customerId) ?? true);
  const customerIds = orders.map(({ order }) => order.customerId);
  const mayBeHeld = hasHolds || unreadable.length > 0;
  const heldIds = mayBeHeld ? await findHeld(trx, customerIds) : new Set<CustomerId>();
  const free = orders.filter(({ order }) => !heldIds.has(order.customerId));
  const { outcomes, held, waitsFor } =
    failures === 0
      ? { outcomes: await applyOrders(trx, free, ids), held: [], waitsFor: undefined }
      : await applyInParts(trx, free, failures, ids);
  await insertHolds(
    trx,
    held.map(({ accepted, error }) => ({ ...findPlace(chunks, accepted), error })),
  );
  for (const { accepted } of held) heldIds.add(accepted.order.customerId);
  const applied = await finishOrders(trx, chunks, outcomes, { heldIds });
  return { ...applied, unreadable, held, waitsFor, appliedMs: [startedMs, performance.now()] };
}

function findPlace(chunks: readonly Chunk[], { licenseOrderId, order: { customerId } }: OrderWithId) {
  const { batchId, index } = splitOrderId(licenseOrderId);
  const isIn = (chunk: Chunk) => chunk.batchId === batchId && chunk.orders.some(([place]) => place === index);
  return { customerId, licenseOrderId, lane: chunks.find(isIn)!.lane };
}

/** Sets the next turn of the lanes. The time of the drain is divided among those that had orders, by weight. */
function endTurns(locked: readonly number[], { lanes }: Pending, waitsFor: unknown, usedMs: number) {
  if (waitsFor !== undefined) return failedLanes(locked, waitsFor, usedMs);
  const total = lanes.values().reduce((sum, { weight }) => sum + weight, 0);
  const used = lanes.entries().map(([lane, { weight, hasMore }]) => ({
    lane,
    usedMs: (usedMs * weight) / total,
    hasMore,
  }));
  return usedTurns([...used]);
}

/** Records the spans of a drain when it is over (rules 1.4): only then are the recorded calls known that led to it. */
function traceDrain(drained: Drained, startedMs: number, endedMs: number): void {
  const { batches, succeeded, failedOrders, traceparents: links, appliedMs } = drained;
  const orders = { 'lockstep.orders': succeeded + failedOrders.length, 'lockstep.failed_orders': failedOrders.length };
  const attributes = { 'lockstep.batches': batches.length, ...orders };
  const options = { kind: SpanKind.CONSUMER, attributes, startTime: startedMs };
  // A part of the first call's trace, so that what decided on recording that call decides on it, too.
  const span = startSpan('drain', { ...options, parent: links[0], links });
  endSpan(startSpan('apply', { parent: span, startTime: appliedMs[0] }), null, appliedMs[1]);
  endSpan(span, null, endedMs);
}

interface DrainerOptions {
  db: Database;
  log: Logger;
  metrics: OrderMetrics;
  numbering: EventNumbering;
  ids: LedgerIds;
}

/** Drains lanes, completes the batches that this finishes, and updates log and metrics. */
export class Drainer {
  readonly #options: DrainerOptions;

  constructor(options: DrainerOptions) {
    this.#options = options;
  }

  /**
   * Applies the oldest pending orders of the lanes that a statement chooses; see drainLanes. If that fails, records it
   * in the lanes, except before a sync call, whose repeats must not delay the lanes' next drain; and throws the error.
   */
  async drain<Row extends LockedRow>(choice: Statement<Row>, scope?: DrainScope<Row>): Promise<Drained> {
    const { db, log, metrics, ids } = this.#options;
    const startedMs = performance.now();
    try {
      const drained = await drainLanes(db, choice, ids, scope);
      const endedMs = performance.now();
      for (const { batchId, lane, fault } of drained.unreadable) {
        log.error({ err: fault, batchId, lane }, 'unreadable orders held; will retry');
      }
      for (const { accepted, error } of drained.held) {
        const { licenseOrderId, order } = accepted;
        log.error({ err: error, licenseOrderId, customerId: order.customerId }, 'order held; will retry');
      }
      await this.applied(drained, startedMs);
      if (drained.traceparents.length > 0) traceDrain(drained, startedMs, endedMs);
      return drained;
    } catch (failure) {
      if (!(failure instanceof DrainFailed)) throw failure;
      const { lanes, cause } = failure;
      endSpan(startSpan('drain', { kind: SpanKind.CONSUMER, startTime: startedMs }), cause);
      if (!lostAgainstOthers(cause)) metrics.drainFailures.inc();
      // If even this fails, the lanes are simply drained again.
      if (scope?.ahead === undefined) {
        await run(db, failedLanes(lanes, cause, performance.now() - startedMs)).catch(() => {});
      }
      throw cause;
    }
  }

  /**
   * Updates log and metrics after a transaction has applied pending orders, and completes the batches of which it
   * finished the last orders. If that fails, the sweep completes them.
   */
  async applied(applied: Applied, startedMs: number): Promise<void> {
    const { db, log, metrics, numbering } = this.#options;
    const { succeeded, failedOrders, batches, finishedBatchIds } = applied;
    if (batches.length > 0) {
      metrics.ordersApplied.inc({ outcome: 'succeeded' }, succeeded);
      metrics.ordersApplied.inc({ outcome: 'failed' }, failedOrders.length);
      metrics.drainOrders.observe(succeeded + failedOrders.length);
      metrics.drainSeconds.observe((performance.now() - startedMs) / 1_000);
      logApplied(log, 'drained', applied, startedMs);
    }
    const completedIds = await completeBatches(db, finishedBatchIds).catch((error: unknown) => {
      log.warn({ err: error }, 'batch completion failed; sweep will take over');
      return [];
    });
    if (completedIds.length > 0) numbering.number();
  }
}
