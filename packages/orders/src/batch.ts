import { createHash } from 'node:crypto';
import { licenseOrderIdOf } from '@lockstep/assets';
import {
  type AcceptedOrder,
  type BatchOrder,
  instancesOf,
  type Order,
  Refusal,
  type SyncMode,
} from '@lockstep/contract';
import { type Database, rowsOf } from '@lockstep/platform';
import { sql } from 'kysely';
import { laneOf } from './lanes.ts';

/** A batch as it is stored: checked, digested and split by lane. */
export interface PreparedBatch {
  applicationId: string;
  channelCode: string;
  channelOrderId: string;
  syncMode: SyncMode;
  digest: Buffer;
  sequences: number[];
  customerIds: string[];
  orderTypes: string[];
  chunks: { lane: number; orderCount: number; weight: number; payload: string }[];
  bytes: number;
}

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

/** What a batch is known by: one application submits a channelOrderId of a channel once (decisions 6.1). */
export function keyOf({ applicationId, channelCode, channelOrderId }: PreparedBatch): string {
  return JSON.stringify([applicationId, channelCode, channelOrderId]);
}

/** O5's answer: the final order ids, in the order of orderList. */
export function acceptedOrders(batch: PreparedBatch, batchId: string): AcceptedOrder[] {
  return batch.sequences.map((sequence, index) => ({
    sequence,
    licenseOrderId: licenseOrderIdOf(batchId, index),
    customerId: batch.customerIds[index]!,
  }));
}

/** A batch that was stored before under the same key. */
interface EarlierBatch {
  id: string;
  digest: Buffer;
}

/** For each batch, the one that was stored before under its key, if any. */
export async function findEarlier(db: Database, batches: PreparedBatch[]): Promise<(EarlierBatch | undefined)[]> {
  const keys = rowsOf([
    ['place', 'int', batches.map((_, place) => place)],
    ['application_id', 'bigint', batches.map((batch) => batch.applicationId)],
    ['channel_code', 'text', batches.map((batch) => batch.channelCode)],
    ['channel_order_id', 'text', batches.map((batch) => batch.channelOrderId)],
  ]);
  const { rows } = await sql<EarlierBatch & { place: number }>`
    select place, id, digest from ${keys} as key (place, application_id, channel_code, channel_order_id)
    join batch using (application_id, channel_code, channel_order_id)`.execute(db);
  const earlier: (EarlierBatch | undefined)[] = batches.map(() => undefined);
  for (const { place, id, digest } of rows) earlier[place] = { id, digest };
  return earlier;
}

/** The id of the earlier batch where the content is the same. Throws a Refusal: channel_order_id_conflict. */
export function sameBatchId(batch: PreparedBatch, earlier: EarlierBatch): string {
  if (!earlier.digest.equals(batch.digest)) throw new Refusal('channel_order_id_conflict', batch.channelOrderId);
  return earlier.id;
}
