import { LedgerIds } from '@lockstep/assets';
import {
  type AcceptedOrder,
  type BatchId,
  type Channels,
  type CustomerId,
  type Order,
  Refusal,
} from '@lockstep/contract';
import { type Database, Group, inTransaction, type Logger } from '@lockstep/platform';
import { liesInOrder } from './attempt.ts';
import { findNewestPending } from './backlog.ts';
import { findEarlier, keyOf, listAcceptedOrders, type SubmittedBatch, sameBatchId } from './batch.ts';
import type { EventNumbering } from './event-numbering.ts';
import { LaneDrainer } from './lane-drainer.ts';
import { lockLanesUntil } from './lane-locks.ts';
import { LargeBatches, weighBatch } from './large-batches.ts';
import { MAX_WAIT_MS } from './max-wait.ts';
import type { OrderMetrics } from './metrics.ts';
import { mayLieInOneOrder, refusesOrder } from './plan-fault.ts';
import { applyNewBatches, drawBatchIds, type NewBatch } from './sync-batches.ts';
import { logWork } from './work-log.ts';

interface SyncCall {
  batch: SubmittedBatch;
  /** Reads them. Called only when it is their turn, because those of a large batch take memory. */
  orders: () => Promise<Order[]>;
  /** The channels that its application is bound to. */
  channels: Channels;
  /** A time of performance.now. */
  deadlineMs: number;
}

/** Transactions of sync calls that run at once in a process, each on a connection of its own. */
export const SYNC_GROUPS_AT_ONCE = 6;
const MAX_GROUP_BATCHES = 64;
const MAX_GROUP_WEIGHT = 4_000;
/**
 * Applies sync batches (rules 6.3): all orders of a call take effect in one transaction before the answer, or none.
 *
 * Calls that come while others of their lanes run share the next transaction. If one of them cannot be applied, each gets
 * its own. Calls of other lanes do not wait for them.
 */
export class BatchApplier {
  readonly #db: Database;
  readonly #lanesDb: Database;
  readonly #log: Logger;
  readonly #metrics: OrderMetrics;
  readonly #numbering: EventNumbering;
  readonly #ids = new LedgerIds();
  readonly #drainer: LaneDrainer;
  readonly #groups: Group<SyncCall, BatchId>;
  readonly #large = new LargeBatches();

  /** `lanesDb`: the pool for transactions that wait for lane locks. */
  constructor(options: {
    db: Database;
    lanesDb: Database;
    log: Logger;
    metrics: OrderMetrics;
    numbering: EventNumbering;
  }) {
    const { lanesDb, log, metrics, numbering } = options;
    this.#db = options.db;
    this.#lanesDb = lanesDb;
    this.#log = log;
    this.#metrics = metrics;
    this.#numbering = numbering;
    this.#drainer = new LaneDrainer({ db: lanesDb, log, metrics, numbering, ids: this.#ids });
    this.#groups = new Group({
      run: (calls) => this.#applyTogether(calls),
      splitsOn: (error) => mayLieInOneOrder(error) || error instanceof Refusal,
      maxRunning: SYNC_GROUPS_AT_ONCE,
      maxInputs: MAX_GROUP_BATCHES,
      weightOf: ({ batch }) => weighBatch(batch),
      maxWeight: MAX_GROUP_WEIGHT,
      keyOf: ({ batch }) => keyOf(batch),
      needsOf: ({ batch }) => batch.chunks.map(({ lane }) => lane),
    });
  }

  /**
   * Applies a batch and returns its order ids, in the order of orderList. The same content again gets the same answer.
   *
   * `channels`: what the application is bound to.
   *
   * Throws a Refusal, and then nothing is stored: channel_order_id_conflict, overloaded, internal_error, or if orders
   * failed the cause of the first, with a message that names them.
   */
  async apply(batch: SubmittedBatch, orders: () => Promise<Order[]>, channels: Channels): Promise<AcceptedOrder[]> {
    const [earlier] = await findEarlier(this.#db, [batch]);
    if (earlier !== undefined) return listAcceptedOrders(batch, sameBatchId(batch, earlier));
    try {
      // Calls that share a transaction wait as long as the youngest of them.
      const apply = () => this.#groups.run({ batch, orders, channels, deadlineMs: performance.now() + MAX_WAIT_MS });
      return listAcceptedOrders(batch, await this.#large.inTurn(batch, apply));
    } catch (error) {
      if (!refusesOrder(error) || !(await this.#liesInOrder())) throw error;
      const { requestId, channelOrderId } = batch;
      this.#log.error({ err: error, requestId, channelOrderId }, 'sync batch could not be applied');
      throw new Refusal('internal_error');
    }
  }

  /** Waits for the batches that the calls drained to end. Call it when no call runs any more. */
  close(): Promise<void> {
    return this.#drainer.close();
  }

  /** Whether a call failed because of its orders. False if that cannot be found out: then nothing is proved. */
  async #liesInOrder(): Promise<boolean> {
    return await inTransaction(this.#lanesDb, (trx) => liesInOrder(trx, this.#ids)).catch(() => false);
  }

  async #applyTogether(calls: SyncCall[]): Promise<BatchId[]> {
    const lanes = [...new Set(calls.flatMap(({ batch }) => batch.chunks.map(({ lane }) => lane)))];
    const customerIds = new Set(calls.flatMap(({ batch }) => batch.customerIds));
    const deadlineMs = Math.max(...calls.map((call) => call.deadlineMs));
    await this.#drainAhead(lanes, customerIds, deadlineMs);
    const startedMs = performance.now();
    const { batchIds, newBatches } = await inTransaction(this.#lanesDb, async (trx) => {
      const batches = calls.map(({ batch }) => batch);
      await lockLanesUntil(trx, lanes, deadlineMs);
      const earlier = await findEarlier(trx, batches);
      const newIds = await drawBatchIds(trx, calls.length);
      const found = earlier.map((stored, place) => (stored ? sameBatchId(batches[place]!, stored) : null));
      const newBatches: NewBatch[] = [];
      for (const [place, { batch, orders, channels }] of calls.entries()) {
        if (found[place] === null) newBatches.push({ id: newIds[place]!, batch, orders: await orders(), channels });
      }
      await applyNewBatches(trx, newBatches, this.#ids);
      return {
        batchIds: found.map((id, place) => id ?? newIds[place]!),
        newBatches,
      };
    });
    if (newBatches.length > 0) {
      this.#numbering.number();
      this.#report(newBatches, startedMs);
    }
    return batchIds;
  }

  #report(newBatches: readonly NewBatch[], startedMs: number): void {
    const applied = newBatches.reduce((sum, { orders }) => sum + orders.length, 0);
    this.#metrics.ordersAccepted.inc(applied);
    this.#metrics.ordersApplied.inc({ outcome: 'succeeded' }, applied);
    const batches = newBatches.map(({ id, batch, orders }) => {
      const { channelOrderId, requestId } = batch;
      return { batchId: id, channelOrderId, requestId, orders: orders.length };
    });
    logWork(this.#log, 'applied', { batches, succeeded: applied, failedOrders: [], startedMs });
  }

  /**
   * Applies what is pending in the lanes now: a sync call overtakes nothing that was accepted before it. Throws a Refusal:
   * overloaded, or service_unavailable if an order of its own customers is held.
   */
  async #drainAhead(lanes: number[], customerIds: ReadonlySet<CustomerId>, deadlineMs: number): Promise<void> {
    const checkTime = () => {
      if (performance.now() > deadlineMs) throw new Refusal('overloaded');
    };
    checkTime();
    const newest = await findNewestPending(this.#db, lanes);
    while (newest !== null) {
      const { throughBatchId, leftCustomerIds, batches } = await this.#drainer.drain({ lanes });
      const isThrough = throughBatchId === null || throughBatchId >= newest;
      const isFirst = customerIds.isDisjointFrom(leftCustomerIds);
      if (isThrough && isFirst) return;
      if (isThrough && batches.length === 0) throw new Refusal('service_unavailable');
      checkTime();
    }
  }
}
