import { setTimeout as wait } from 'node:timers/promises';
import { LedgerIds } from '@lockstep/assets';
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
  untilConfirmed,
  within,
} from '@lockstep/platform';
import { keyOf, listAcceptedOrders, type SubmittedBatch, sameBatchId } from '../accepting/batch.ts';
import { type LargeBatches, LargeTurn, weighBatch } from '../applying/large-turns.ts';
import { logWork } from '../applying/work-log.ts';
import { refusePaused } from '../channels/pauses.ts';
import type { EventNumbering } from '../completion/numbering.ts';
import { LaneDrainer } from '../draining/drainer.ts';
import { findPendingThrough } from '../draining/lost-jobs.ts';
import { lockingLanes, settingTimeout } from '../lane-locks.ts';
import type { OrderMetrics } from '../metrics.ts';
import { LargeWork } from '../planning/limits.ts';
import { BatchFailed, type NewBatch } from './batches.ts';
import { applyCalls, type Look, lanesOf, lookBefore, type SyncCall, type SyncResult } from './calls.ts';

/**
 * Transactions that calls share, and transactions of single calls and drains ahead of them, that run at once in a
 * process.
 */
const SHARED_AT_ONCE = 2;
const ALONE_AT_ONCE = 5;
/**
 * Transactions of sync calls that run at once in a process, each on a connection of its own, one of them a large drain.
 */
export const SYNC_GROUPS_AT_ONCE = SHARED_AT_ONCE + ALONE_AT_ONCE + 1;

/**
 * Bounds of the calls that share a transaction, and of one that may: others would wait for it longer than for a commit.
 */
const MAX_SHARED_BATCHES = 64;
const MAX_SHARED_WEIGHT = 4_000;
const MAX_CALL_WEIGHT = 500;
const LOOKS_AT_ONCE = 2;

/**
 * How long a transaction waits for a lock of others. A shared one holds the lanes of many calls, and others wait for
 * each turn.
 */
const SHARED_LOCK_WAIT_MS = 100;
const ALONE_LOCK_WAIT_MS = 2_000;
/** How long a transaction waits for each further lane. Others wait for those that it has. */
const LANE_WAIT_MS = 200;
/** After what time a call looks again for lanes that others drain, or for a database that has not answered. */
const PAUSE_MS = 20;
/** What is left of a call's time for its commit when all the rest has to be done. */
const COMMIT_MS = 1_000;

/**
 * Applies sync batches (rules 6.3): all orders of a call take effect in one transaction before the answer, or none.
 *
 * Calls that come together share a transaction if their lanes are free and nothing is pending there. Any other call,
 * and one that fails or has to wait there, takes its turn among the applications, once for each bounded step: a drain
 * of what is ahead of it, or a transaction of its own.
 */
export class BatchApplier {
  readonly #db: Database;
  readonly #lanesDb: Database;
  readonly #log: Logger;
  readonly #metrics: OrderMetrics;
  readonly #numbering: EventNumbering;
  readonly #ids = new LedgerIds();
  readonly #drainer: LaneDrainer;
  readonly #large: LargeBatches;
  readonly #looks: Group<SubmittedBatch, Look>;
  readonly #shared: Group<SyncCall, SyncResult>;
  readonly #turns = new FairQueue({ atOnce: ALONE_AT_ONCE, maxWaiting: () => Number.POSITIVE_INFINITY });
  /** All that has not ended, answered or not. */
  readonly #calls = new Map<SyncCall, Promise<BatchId>>();

  /**
   * `lanesDb`: the pool for transactions that wait for lane locks. `large`: shared with the previews of this process.
   */
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
      db: lanesDb,
      log,
      metrics,
      numbering,
      ids: this.#ids,
      largeTurn: new LargeTurn(),
    });
    this.#looks = new Group({
      run: (batches) => lookBefore(db, batches),
      maxRunning: LOOKS_AT_ONCE,
      maxInputs: MAX_SHARED_BATCHES,
      gathers: true,
    });
    this.#shared = new Group({
      run: (calls) => this.#applyTogether(calls),
      splitsOn: () => false,
      maxRunning: SHARED_AT_ONCE,
      maxInputs: MAX_SHARED_BATCHES,
      weightOf: ({ batch }) => weighBatch(batch),
      maxWeight: MAX_SHARED_WEIGHT,
      keyOf: ({ batch }) => keyOf(batch),
      needsOf: ({ batch }) => lanesOf(batch),
      partyOf: ({ batch }) => batch.applicationId,
      isOver: ({ deadline }) => deadline.isOver,
      gathers: true,
    });
  }

  /**
   * Applies a batch and returns its order ids, in the order of orderList. The same content again gets the same answer.
   * `channels`: what the application is bound to.
   *
   * It answers within `leftMs`. Until a transaction has begun, a call that is out of time stores nothing; from then on
   * the commit decides.
   *
   * Throws a Refusal: outcome_unknown if the commit has not been answered in time. With any other one, or what
   * isOverload knows, nothing is stored: channel_order_id_conflict, batch_too_large, channel_paused, internal_error,
   * service_unavailable while an order of its customers is held, or if orders failed the cause of the first, with a
   * message that names them.
   */
  async apply(
    batch: SubmittedBatch,
    orders: () => Promise<Order[]>,
    channels: Channels,
    leftMs: number,
  ): Promise<AcceptedOrder[]> {
    // Not the call's own: what its client has asked for takes effect, even if it has left.
    const answer = new Deadline(leftMs);
    const deadline = new Deadline(leftMs - COMMIT_MS);
    const call: SyncCall = { batch, orders, channels, deadline, isRunning: false, isUnclear: false };
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
      this.#log.error({ err: error, requestId, channelOrderId }, 'sync batch outcome unknown');
      throw new Refusal('outcome_unknown');
    } finally {
      answer.end();
    }
  }

  /**
   * Waits for what has begun, also for calls whose clients have left. What has not begun leaves. Call it when nobody
   * waits for an answer any more.
   */
  async close(): Promise<void> {
    for (const { deadline } of this.#calls.keys()) deadline.end();
    await Promise.allSettled(this.#calls.values());
    await this.#drainer.close();
  }

  async #apply(call: SyncCall): Promise<BatchId> {
    const { batch, deadline } = call;
    const { earlier, newest, pausedCode } = await this.#looks.run(batch);
    if (earlier !== undefined) {
      const batchId = sameBatchId(batch, earlier);
      call.isUnclear = true;
      await untilConfirmed(within(this.#db, deadline));
      return batchId;
    }
    if (pausedCode !== undefined) throw refusePaused(pausedCode);
    const mayShare = newest === null && weighBatch(batch) <= MAX_CALL_WEIGHT;
    const result = (mayShare ? await this.#shared.run(call) : null) ?? (await this.#applyInTurns(call, newest));
    if (result instanceof Refusal) throw result;
    return result!;
  }

  /** Applies calls whose lanes are free. Null: for turns of its own. */
  async #applyTogether(calls: readonly SyncCall[]): Promise<SyncResult[]> {
    try {
      return await this.#transact(calls, SHARED_LOCK_WAIT_MS);
    } catch (error) {
      if (error instanceof Refusal && calls.length === 1) return [error];
      if (error instanceof BatchFailed) {
        const rest = calls.filter(({ batch }) => !error.batches.has(batch));
        const results = rest.length === 0 ? [] : await this.#applyTogether(rest);
        return calls.map((call) => results[rest.indexOf(call)] ?? null);
      }
      // It may be due to one of them: a number that somebody else works on. Nobody waits for another one's, or fails
      // with it.
      return calls.map(() => null);
    }
  }

  /** Applies one call, behind what was pending in its lanes when it came. Each step is a turn. */
  async #applyInTurns(call: SyncCall, newest: bigint | null): Promise<SyncResult> {
    const { batch, deadline } = call;
    const lanes = lanesOf(batch);
    const owner = { kind: 'sync batch', party: batch.applicationId };
    const inTurn = <Result>(work: () => Promise<Result>) => this.#turns.run(owner, deadline.signal, work, lanes);
    while (newest !== null) {
      const behind = await findPendingThrough(within(this.#db, deadline), lanes, newest);
      if (behind.length === 0) break;
      // They may be paused for a moment only: then what waits there is ahead of this call all the same.
      for (const { paused_code } of behind) if (paused_code !== null) throw refusePaused(paused_code);
      const wanted = { lanes: behind.map(({ lane }) => lane) };
      let outcome = await inTurn(() => this.#drainer.attempt(wanted));
      // Large work has turns of its own, and keeps no place from others while it waits.
      if (outcome.became === 'large')
        outcome = await this.#drainer.attempt({ ...wanted, isLarge: true, signal: deadline.signal });
      if (outcome.became === 'failed') throw outcome.error;
      if (outcome.lanes.length === 0) await wait(PAUSE_MS);
    }
    for (;;) {
      try {
        const work = (isLarge: boolean) => inTurn(() => this.#applyAlone(call, isLarge));
        return await this.#large.run(batch, work, async () => deadline.signal);
      } catch (error) {
        // If it is unclear whether it is stored, the next turn finds out.
        if (!lostAgainstOthers(error) && !(call.isUnclear && isTransient(error))) throw error;
        deadline.signal.throwIfAborted();
        await wait(PAUSE_MS);
      }
    }
  }

  /** Applies one call. If others have locked one of its lanes, it gives back the rest, and waits for that one first. */
  async #applyAlone(call: SyncCall, isLarge: boolean): Promise<SyncResult> {
    try {
      const [tried] = await this.#transact([call], ALONE_LOCK_WAIT_MS, { isLarge });
      if (tried !== null) return tried!;
      const [result] = await this.#transact([call], ALONE_LOCK_WAIT_MS, { isLarge, waitsFor: call.missing });
      return result!;
    } catch (error) {
      if (error instanceof Refusal || error instanceof LargeWork || isTransient(error)) throw error;
      const { requestId, channelOrderId } = call.batch;
      this.#log.error({ err: error, requestId, channelOrderId }, 'sync batch failed');
      throw new Refusal('internal_error');
    }
  }

  /**
   * Applies calls in one transaction that ends in the time that each of them has left. `waitsFor`: a lane that it waits
   * for first; without it, it waits for none.
   */
  async #transact(
    calls: readonly SyncCall[],
    maxLockWaitMs: number,
    { isLarge = false, waitsFor }: { isLarge?: boolean; waitsFor?: number | undefined } = {},
  ): Promise<SyncResult[]> {
    const startedMs = performance.now();
    const [{ deadline }] = calls.toSorted((a, b) => a.deadline.remainingMs - b.deadline.remainingMs) as [SyncCall];
    const db = within(this.#lanesDb, deadline, maxLockWaitMs);
    for (const call of calls) call.isRunning = true;
    try {
      const { results, newBatches } = await inTransaction(db, async (trx) => {
        if (waitsFor !== undefined) {
          const lanes = lanesOf(...calls.map(({ batch }) => batch));
          const bounding = (waitMs: number) => settingTimeout('lock_timeout', waitMs);
          const rest = [bounding(LANE_WAIT_MS), lockingLanes(lanes), bounding(maxLockWaitMs)];
          await together(trx, [lockingLanes([waitsFor]), ...rest]);
        }
        return await applyCalls(trx, calls, { isLarge, ids: this.#ids });
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
}
