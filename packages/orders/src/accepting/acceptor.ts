import { setTimeout as wait } from 'node:timers/promises';
import type { AcceptedOrder, BatchId } from '@lockstep/contract';
import { type Database, type Deadline, Group, run, textArray, untilConfirmed } from '@lockstep/platform';
import { channelOfColumn } from '../lanes.ts';
import type { OrderMetrics } from '../metrics.ts';
import { PAYLOAD_VERSION } from '../stored-orders.ts';
import {
  BATCH_ARRAYS,
  BATCH_COLUMNS,
  BATCH_NAMES,
  BATCH_VALUES,
  batchArrays,
  type EarlierBatch,
  type KeyLook,
  keyLockOf,
  keyOf,
  listAcceptedOrders,
  lookAtKeys,
  type SubmittedBatch,
  sameBatchId,
} from './batch.ts';
import type { JobAnnouncer } from './jobs.ts';
import type { PendingBound } from './pending-bound.ts';
import { checkNumbers } from './prepare.ts';

const MAX_GROUP_BATCHES = 64;
const MAX_GROUP_CHARACTERS = 4 * 1024 * 1024;
const MAX_GROUPS_AT_ONCE = 2;
const MAX_LOOKS = 64;
/** How soon a call looks again at a key under which another transaction is storing a batch. */
const PAUSE_MS = 20;

/** Accepts async batches (rules 6.1 and 6.2): stores them durably, then announces them to the workers. */
export class BatchAcceptor {
  readonly #db: Database;
  readonly #announcer: JobAnnouncer;
  readonly #bound: PendingBound;
  readonly #metrics: OrderMetrics;
  readonly #groups: Group<SubmittedBatch, BatchId | null>;
  readonly #looks: Group<SubmittedBatch, KeyLook>;

  constructor(db: Database, announcer: JobAnnouncer, bound: PendingBound, metrics: OrderMetrics) {
    this.#db = db;
    this.#announcer = announcer;
    this.#bound = bound;
    this.#metrics = metrics;
    this.#groups = new Group({
      run: (batches: SubmittedBatch[]) => insertAsyncBatches(db, batches),
      maxRunning: MAX_GROUPS_AT_ONCE,
      maxInputs: MAX_GROUP_BATCHES,
      weightOf: (batch) => batch.characters,
      maxWeight: MAX_GROUP_CHARACTERS,
      keyOf,
      gathers: true,
    });
    this.#looks = new Group({ run: (batches) => lookAtKeys(db, batches), maxRunning: 1, maxInputs: MAX_LOOKS });
  }

  /**
   * Stores a batch and returns its final order ids, in the order of orderList. Resubmitting the same content returns
   * the same answer. While another transaction is storing a batch with the same key, the call waits alone.
   *
   * Throws a Refusal (channel_order_id_conflict, asset_number_shared or overloaded) or an Overload. Then nothing is
   * stored.
   */
  async accept(submitted: SubmittedBatch, deadline: Deadline): Promise<AcceptedOrder[]> {
    const refusal = await this.#bound.findRefusal(submitted.applicationId);
    const mayBeNew = submitted.sharedNumber === null && refusal === null;
    let batchId = mayBeNew ? await this.#groups.run(submitted) : null;
    while (batchId === null) {
      const earlier = await this.#findEarlier(submitted, deadline);
      if (earlier !== undefined) {
        const earlierId = sameBatchId(submitted, earlier);
        // The commit of the earlier batch may not have reached the standbys yet. This answer must survive a failover.
        await untilConfirmed(this.#db);
        return listAcceptedOrders(submitted, earlierId);
      }
      checkNumbers(submitted);
      if (refusal !== null) throw refusal;
      batchId = await this.#groups.run(submitted);
    }
    this.#metrics.ordersAccepted.inc(submitted.sequences.length);
    this.#announcer.announce(
      submitted.chunks.map(({ lane }) => lane),
      batchId,
    );
    return listAcceptedOrders(submitted, batchId);
  }

  /** Returns the earlier batch with this key once no transaction is storing one. It holds nothing while it waits. */
  async #findEarlier(batch: SubmittedBatch, deadline: Deadline): Promise<EarlierBatch | undefined> {
    for (;;) {
      const { earlier, isBusy } = await deadline.race(this.#looks.run(batch));
      if (earlier !== undefined || !isBusy) return earlier;
      await deadline.race(wait(PAUSE_MS));
    }
  }
}

/**
 * Stores a group of batches with one statement, and returns their ids; null for a batch whose key is taken or locked.
 * The statement draws the ids, so their order is the acceptance order.
 */
async function insertAsyncBatches(db: Database, batches: SubmittedBatch[]): Promise<(BatchId | null)[]> {
  const chunks = batches.flatMap((batch, place) =>
    batch.chunks.map((chunk, _, { length }) => ({ place: place + 1, chunkCount: length, ...chunk })),
  );
  const rows = await run<{ place: number; id: BatchId }>(db, {
    name: 'accept_batches',
    text: ACCEPT_BATCHES,
    storesRows: true,
    values: [
      ...batchArrays(batches),
      // One text with a line each: the driver is slow to quote array elements. JSON has no line breaks.
      chunks.map(({ payload }) => payload).join('\n'),
      chunks.map(({ place }) => place),
      chunks.map(({ lane }) => lane),
      chunks.map(({ orderCount }) => orderCount),
      chunks.map(({ weight }) => weight),
      chunks.map(({ chunkCount }) => chunkCount),
      textArray(chunks.map(({ customerIds }) => textArray(customerIds))),
      batches.map(keyLockOf),
    ],
  });
  const batchIds: (BatchId | null)[] = batches.map(() => null);
  for (const { place, id } of rows) batchIds[place - 1] = id;
  return batchIds;
}

const ACCEPT_BATCHES = `
  with input as materialized (
    select * from unnest(${BATCH_ARRAYS}, (select $17::bigint[])) with ordinality as input (${BATCH_NAMES}, key_lock, place)
    where pg_try_advisory_xact_lock(key_lock)
  ), stored as (
    insert into batch (id, ${BATCH_COLUMNS})
    select nextval('batch_id'), ${BATCH_VALUES} from input order by place
    on conflict (application_id, channel_code, channel_order_id) do nothing
    returning id, application_id, channel_code, channel_order_id
  ), placed as (
    select place::int, id, application_id from input join stored using (application_id, channel_code, channel_order_id)
  ), chunks as (
    insert into lane_chunk (batch_id, lane, customer_ids, order_count, weight, chunk_count, payload, payload_version)
    select placed.id, lane, customer_ids::text[], order_count, weight, chunk_count, payload, ${PAYLOAD_VERSION}::smallint
    from placed join rows from (
      string_to_table($10, chr(10)),
      unnest(
        (select $11::int[]), (select $12::int[]), (select $13::int[]), (select $14::int[]), (select $15::int[]),
        (select $16::text[])
      )
    ) as chunk (payload, place, lane, order_count, weight, chunk_count, customer_ids) using (place)
    returning batch_id, lane, order_count
  ), activity as (
    insert into uncounted_activity (application_id, channel_id, pending, accepted, succeeded, failed, causes)
    select application_id, ${channelOfColumn()}, sum(order_count), sum(order_count), 0, 0, '{}'
    from chunks join placed on id = batch_id group by application_id, ${channelOfColumn()}
  )
  select place, id from placed`;
