import { setTimeout as wait } from 'node:timers/promises';
import { ABOVE_ALL, LedgerIds } from '@lockstep/assets';
import { type AcceptedOrder, type BatchId, type Channels, type Order, Refusal } from '@lockstep/contract';
import {
  type Database,
  Deadline,
  FairQueue,
  Group,
  inTransaction,
  isTransient,
  type Logger,
  lostAgainstOthers,
  OutcomeUnknown,
  together,
  within,
} from '@lockstep/platform';
import { keyOf, listAcceptedOrders, type SubmittedBatch, weighBatch } from '../accepting/batch.ts';
import { Drainer } from '../applying/drain.ts';
import { logApplied } from '../applying/finish.ts';
import { findingAhead } from '../applying/pending.ts';
import { findingPaused, refusePaused } from '../channels/pauses.ts';
import type { EventNumbering } from '../feed/numbering.ts';
import { lockedLanes, timeout } from '../lanes.ts';
import type { OrderMetrics } from '../metrics.ts';
import { applyCalls, BatchFailed, knownIn, lanesOf, type NewBatch, type SyncCall, type SyncResult } from './calls.ts';

/** How many shared transactions run at once in a process, and how many of single calls and of drains before them. */
const SHARED_AT_ONCE = 2;
const ALONE_AT_ONCE = 5;
/** How many transactions of sync calls run at once in a process, each on its own connection. */
export const SYNC_GROUPS_AT_ONCE = SHARED_AT_ONCE + ALONE_AT_ONCE;

/** Limits of calls that share a transaction, and of one that may: a larger one would delay the others. */
const MAX_SHARED_BATCHES = 64;
const MAX_SHARED_WEIGHT = 4_000;
const MAX_CALL_WEIGHT = 500;

/** How long a transaction waits for a lock: briefly if it holds lanes of many calls, and others wait for its turn. */
const SHARED_LOCK_WAIT_MS = 100;
const ALONE_LOCK_WAIT_MS = 2_000;
/** How long a transaction waits for each lane. */
const LANE_WAIT_MS = 200;
/** How soon a call checks again after it found lanes locked or the database silent. */
const PAUSE_MS = 20;
/** The part of a call's time that is reserved for its commit. */
const COMMIT_MS = 1_000;

interface ApplierTools {
  db: Database;
  /** The pool for transactions that wait for locks of lanes. */
  lanesDb: Database;
  log: Logger;
  metrics: OrderMetrics;
  numbering: EventNumbering;
}

/**
 * Applies sync batches (rules 6.3): all orders of a call take effect in one transaction before the answer, or none do.
 *
 * Calls that arrive together share a transaction if their lanes are free and have no pending orders. Any other call,
 * and a call that fails or must wait there, runs alone: applications take turns, with a turn for each bounded step (a
 * drain of the orders ahead, or the call's own transaction).
 */
export class BatchApplier {
  readonly #tools: ApplierTools;
  readonly #ids = new LedgerIds();
  readonly #drainer: Drainer;
  readonly #shared: Group<SyncCall, SyncResult>;
  readonly #turns = new FairQueue({
    atOnce: ALONE_AT_ONCE,
    // Leaves one for others while all calls of an application wait for locks.
    atOnceOfParty: ALONE_AT_ONCE - 1,
    maxWaiting: Number.POSITIVE_INFINITY,
  });
  /** All calls in progress, answered or not. */
  readonly #calls = new Map<SyncCall, Promise<BatchId>>();

  constructor(tools: ApplierTools) {
    this.#tools = tools;
    this.#drainer = new Drainer({ ...tools, db: tools.lanesDb, ids: this.#ids });
    this.#shared = new Group({
      run: (calls) => this.#applyTogether(calls),
      maxRunning: SHARED_AT_ONCE,
      maxInputs: MAX_SHARED_BATCHES,
      weightOf: ({ batch }) => weighBatch(batch),
      maxWeight: MAX_SHARED_WEIGHT,
      keyOf: ({ batch }) => keyOf(batch),
      needsOf: ({ batch }) => lanesOf(batch),
      partyOf: ({ batch }) => batch.applicationId,
      isOver: ({ deadline }) => deadline.isOver,
    });
  }

  /**
   * Applies a batch and returns its order ids, in the order of orderList. Resubmitting the same content returns the
   * same answer. `channels`: the channels that the application is bound to.
   *
   * Answers within `leftMs`. If the time is up before a transaction has started, the call stores nothing; after that,
   * the commit decides.
   *
   * Throws a Refusal. After outcome_unknown (the commit was not answered in time), the batch may be stored. After any
   * other, or an overload (isOverload), nothing is stored: channel_order_id_conflict, batch_too_large, channel_paused,
   * internal_error, service_unavailable while an order of its customers is held; or, if orders failed, the cause of the
   * first with a message that names them.
   */
  async apply(
    batch: SubmittedBatch,
    orders: readonly Order[],
    channels: Channels,
    leftMs: number,
  ): Promise<AcceptedOrder[]> {
    // Independent of the client's connection: a request takes effect even if the client disconnects.
    const answer = new Deadline(leftMs);
    const deadline = new Deadline(leftMs - COMMIT_MS);
    const call: SyncCall = { batch, orders, channels, deadline, isNext: false, isRunning: false, isUnclear: false };
    const applying = this.#apply(call).finally(() => {
      deadline.end();
      this.#calls.delete(call);
    });
    this.#calls.set(call, applying);
    try {
      return listAcceptedOrders(batch, await answer.race(applying));
    } catch (error) {
      if (!call.isRunning && !call.isUnclear) throw error;
      const { requestId, channelOrderId } = batch;
      this.#tools.log.error({ err: error, requestId, channelOrderId }, 'sync batch outcome unknown');
      throw new Refusal('outcome_unknown');
    } finally {
      answer.end();
    }
  }

  /** Waits for calls whose transaction has started, and ends the others. Call it when no client waits any more. */
  async close(): Promise<void> {
    for (const { deadline } of this.#calls.keys()) deadline.end();
    await Promise.allSettled(this.#calls.values());
  }

  async #apply(call: SyncCall): Promise<BatchId> {
    const { batch, deadline } = call;
    const mayShare = weighBatch(batch) <= MAX_CALL_WEIGHT && batch.unknownOrders.length === 0;
    let result = mayShare ? await this.#shared.run(call) : await this.#applyInTurn(call);
    if (result === null) await this.#drainAhead(call);
    while (result === null) {
      result = await this.#applyInTurn(call);
      deadline.signal.throwIfAborted();
      if (result === null) await wait(PAUSE_MS);
    }
    if (result instanceof Refusal) throw result;
    return result;
  }

  /** Applies calls whose lanes are free. Returns null for a call that has to run alone. */
  async #applyTogether(calls: readonly SyncCall[]): Promise<SyncResult[]> {
    try {
      return await this.#transact(calls, { isAlone: false });
    } catch (error) {
      if (error instanceof Refusal && calls.length === 1) return [error];
      if (error instanceof BatchFailed) {
        const rest = calls.filter(({ batch }) => !error.batches.has(batch));
        const results = rest.length === 0 ? [] : await this.#applyTogether(rest);
        return calls.map((call) => results[rest.indexOf(call)] ?? null);
      }
      // The fault may lie with a single call, such as an asset that is locked elsewhere. So each call runs alone.
      return calls.map(() => null);
    }
  }

  /** Applies the orders that were pending of a call's customers when it came. Each drain takes a turn. */
  async #drainAhead(call: SyncCall): Promise<void> {
    const { batch, deadline } = call;
    const db = within(this.#tools.db, deadline);
    const lanes = lanesOf(batch);
    const ahead = { customerIds: new Set(knownIn(batch)), through: ABOVE_ALL as string as BatchId };
    for (;;) {
      // Of a paused channel, nothing need be pending: earlier work may hold its lanes longer than the call can wait.
      const [[paused], [found]] = await together(db, [findingPaused(lanes), findingAhead(lanes, ahead)] as const);
      if (paused !== undefined) throw refusePaused(paused.code);
      if (found!.newest === null) break;
      ahead.through = found!.newest;
      const drained = await this.#inTurn(call, () => this.#drainer.drain(lockedLanes(lanes), { ahead }));
      if (drained === null || drained.batches.length === 0) await wait(PAUSE_MS);
    }
    call.isNext = true;
  }

  /** Applies one call. Returns null if it has to wait. */
  #applyInTurn(call: SyncCall): Promise<SyncResult> {
    return this.#inTurn(call, async () => {
      try {
        const [result = null] = await this.#transact([call], { isAlone: true });
        return result;
      } catch (error) {
        // If it is unclear whether the batch is stored, the next attempt finds out.
        if (call.isUnclear && isTransient(error)) return null;
        if (error instanceof Refusal || isTransient(error)) throw error;
        const { requestId, channelOrderId } = call.batch;
        this.#tools.log.error({ err: error, requestId, channelOrderId }, 'sync batch failed');
        throw new Refusal('internal_error');
      }
    });
  }

  /** Does some work for a call when its turn comes. Returns null if the work has to wait for locks of others. */
  async #inTurn<Result>(call: SyncCall, work: () => Promise<Result>): Promise<Result | null> {
    const { batch, deadline } = call;
    try {
      return await this.#turns.run(batch.applicationId, deadline.signal, work, lanesOf(batch));
    } catch (error) {
      if (lostAgainstOthers(error)) return null;
      throw error;
    }
  }

  /**
   * Applies calls in one transaction, within the shortest time left of any call. A call that is alone waits for its
   * lanes, briefly, because it holds the first ones while it waits for the next.
   */
  async #transact(calls: readonly SyncCall[], { isAlone }: { isAlone: boolean }): Promise<SyncResult[]> {
    const startedMs = performance.now();
    const [{ deadline }] = calls.toSorted((a, b) => a.deadline.remainingMs - b.deadline.remainingMs) as [SyncCall];
    const db = within(this.#tools.lanesDb, deadline, isAlone ? ALONE_LOCK_WAIT_MS : SHARED_LOCK_WAIT_MS);
    for (const call of calls) call.isRunning = true;
    try {
      const { results, newBatches } = await inTransaction(db, async (trx) => {
        if (isAlone) {
          const lanes = lanesOf(...calls.map(({ batch }) => batch));
          const waiting = (waitMs: number) => timeout('lock_timeout', waitMs);
          await together(trx, [waiting(LANE_WAIT_MS), lockedLanes(lanes), waiting(ALONE_LOCK_WAIT_MS)]);
        }
        return await applyCalls(trx, calls, this.#ids);
      });
      this.#applied(newBatches, startedMs);
      return results;
    } catch (error) {
      if (error instanceof OutcomeUnknown) for (const call of calls) call.isUnclear = true;
      throw error;
    } finally {
      for (const call of calls) call.isRunning = false;
    }
  }

  #applied(newBatches: readonly NewBatch[], startedMs: number): void {
    if (newBatches.length === 0) return;
    const { log, metrics, numbering } = this.#tools;
    numbering.number();
    const batches = newBatches.map(({ id: batchId, batch: { channelOrderId, requestId }, orders }) => {
      return { batchId, channelOrderId, requestId, orders: orders.length };
    });
    const succeeded = batches.reduce((sum, { orders }) => sum + orders, 0);
    metrics.ordersAccepted.inc(succeeded);
    metrics.ordersApplied.inc({ outcome: 'succeeded' }, succeeded);
    logApplied(log, 'applied', { batches, succeeded, failedOrders: [] }, startedMs);
  }
}
