import { LedgerIds } from '@lockstep/assets';
import { type AcceptedOrder, type BatchId, type Channels, type Order, Refusal } from '@lockstep/contract';
import {
  type Database,
  Group,
  inTransaction,
  isTransient,
  type Logger,
  together,
  untilConfirmed,
} from '@lockstep/platform';
import { findNewestPending } from './backlog.ts';
import { findingEarlier, keyOf, listAcceptedOrders, readEarlier, type SubmittedBatch, sameBatchId } from './batch.ts';
import type { EventNumbering } from './event-numbering.ts';
import { FREE_GROUPS_AT_ONCE, FreeCalls } from './free-calls.ts';
import { findingHeld } from './holds.ts';
import { LaneDrainer } from './lane-drainer.ts';
import { lockLanesUntil } from './lane-locks.ts';
import { type LargeBatches, weighBatch } from './large-batches.ts';
import { LargeTurn } from './large-turn.ts';
import { LargeWork } from './limits.ts';
import { MAX_WAIT_MS } from './max-wait.ts';
import type { OrderMetrics } from './metrics.ts';
import { drawingBatchIds } from './sync-batches.ts';
import {
  type AppliedBatches,
  applyCalls,
  lanesOf,
  MAX_GROUP_BATCHES,
  MAX_GROUP_WEIGHT,
  type SyncCall,
} from './sync-calls.ts';
import { logWork } from './work-log.ts';

/** Groups of sync calls that share their lanes and wait for them. */
const LANE_GROUPS_AT_ONCE = 6;
/** Transactions of sync calls that run at once in a process, each on a connection of its own. */
export const SYNC_GROUPS_AT_ONCE = LANE_GROUPS_AT_ONCE + FREE_GROUPS_AT_ONCE;

/**
 * Applies sync batches (rules 6.3): all orders of a call take effect in one transaction before the answer, or none.
 *
 * Calls that come while others run share the next transaction if their lanes are free (FreeCalls). A call whose lanes are
 * not, or which fails there, waits for its lanes, and shares its transaction with those that need no others. If one of
 * them cannot be applied, each gets its own. Calls of other lanes do not wait for them.
 */
export class BatchApplier {
  readonly #db: Database;
  readonly #lanesDb: Database;
  readonly #log: Logger;
  readonly #metrics: OrderMetrics;
  readonly #numbering: EventNumbering;
  readonly #ids = new LedgerIds();
  readonly #drainer: LaneDrainer;
  readonly #free: FreeCalls;
  readonly #groups: Group<SyncCall, BatchId>;
  readonly #large: LargeBatches;

  /** `lanesDb`: the pool for transactions that wait for lane locks. `large`: shared with the previews of this process. */
  constructor(options: {
    db: Database;
    lanesDb: Database;
    large: LargeBatches;
    log: Logger;
    metrics: OrderMetrics;
    numbering: EventNumbering;
  }) {
    const { db, lanesDb, log, metrics, numbering } = options;
    this.#db = db;
    this.#lanesDb = lanesDb;
    this.#large = options.large;
    this.#log = log;
    this.#metrics = metrics;
    this.#numbering = numbering;
    this.#drainer = new LaneDrainer({
      ...{ db: lanesDb, log, metrics, numbering },
      ...{ ids: this.#ids, largeTurn: new LargeTurn() },
    });
    this.#free = new FreeCalls({ db, lanesDb, ids: this.#ids, applied: (work) => this.#applied(work) });
    this.#groups = new Group({
      run: (calls) => this.#applyTogether(calls),
      splitsOn: (error) => !isTransient(error),
      maxRunning: LANE_GROUPS_AT_ONCE,
      maxInputs: MAX_GROUP_BATCHES,
      weightOf: ({ batch, isLarge }) => (isLarge ? MAX_GROUP_WEIGHT : weighBatch(batch)),
      maxWeight: MAX_GROUP_WEIGHT,
      keyOf: ({ batch }) => keyOf(batch),
      needsOf: ({ batch }) => lanesOf([batch]),
    });
  }

  /**
   * Applies a batch and returns its order ids, in the order of orderList. The same content again gets the same answer.
   *
   * `channels`: what the application is bound to.
   *
   * Throws a Refusal, and then nothing is stored: channel_order_id_conflict, batch_too_large, overloaded, internal_error, service_unavailable
   * while an order of its customers is held, or if orders failed the cause of the first, with a message that names them.
   */
  async apply(batch: SubmittedBatch, orders: () => Promise<Order[]>, channels: Channels): Promise<AcceptedOrder[]> {
    const { earlier, isBehind } = await this.#free.look(batch);
    if (earlier !== undefined) {
      const earlierId = sameBatchId(batch, earlier);
      await untilConfirmed(this.#db);
      return listAcceptedOrders(batch, earlierId);
    }
    const apply = async (isLarge: boolean) => {
      const deadlineMs = performance.now() + MAX_WAIT_MS;
      const call = { batch, orders, channels, deadlineMs, isLarge };
      // Calls that share a transaction wait as long as the youngest of them.
      return (isBehind || isLarge ? null : await this.#free.apply(call)) ?? (await this.#groups.run(call));
    };
    return listAcceptedOrders(batch, await this.#large.run(batch, apply));
  }

  /** Waits for the batches that the calls drained to end. Call it when no call runs any more. */
  close(): Promise<void> {
    return this.#drainer.close();
  }

  async #applyTogether(calls: SyncCall[]): Promise<BatchId[]> {
    const lanes = lanesOf(calls.map(({ batch }) => batch));
    const deadlineMs = Math.max(...calls.map((call) => call.deadlineMs));
    await this.#drainAhead(lanes, deadlineMs);
    const startedMs = performance.now();
    const { batchIds, newBatches } = await this.#applyLocked(calls, lanes, deadlineMs).catch((error: unknown) => {
      if (calls.length > 1 || error instanceof Refusal || error instanceof LargeWork || isTransient(error)) throw error;
      const { requestId, channelOrderId } = calls[0]!.batch;
      this.#log.error({ err: error, requestId, channelOrderId }, 'sync batch could not be applied');
      throw new Refusal('internal_error');
    });
    this.#applied({ newBatches, startedMs });
    return batchIds;
  }

  #applyLocked(calls: SyncCall[], lanes: number[], deadlineMs: number) {
    const batches = calls.map(({ batch }) => batch);
    return inTransaction(this.#lanesDb, async (trx) => {
      await lockLanesUntil(trx, lanes, deadlineMs);
      const [earlier, drawn, held] = await together(trx, [
        findingEarlier(batches),
        drawingBatchIds(calls.length),
        findingHeld(batches.flatMap(({ customerIds }) => customerIds)),
      ]);
      const newIds = drawn.map(({ id }) => id);
      const stored = readEarlier(earlier, batches);
      if (held.length > 0 && stored.includes(undefined)) throw new Refusal('service_unavailable');
      return await applyCalls(trx, calls, { earlier: stored, newIds }, this.#ids);
    });
  }

  #applied({ newBatches, startedMs }: AppliedBatches): void {
    if (newBatches.length === 0) return;
    this.#numbering.number();
    const applied = newBatches.reduce((sum, { orders }) => sum + orders.length, 0);
    this.#metrics.ordersAccepted.inc(applied);
    this.#metrics.ordersApplied.inc({ outcome: 'succeeded' }, applied);
    const batches = newBatches.map(({ id, batch, orders }) => {
      const { channelOrderId, requestId } = batch;
      return { batchId: id, channelOrderId, requestId, orders: orders.length };
    });
    logWork(this.#log, 'applied', { batches, succeeded: applied, failedOrders: [], startedMs });
  }

  /** Applies what is pending in the lanes now: a sync call overtakes nothing that was accepted before it. */
  async #drainAhead(lanes: number[], deadlineMs: number): Promise<void> {
    const newest = await findNewestPending(this.#db, lanes);
    for (let throughBatchId: bigint | null = 0n; ; ) {
      if (performance.now() > deadlineMs) throw new Refusal('overloaded');
      if (newest === null || throughBatchId === null || throughBatchId >= newest) return;
      ({ throughBatchId } = await this.#drainer.drain({ lanes }));
    }
  }
}
