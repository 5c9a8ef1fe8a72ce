import { batchOf, LedgerIds, loadLedger } from '@lockstep/assets';
import { type AcceptedOrder, type Channels, type Order, Refusal } from '@lockstep/contract';
import { type Database, Group, inTransaction, type Logger, type Trx, together } from '@lockstep/platform';
import { sql } from 'kysely';
import { mayLieInOneOrder, type Outcome, planLoaded, refusesOrder, storeApplied } from './apply.ts';
import { liesInOrder } from './attempt.ts';
import { findNewestPending } from './backlog.ts';
import { acceptedOrders, findEarlier, keyOf, type SubmittedBatch, sameBatchId } from './batch.ts';
import { inAcceptanceOrder } from './lane-chunks.ts';
import { LaneDrainer } from './lane-drainer.ts';
import { lockLanesUntil } from './lane-wait.ts';
import { LargeBatches, weightOfBatch } from './large-batches.ts';
import type { OrderMetrics } from './metrics.ts';
import { DIGEST_VERSION } from './order-text.ts';
import { scopeOf } from './scope.ts';
import { logWork } from './work-log.ts';

interface SyncCall {
  batch: SubmittedBatch;
  /** Read when it is their turn: those of a large batch take memory. */
  orders: () => Promise<Order[]>;
  /** What the application is bound to. */
  channels: Channels;
  /** A time of performance.now. */
  deadlineMs: number;
}

/** A call whose batch was not stored before, with its orders and the id that it gets. */
interface FreshCall {
  batch: SubmittedBatch;
  orders: Order[];
  channels: Channels;
  id: string;
}

/** Transactions of sync calls that run at once in a process, each on a connection of its own. */
export const SYNC_GROUPS_AT_ONCE = 6;
const MAX_GROUP_BATCHES = 64;
const MAX_GROUP_WEIGHT = 4_000;
/**
 * How long a call waits for its turn and for what was accepted before it; then it is refused as overload. Calls that
 * share a transaction wait as long as the youngest of them.
 */
const MAX_WAIT_MS = 15_000;
/** Failed orders that a refusal names (decisions 6.3). */
const MAX_NAMED_FAILURES = 20;

/**
 * Applies sync batches (decisions 6.3): all orders of a call take effect in one transaction before the answer, or none.
 *
 * Calls that come while others of their lanes run share the next transaction; where one of them cannot be applied, each
 * gets its own. Calls of other lanes do not wait for them.
 */
export class BatchApplier {
  readonly #db: Database;
  readonly #lanesDb: Database;
  readonly #log: Logger;
  readonly #metrics: OrderMetrics;
  readonly #ids = new LedgerIds();
  readonly #drainer: LaneDrainer;
  readonly #groups: Group<SyncCall, string>;
  readonly #large = new LargeBatches();

  /** `lanesDb`: connections for what waits for lanes. */
  constructor(options: { db: Database; lanesDb: Database; log: Logger; metrics: OrderMetrics }) {
    const { lanesDb, log, metrics } = options;
    this.#db = options.db;
    this.#lanesDb = lanesDb;
    this.#log = log;
    this.#metrics = metrics;
    this.#drainer = new LaneDrainer({ db: lanesDb, log, metrics, ids: this.#ids });
    this.#groups = new Group({
      run: (calls) => this.#applyTogether(calls),
      splitsOn: (error) => mayLieInOneOrder(error) || error instanceof Refusal,
      maxRunning: SYNC_GROUPS_AT_ONCE,
      maxInputs: MAX_GROUP_BATCHES,
      weightOf: ({ batch }) => weightOfBatch(batch),
      maxWeight: MAX_GROUP_WEIGHT,
      keyOf: ({ batch }) => keyOf(batch),
      needsOf: ({ batch }) => batch.chunks.map(({ lane }) => lane),
    });
  }

  /**
   * Applies a batch and answers its order ids, in the order of orderList. The same content again gets the same answer.
   *
   * `channels`: what the application is bound to.
   *
   * Throws a Refusal: channel_order_id_conflict, overloaded, internal_error, or where orders failed the cause of the
   * first with a message that names them; then nothing is stored.
   */
  async apply(batch: SubmittedBatch, orders: () => Promise<Order[]>, channels: Channels): Promise<AcceptedOrder[]> {
    const [earlier] = await findEarlier(this.#db, [batch]);
    if (earlier !== undefined) return acceptedOrders(batch, sameBatchId(batch, earlier));
    try {
      const apply = () => this.#groups.run({ batch, orders, channels, deadlineMs: performance.now() + MAX_WAIT_MS });
      return acceptedOrders(batch, await this.#large.inTurn(batch, apply));
    } catch (error) {
      if (!refusesOrder(error) || !(await this.#liesInOrder())) throw error;
      const { requestId, channelOrderId } = batch;
      this.#log.error({ err: error, requestId, channelOrderId }, 'sync batch could not be applied');
      throw new Refusal('internal_error');
    }
  }

  /** Whether what a call was refused for lies in its orders; where that cannot be found out, it is not proved. */
  async #liesInOrder(): Promise<boolean> {
    return await inTransaction(this.#lanesDb, (trx) => liesInOrder(trx, this.#ids)).catch(() => false);
  }

  async #applyTogether(calls: SyncCall[]): Promise<string[]> {
    const lanes = [...new Set(calls.flatMap(({ batch }) => batch.chunks.map(({ lane }) => lane)))];
    const customerIds = new Set(calls.flatMap(({ batch }) => batch.customerIds));
    const deadlineMs = Math.max(...calls.map((call) => call.deadlineMs));
    await this.#drainAhead(lanes, customerIds, deadlineMs);
    const startedMs = performance.now();
    const { batchIds, fresh } = await inTransaction(this.#lanesDb, async (trx) => {
      const batches = calls.map(({ batch }) => batch);
      const [, earlier, newIds] = await together([
        lockLanesUntil(trx, lanes, deadlineMs),
        findEarlier(trx, batches),
        drawBatchIds(trx, calls.length),
      ]);
      const found = earlier.map((stored, place) => (stored ? sameBatchId(batches[place]!, stored) : null));
      const fresh: FreshCall[] = [];
      for (const [place, { batch, orders, channels }] of calls.entries()) {
        if (found[place] === null) fresh.push({ batch, orders: await orders(), channels, id: newIds[place]! });
      }
      await applyFresh(trx, fresh, this.#ids);
      return {
        batchIds: found.map((id, place) => id ?? newIds[place]!),
        fresh,
      };
    });
    if (fresh.length > 0) this.#report(fresh, startedMs);
    return batchIds;
  }

  #report(calls: readonly FreshCall[], startedMs: number): void {
    const applied = calls.reduce((sum, { orders }) => sum + orders.length, 0);
    this.#metrics.ordersAccepted.inc(applied);
    this.#metrics.ordersApplied.inc({ outcome: 'succeeded' }, applied);
    const batches = calls.map(({ id, batch, orders }) => {
      const { channelOrderId, requestId } = batch;
      return { batchId: id, channelOrderId, requestId, orders: orders.length };
    });
    logWork(this.#log, 'applied', { batches, succeeded: applied, failedOrders: [], startedMs });
  }

  /**
   * Applies what is pending in the lanes now: a sync call overtakes nothing that was accepted before it. Where an order of
   * its own customers is held, it is refused.
   */
  async #drainAhead(lanes: number[], customerIds: ReadonlySet<string>, deadlineMs: number): Promise<void> {
    const checkTime = () => {
      if (performance.now() > deadlineMs) throw new Refusal('overloaded');
    };
    checkTime();
    const newest = await findNewestPending(this.#db, lanes);
    while (newest !== null) {
      const { throughBatchId, leftCustomerIds, batches } = await this.#drainer.drain(lanes);
      const isThrough = throughBatchId === null || throughBatchId >= newest;
      const isFirst = customerIds.isDisjointFrom(leftCustomerIds);
      if (isThrough && isFirst) return;
      if (isThrough && batches.length === 0) throw new Refusal('service_unavailable');
      checkTime();
    }
  }
}

async function drawBatchIds(trx: Trx, count: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select nextval('batch_id') as id from generate_series(1, ${count}::int)`.execute(trx);
  return rows.map(({ id }) => id);
}

/** Applies batches that were not stored before and stores them as finished, or throws the refusal of what failed. */
async function applyFresh(trx: Trx, calls: FreshCall[], ids: LedgerIds): Promise<void> {
  if (calls.length === 0) return;
  const batches = calls.map(({ id, orders, channels }) => ({ batchId: id, orders: [...orders.entries()], channels }));
  const accepted = inAcceptanceOrder(batches);
  const ledger = await loadLedger(trx, scopeOf(accepted));
  const outcomes = planLoaded(ledger, accepted);
  const failures = outcomes.filter(({ failure }) => failure !== null);
  if (failures.length > 0) throw new BatchFailed(failures, outcomes.length);
  // The batches first: where another call stores one of their keys, that is the failure which counts.
  await together([
    insertBatches(trx, calls),
    storeApplied(trx, ledger, outcomes, ids),
    insertFinishedChunks(trx, calls),
  ]);
}

/** In the order of their keys, as accepted batches are inserted: who stores the same ones waits and does not deadlock. */
async function insertBatches(trx: Trx, calls: readonly FreshCall[]): Promise<void> {
  const rows = calls.map(({ id, batch }) => ({
    key: keyOf(batch),
    row: {
      id,
      application_id: batch.applicationId,
      channel_code: batch.channelCode,
      channel_order_id: batch.channelOrderId,
      sync_mode: batch.syncMode,
      digest: batch.digest,
      digest_version: DIGEST_VERSION,
      sequences: batch.sequences,
      customer_ids: batch.customerIds,
      order_types: batch.orderTypes,
      request_id: batch.requestId,
    },
  }));
  const sorted = rows.sort((a, b) => (a.key < b.key ? -1 : 1));
  await trx
    .insertInto('batch')
    .values(sorted.map(({ row }) => row))
    .execute();
}

async function insertFinishedChunks(trx: Trx, calls: readonly FreshCall[]): Promise<void> {
  const rows = calls.flatMap(({ id, batch }) =>
    batch.chunks.map(({ lane, orderCount, weight }) => ({
      batch_id: id,
      lane,
      order_count: orderCount,
      weight,
      payload: null,
      finished_time: sql<Date>`greatest(now(), statement_timestamp())`,
      succeeded: orderCount,
      failed: 0,
    })),
  );
  await trx.insertInto('lane_chunk').values(rows).execute();
}

/** Why a sync call was refused: the cause of its first failed order, and a message that names every one. */
class BatchFailed extends Refusal {
  constructor(failures: Outcome[], total: number) {
    super(failures[0]!.failure!.cause);
    const named = failures.slice(0, MAX_NAMED_FAILURES).map(({ accepted, failure }) => {
      const { index } = batchOf(accepted.licenseOrderId);
      return `orderList[${index}] (sequence ${accepted.order.sequence}): ${failure!.message}`;
    });
    const others = failures.length - named.length;
    const more = others > 0 ? ` And ${others} more.` : '';
    this.message = `${failures.length} of ${total} orders failed; nothing was stored. ${named.join(' ')}${more}`;
  }
}
