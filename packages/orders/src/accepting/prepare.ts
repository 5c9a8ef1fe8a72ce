import { createHash } from 'node:crypto';
import {
  type ApplicationId,
  type BatchOrder,
  type CustomerId,
  countCopies,
  countInstances,
  countTextBytes,
  type Order,
  Refusal,
  type SyncMode,
} from '@lockstep/contract';
import { type ChannelIds, laneOf } from '../lanes.ts';
import { listAssetNums, orderText } from '../stored-orders.ts';

export interface PreparedBatch {
  applicationId: ApplicationId;
  channelCode: string;
  channelOrderId: string;
  syncMode: SyncMode;
  digest: Buffer;
  sequences: number[];
  customerIds: CustomerId[];
  orderTypes: string[];
  chunks: PreparedChunk[];
  /** The orders that are in no chunk, because their customers don't exist for the application. */
  unknownOrders: UnknownOrder[];
  /** The length of its orders as text, in UTF-16 code units. */
  characters: number;
  /** In an async batch: an asset number that orders of two customers name, and where; null if there is none. */
  sharedNumber: { assetNum: string; paths: [first: string, second: string] } | null;
}

export interface PreparedChunk {
  lane: number;
  customerIds: CustomerId[];
  orderCount: number;
  weight: number;
  payload: string;
}

/** An order that fails with customer_not_found, in the form in which failed_order keeps it. */
interface UnknownOrder {
  index: number;
  content: string;
  assetNums: string[];
}

const CHARACTERS_PER_WEIGHT = 1_024;
/** Text below this size is cheap to store, however many copies there are. */
const MUCH_TEXT = 1_024 * 1_024;

/**
 * Returns the cost of an order for a drain: the instances that it may create or revoke, or one for each 1,024
 * characters that it has or stores, whichever is more.
 */
export function weighOrder(order: Order, characters: number): number {
  const stored = characters * countCopies(order) > MUCH_TEXT ? countTextBytes(order) : 0;
  return Math.max(1, countInstances(order), Math.ceil(Math.max(characters, stored) / CHARACTERS_PER_WEIGHT));
}

/**
 * Splits a batch by lane and digests its content, in the form of orderText. `channelIds` determines the lanes and which
 * customers are unknown; it is empty for a preview.
 */
export function prepareBatch(applicationId: ApplicationId, batch: BatchOrder, channelIds: ChannelIds): PreparedBatch {
  const { channelCode, channelOrderId, syncMode, orderList } = batch;
  const texts: string[] = [syncMode];
  const byLane = new Map<number, { weight: number; orders: string[]; customerIds: Set<CustomerId> }>();
  const unknownOrders: UnknownOrder[] = [];
  let characters = 0;
  for (const [index, order] of orderList.entries()) {
    const json = orderText(order);
    texts.push(json);
    characters += json.length;
    const channelId = channelIds.get(order.customerId);
    if (channelId === undefined) {
      unknownOrders.push({ index, content: `[[${index},${json}]]`, assetNums: listAssetNums(order) });
      continue;
    }
    const lane = laneOf(channelId, order.customerId);
    const chunk = byLane.get(lane) ?? { weight: 0, orders: [], customerIds: new Set() };
    if (chunk.weight === 0) byLane.set(lane, chunk);
    chunk.weight += weighOrder(order, json.length);
    chunk.orders.push(`[${index},${json}]`);
    chunk.customerIds.add(order.customerId);
  }
  return {
    applicationId,
    channelCode,
    channelOrderId,
    syncMode,
    digest: createHash('sha256').update(texts.join('\n')).digest(),
    sequences: orderList.map((order) => order.sequence),
    customerIds: orderList.map((order) => order.customerId),
    orderTypes: orderList.map((order) => order.orderType),
    chunks: [...byLane].map(([lane, { weight, orders, customerIds }]) => ({
      lane,
      customerIds: [...customerIds],
      orderCount: orders.length,
      weight,
      payload: `[${orders.join(',')}]`,
    })),
    unknownOrders,
    characters,
    sharedNumber: syncMode === 'async' ? findSharedNumber(orderList) : null,
  };
}

/**
 * Returns the first asset number that orders of two customers name. Which of them takes effect first would be random.
 */
function findSharedNumber(orderList: readonly Order[]): PreparedBatch['sharedNumber'] {
  const named = new Map<string, { customerId: CustomerId; path: string }>();
  for (const [index, { customerId, assets }] of orderList.entries()) {
    for (const [element, { assetNos }] of assets.entries()) {
      for (const [position, assetNum] of assetNos.entries()) {
        const path = `orderList[${index}].assets[${element}].assetNos[${position}]`;
        const first = named.get(assetNum);
        if (first === undefined) named.set(assetNum, { customerId, path });
        else if (first.customerId !== customerId) return { assetNum, paths: [first.path, path] };
      }
    }
  }
  return null;
}

/** Refuses an async batch that names one asset number for two customers (rules 6.1): asset_number_shared. */
export function checkNumbers({ sharedNumber }: PreparedBatch): void {
  if (sharedNumber === null) return;
  const { assetNum, paths } = sharedNumber;
  throw new Refusal('asset_number_shared', paths[1], paths[0], assetNum);
}
