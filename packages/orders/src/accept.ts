import { createHash } from 'node:crypto';
import { type AcceptedOrder, type BatchOrder, instancesOf, type Order, Refusal } from '@lockstep/contract';
import { type Database, Group, type Metrics } from '@lockstep/platform';
import { sql } from 'kysely';
import type { JobAnnouncer } from './announcer.ts';
import { laneOf } from './lanes.ts';
import { licenseOrderIdOf } from './order-ids.ts';

/** A batch as it is stored: checked, digested and split by lane. */
interface PreparedBatch {
  applicationId: string;
  channelCode: string;
  channelOrderId: string;
  syncMode: string;
  digest: Buffer;
  sequences: number[];
  customerIds: string[];
  orderTypes: string[];
  chunks: { lane: number; orderCount: number; weight: number; payload: string }[];
  bytes: number;
}

/** A batch that is stored, by this call or by an earlier one with the same key. */
interface StoredBatch {
  id: string;
  isNew: boolean;
}

const MAX_GROUP_BATCHES = 64;
const MAX_GROUP_BYTES = 4 * 1024 * 1024;
const MAX_GROUPS_AT_ONCE = 2;
/** Bytes of batches that wait to be stored; beyond it calls are refused as overload. */
const MAX_WAITING_BYTES = 256 * 1024 * 1024;

const WEIGHT_BYTES = 1_024;

/** What an order costs a drain: the instances that it may make or revoke, or its kilobytes where they are more. */
function weightOf(order: Order, bytes: number): number {
  return Math.max(1, instancesOf(order), Math.ceil(bytes / WEIGHT_BYTES));
}

/** Splits a batch by lane and digests its content: the known fields, whatever order a client sent them in. */
export function prepareBatch(applicationId: string, batch: BatchOrder): PreparedBatch {
  const { channelCode, channelOrderId, syncMode, orderList } = batch;
  const digest = createHash('sha256').update(syncMode);
  const byLane = new Map<number, { weight: number; orders: string[] }>();
  let bytes = 0;
  for (const [index, order] of orderList.entries()) {
    const json = JSON.stringify(order);
    digest.update('\n').update(json);
    bytes += json.length;
    const lane = laneOf(order.customerId);
    const chunk = byLane.get(lane) ?? { weight: 0, orders: [] };
    if (chunk.weight === 0) byLane.set(lane, chunk);
    chunk.weight += weightOf(order, json.length);
    chunk.orders.push(`[${index},${json}]`);
  }
  return {
    applicationId,
    channelCode,
    channelOrderId,
    syncMode,
    digest: digest.digest(),
    sequences: orderList.map((order) => order.sequence),
    customerIds: orderList.map((order) => order.customerId),
    orderTypes: orderList.map((order) => order.orderType),
    chunks: [...byLane].map(([lane, { weight, orders }]) => ({
      lane,
      orderCount: orders.length,
      weight,
      payload: `[${orders.join(',')}]`,
    })),
    bytes,
  };
}

/** Accepts async batches (decisions 6.1 and 6.2): durable before it answers, then announced to the workers. */
export class BatchAcceptor {
  readonly #db: Database;
  readonly #announcer: JobAnnouncer;
  readonly #metrics: Metrics;
  readonly #groups: Group<PreparedBatch, StoredBatch | null>;
  #waitingBytes = 0;

  constructor(db: Database, announcer: JobAnnouncer, metrics: Metrics) {
    this.#db = db;
    this.#announcer = announcer;
    this.#metrics = metrics;
    this.#groups = new Group({
      run: (batches) => insertBatches(db, batches),
      maxRunning: MAX_GROUPS_AT_ONCE,
      maxInputs: MAX_GROUP_BATCHES,
      weightOf: (batch) => batch.bytes,
      maxWeight: MAX_GROUP_BYTES,
      keyOf: ({ applicationId, channelCode, channelOrderId }) =>
        JSON.stringify([applicationId, channelCode, channelOrderId]),
    });
  }

  /**
   * Stores a batch and answers its final order ids, in the order of orderList. The same content again gets the same
   * answer.
   *
   * Throws a Refusal: channel_order_id_conflict, overloaded; then nothing is stored.
   */
  async accept(applicationId: string, batch: BatchOrder): Promise<AcceptedOrder[]> {
    const prepared = prepareBatch(applicationId, batch);
    if (this.#waitingBytes + prepared.bytes > MAX_WAITING_BYTES) throw new Refusal('overloaded');
    this.#waitingBytes += prepared.bytes;
    try {
      const stored = (await this.#groups.run(prepared)) ?? (await findEarlier(this.#db, prepared));
      if (stored.isNew) {
        this.#metrics.ordersAccepted.inc(prepared.sequences.length);
        this.#announcer.announce(
          prepared.chunks.map(({ lane }) => lane),
          stored.id,
        );
      }
      return prepared.sequences.map((sequence, index) => ({
        sequence,
        licenseOrderId: licenseOrderIdOf(stored.id, index),
        customerId: prepared.customerIds[index]!,
      }));
    } finally {
      this.#waitingBytes -= prepared.bytes;
    }
  }
}

/**
 * Stores a group of batches with one statement. The ids are drawn in it, so they are the acceptance order. Null for a
 * batch whose key is taken. Keys are inserted in sorted order, so that two processes that accept the same batches wait
 * rather than deadlock.
 */
async function insertBatches(db: Database, batches: PreparedBatch[]): Promise<(StoredBatch | null)[]> {
  const order = [...batches.keys()].sort((a, b) => compareKeys(batches[a]!, batches[b]!));
  const inputs = order.map((index, place) => {
    const batch = batches[index]!;
    return sql`(${place}::int, ${batch.applicationId}::bigint, ${batch.channelCode}::text, ${batch.channelOrderId}::text,
      ${batch.syncMode}::text, ${batch.digest}::bytea, ${batch.sequences}::int[], ${batch.customerIds}::text[],
      ${batch.orderTypes}::text[])`;
  });
  const chunks = order.flatMap((index, place) =>
    batches[index]!.chunks.map(
      ({ lane, orderCount, weight, payload }) =>
        sql`(${place}::int, ${lane}::smallint, ${orderCount}::int, ${weight}::int, ${payload}::text)`,
    ),
  );
  const { rows } = await sql<{ place: number; id: string }>`
    with input (place, application_id, channel_code, channel_order_id, sync_mode, digest, sequences, customer_ids,
      order_types) as (values ${sql.join(inputs)}
    ), stored as (
      insert into batch (id, application_id, channel_code, channel_order_id, sync_mode, digest, sequences, customer_ids,
        order_types)
      select nextval('batch_id'), application_id, channel_code, channel_order_id, sync_mode, digest, sequences,
        customer_ids, order_types
      from input order by place
      on conflict (application_id, channel_code, channel_order_id) do nothing
      returning id, application_id, channel_code, channel_order_id
    ), placed as (
      select place, id from input join stored using (application_id, channel_code, channel_order_id)
    ), chunks as (
      insert into lane_chunk (batch_id, lane, order_count, weight, payload)
      select placed.id, lane, order_count, weight, payload
      from placed join (values ${sql.join(chunks)}) as chunk (place, lane, order_count, weight, payload) using (place)
    )
    select place, id from placed`.execute(db);
  const stored: (StoredBatch | null)[] = batches.map(() => null);
  for (const { place, id } of rows) stored[order[place]!] = { id, isNew: true };
  return stored;
}

function compareKeys(a: PreparedBatch, b: PreparedBatch): number {
  const keyOf = (batch: PreparedBatch) => `${batch.applicationId}\n${batch.channelCode}\n${batch.channelOrderId}`;
  return keyOf(a) < keyOf(b) ? -1 : 1;
}

/** The batch that was accepted before under the same key; refuses other content (decisions 6.1). */
async function findEarlier(db: Database, batch: PreparedBatch): Promise<StoredBatch> {
  const earlier = await db
    .selectFrom('batch')
    .select(['id', 'digest'])
    .where('application_id', '=', batch.applicationId)
    .where('channel_code', '=', batch.channelCode)
    .where('channel_order_id', '=', batch.channelOrderId)
    .executeTakeFirstOrThrow();
  if (!earlier.digest.equals(batch.digest)) throw new Refusal('channel_order_id_conflict', batch.channelOrderId);
  return { id: earlier.id, isNew: false };
}
